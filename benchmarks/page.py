"""How fast the page answers with much on the server, and what it takes while many watch.

    python -m benchmarks.page [--runs 1000] [--open 200] [--watching 500] [--requests 60] [--json]

`caveat up` runs as a person starts it, with folders and ports of its own. One real run waits for a
person; beside it the server holds finished runs and open arbitrations, started with the same names,
search attributes and memos as real ones. Every page is asked for over a real socket, one request
after the other, and each answer is read to its end; the form of strangers, for which nothing is
asked, shows what the machine and the other work on it add. Then browsers' live connections to the
run that waits are held open, and the memory of `caveat up` is read before, while and after.
"""

import argparse
import asyncio
import datetime as dt
import json
import os
import re
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx2
from temporalio import workflow
from temporalio.client import Client
from temporalio.common import SearchAttributePair, TypedSearchAttributes
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from benchmarks.alone import alone
from benchmarks.common import CORPUS
from benchmarks.common import TOPIC as QUESTION
from caveat.adapters.files.blobs import FolderBlobs
from caveat.workers.data import data_converter
from caveat.workflows.names import CONFIDENCE, OPEN_CONTRADICTIONS, PHASE, TOPIC

QUEUE = "benchmark-page"
AT_ONCE = 20
HELD_S = 20.0
"""Seconds that live connections are held: an event and several looks long."""


@workflow.defn(name="Research")
class FinishedRun:
    """Has ended as soon as it has begun."""

    @workflow.run
    async def run(self) -> None:
        """Return."""


@workflow.defn(name="Arbitration")
class OpenQuestion:
    """Waits."""

    @workflow.run
    async def run(self) -> None:
        """Wait."""
        await workflow.wait_condition(lambda: False)


@dataclass(frozen=True)
class Measured:
    """Milliseconds of one page, and of them those of `caveat up` on a processor, in the mean."""

    page: str
    median: float
    p95: float
    processor: float
    bytes: int


@dataclass(frozen=True)
class Memory:
    """Resident memory of `caveat up`, MB, and how many live connections had an event."""

    before: float
    connected: float
    held: float
    after: float
    live: int


@dataclass
class Up:
    """`caveat up`."""

    process: asyncio.subprocess.Process
    link: str
    port: int

    @property
    def base(self) -> str:
        """Address of the page."""
        return self.link.split("/?")[0]

    def processor(self) -> float:
        """Milliseconds that it has had of a processor."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rsplit(")")[-1]
        user, system = fields.split()[11:13]
        return 1_000 * (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> float:
        """Resident memory, MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


@asynccontextmanager
async def up(folder: Path) -> AsyncIterator[Up]:
    """Start `caveat up` and end it."""
    environment = {
        **{name: value for name, value in os.environ.items() if "TEMPORAL" not in name},
        "TEMPORAL_CONFIG_FILE": str(folder / "none.toml"),
        **alone(folder),
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "caveat.clients.cli.main", "up", "--corpus", str(CORPUS)),
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    assert process.stderr is not None  # noqa: S101  # a pipe was asked for
    link = ""
    while b"Serving" not in (line := await process.stderr.readline()):
        if not line:
            raise SystemExit("caveat up ended")
        link = line.decode().split()[1] if line.startswith(b"Page ") else link
    draining = asyncio.create_task(process.stderr.read())
    try:
        yield Up(process, link, int(environment["CAVEAT_PORT"]))
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()
        await draining


async def fill(client: Client, runs: int, waiting: int) -> None:
    """Put finished runs and open questions on the server."""
    limit = asyncio.Semaphore(AT_ONCE)
    deadline = dt.datetime.now(dt.UTC) + dt.timedelta(hours=6)

    async def finished(number: int) -> None:
        async with limit:
            topic = f"How large is quantity {number} of subject {number % 17}?"
            pairs: list[SearchAttributePair[Any]] = [
                SearchAttributePair(TOPIC, topic),
                SearchAttributePair(PHASE, "done"),
                SearchAttributePair(CONFIDENCE, 0.5),
                SearchAttributePair(OPEN_CONTRADICTIONS, 0),
            ]
            await client.execute_workflow(
                FinishedRun.run,
                id=f"research-quantity-{number:06x}",
                task_queue=QUEUE,
                search_attributes=TypedSearchAttributes(pairs),
            )

    async def opened(number: int) -> None:
        async with limit:
            memo = {
                "topic": f"Subject {number % 17}",
                "about": f"Quantity {number}: 67.4 in one, 73.0 in the other",
                "deadline": (deadline + dt.timedelta(seconds=number)).isoformat(),
            }
            await client.start_workflow(
                OpenQuestion.run,
                id=f"research-quantity-{number:06x}/contradiction-1",
                task_queue=QUEUE,
                memo=memo,
            )

    async with Worker(
        client,
        task_queue=QUEUE,
        workflows=[FinishedRun, OpenQuestion],
        workflow_runner=UnsandboxedWorkflowRunner(),
    ):
        await asyncio.gather(*map(finished, range(runs)))
        await asyncio.gather(*map(opened, range(waiting)))


async def ask(browser: httpx2.AsyncClient) -> str:
    """Ask a question on the page, and wait until it waits for a person; return the run's path."""
    shown = (await browser.get("/ask")).text
    token = re.findall(r'name="form_token" value="([^"]+)"', shown)[-1]
    sent = {"form_token": token, "topic": QUESTION, "depth": "deep", "team": "general"}
    answer = await browser.post(
        "/ask", data=sent, headers={"origin": str(browser.base_url).rstrip("/")}
    )
    path = answer.headers["location"]
    for _ in range(120):
        if "A person is needed" in (await browser.get(path)).text:
            return str(path)
        await asyncio.sleep(1)
    raise SystemExit("the run waits for nobody")


async def measured(
    served: Up, browser: httpx2.AsyncClient, page: str, path: str, requests: int
) -> Measured:
    """Ask for one page again and again."""
    took = []
    size = 0
    before = served.processor()
    for _ in range(requests):
        began = time.perf_counter()
        answer = await browser.get(path)
        took.append(1_000 * (time.perf_counter() - began))
        answer.raise_for_status()
        size = len(answer.content)
    p95 = statistics.quantiles(took, n=20)[-1]
    processor = (served.processor() - before) / requests
    return Measured(
        page, round(statistics.median(took), 1), round(p95, 1), round(processor, 1), size
    )


async def watched(served: Up, cookie: str, path: str, watching: int) -> Memory:
    """Hold live connections open, and read the memory meanwhile."""
    host, port = served.base.removeprefix("http://").split(":")
    request = (
        f"GET {path}/live HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {cookie}\r\n"
        "Accept: text/event-stream\r\n\r\n"
    ).encode()
    before = served.resident()
    pairs = []
    for _ in range(watching):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(request)
        pairs.append((reader, writer))
    got = await asyncio.gather(*(_first(reader) for reader, _ in pairs))
    connected = served.resident()
    await asyncio.sleep(HELD_S)
    held = served.resident()
    for _, writer in pairs:
        writer.close()
    await asyncio.sleep(5)
    return Memory(
        round(before, 1),
        round(connected, 1),
        round(held, 1),
        round(served.resident(), 1),
        live=sum(got),
    )


async def _first(reader: asyncio.StreamReader) -> bool:
    async with asyncio.timeout(60):
        while line := await reader.readline():
            if line.startswith(b"event: progress"):
                return True
    return False


async def main(given: argparse.Namespace) -> None:
    """Measure, and print."""
    with tempfile.TemporaryDirectory(prefix="caveat-page-") as name:
        async with (
            up(Path(name)) as served,
            httpx2.AsyncClient(base_url=served.base, timeout=60) as browser,
        ):
            await browser.get(served.link)
            path = await ask(browser)
            client = await Client.connect(
                f"127.0.0.1:{served.port}",
                data_converter=data_converter(FolderBlobs(Path(name) / "state" / "payloads")),
            )
            await fill(client, given.runs, given.open)
            report = (await browser.get(f"{path}/report")).text
            source = re.findall(r'class="cite[^"]*" href="([^"#]+)', report)[0]
            pages = {
                "sign in, for comparison": "/signin",
                "inbox": "/",
                "inbox, filtered": "/?topic=subject+3",
                "runs": "/runs",
                "runs, searched": "/runs?q=subject+3",
                "run": path,
                "contradiction": f"{path}/contradictions/contradiction-1",
                "report": f"{path}/report",
                "source": source,
                "audit": f"{path}/audit",
                "ask": "/ask",
            }
            found = [
                await measured(served, browser, page, where, given.requests)
                for page, where in pages.items()
            ]
            cookie = "; ".join(f"{each.name}={each.value}" for each in browser.cookies.jar)
            memory = await watched(served, cookie, path, given.watching)
    if given.json:
        print(json.dumps({"pages": [asdict(each) for each in found], "memory": asdict(memory)}))
        return
    for each in found:
        print(
            f"{each.page:24} median {each.median:7.1f} ms  p95 {each.p95:7.1f} ms  "
            f"processor {each.processor:6.1f} ms"
        )
    print(memory)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--open", type=int, default=200)
    parser.add_argument("--watching", type=int, default=500)
    parser.add_argument("--requests", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    asyncio.run(main(parser.parse_args()))
