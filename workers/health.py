"""Health: two addresses at which process managers ask whether a process lives and works.

Answered by the loop that its work runs on, so that one which hangs does not answer.
"""

import datetime as dt
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from temporalio.client import Client
from temporalio.service import RPCError

from caveat.workers.http_server import build_config, choose_family, serve_socket
from caveat.workers.polling import WORKFLOWS, list_pollers
from caveat.workers.settings import SettingsProblem
from caveat.workflows.names import QUEUE

_ANSWER = dt.timedelta(seconds=2)
"""How long the server may take: it needs milliseconds, and who asks waits a few seconds at most."""


@asynccontextmanager
async def serve_health(
    client: Client, address: str | None, *, has_workers: bool = True
) -> AsyncIterator[None]:
    """Answer `GET /livez` and `GET /readyz` while inside, 200 or 503 with the reason in words."""
    if address is None:
        yield
        return

    async def answer(request: Request) -> Response:
        lacks = None
        if request.url.path == "/readyz":
            lacks = await _lacks(client, has_workers=has_workers)
        return PlainTextResponse(f"{lacks or 'ok'}\n", status_code=503 if lacks else 200)

    app = Starlette(routes=[Route("/livez", answer), Route("/readyz", answer)])
    with _bind_socket(address) as listening:
        async with serve_socket(build_config(app), listening):
            yield


async def _lacks(client: Client, *, has_workers: bool) -> str | None:
    """Say what keeps this process from its work; None where nothing does."""
    try:
        pollers = await list_pollers(client, QUEUE, WORKFLOWS, within=_ANSWER)
    except (RPCError, RuntimeError) as error:  # the latter where it was never reached
        reason = error.status.name if isinstance(error, RPCError) else "never reached"
        return f"The Temporal server does not answer ({reason.lower()})."
    if has_workers and all(poller.identity != client.identity for poller in pollers):
        return "The Temporal server has not seen this worker ask for work."
    return None


def _bind_socket(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    try:
        place = (host.strip("[]"), int(port))
        return socket.create_server(place, family=choose_family(host))
    except (OSError, OverflowError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise SettingsProblem(
            f"Health is answered one port above CAVEAT_METRICS, at {address}, where nothing can "
            f"listen ({reason}): set CAVEAT_METRICS to an address of this machine with two free "
            "ports, such as 127.0.0.1:9464."
        ) from None
