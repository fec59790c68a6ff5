"""Restate: its own server beside it; a source and an angle are handlers, and every call a run."""

import asyncio
import json
import os
import signal
import subprocess
import urllib.request

import restate
from dag import ANGLES, shape, timed
from hypercorn.asyncio import serve
from hypercorn.config import Config

GIVEN = shape()
PORTS = GIVEN["ports"]
service = restate.Service("Dag")


async def call(ctx, kind):

    async def wait():
        await asyncio.sleep(GIVEN["latencies"][kind])
        return "s-" + "0" * 64

    return await ctx.run_typed(kind, wait)


@service.handler()
async def study(ctx: restate.Context, number: int) -> str:
    """Read and analyse a source."""
    await call(ctx, "read")
    await call(ctx, "analyse")
    return "done"


@service.handler()
async def angle(ctx: restate.Context, number: int) -> str:
    """Search, and study what was found."""
    await call(ctx, "search")
    found = range(number, GIVEN["sources"], ANGLES)
    await restate.gather(*(ctx.service_call(study, arg=each) for each in found))
    return "done"


@service.handler()
async def research(ctx: restate.Context, sources: int) -> str:
    await call(ctx, "plan")
    await restate.gather(*(ctx.service_call(angle, arg=number) for number in range(ANGLES)))
    await call(ctx, "synthesise")
    await call(ctx, "verify")
    return "done"


def post(url, body, timeout_s=120):
    """Post JSON and wait for the answer; a server that gives none ends the measurement."""
    data = json.dumps(body).encode()
    request = urllib.request.Request(  # a server of our own
        url, data, {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=timeout_s) as answer:  # as above
        return answer.read()


async def eventually(url, body):
    """Post as soon as the server is there."""
    for _ in range(300):
        try:
            return await asyncio.to_thread(post, url, body, 5)
        except OSError:
            await asyncio.sleep(0.1)
    raise SystemExit("the server never answered")


async def main():
    """Serve the handlers, start the server, and run the DAG so many times at once."""
    config = Config()
    config.bind = [f"127.0.0.1:{PORTS[0]}"]
    config.loglevel = "error"
    serving = asyncio.create_task(
        serve(restate.app([service]), config, shutdown_trigger=asyncio.Event().wait)
    )
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": GIVEN["folder"],
        "DO_NOT_TRACK": "1",
        "RESTATE_DISABLE_TELEMETRY": "true",
        "RESTATE_BIND_ADDRESS": f"127.0.0.1:{PORTS[3]}",
        "RESTATE_INGRESS__BIND_ADDRESS": f"127.0.0.1:{PORTS[1]}",
        "RESTATE_ADMIN__BIND_ADDRESS": f"127.0.0.1:{PORTS[2]}",
        "RESTATE_LOG_FILTER": "error",
    }
    command = [GIVEN["server"], "--base-dir", f"{GIVEN['folder']}/restate"]
    quiet = subprocess.DEVNULL
    # In a group of its own: the npm package's command is a script that starts the server.
    server = subprocess.Popen(  # noqa: ASYNC220  # it returns at once
        command, env=environment, stdout=quiet, stderr=quiet, start_new_session=True
    )
    try:
        uri = f"http://127.0.0.1:{PORTS[0]}"
        await eventually(f"http://127.0.0.1:{PORTS[2]}/deployments", {"uri": uri})

        async def one(_):
            url = f"http://127.0.0.1:{PORTS[1]}/Dag/research"
            await asyncio.to_thread(post, url, GIVEN["sources"])

        await timed(one, GIVEN["runs"])
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
        serving.cancel()


asyncio.run(main())
