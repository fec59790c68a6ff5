"""What the coordinator costs: simulated model calls beside plain asyncio and bare Temporal.

    python -m benchmarks.overhead [--sources 10,30,100] [--scale 0.1] [--runs 1]
        [--at-once 64] [--rounds 1] [--json]
        [--ways asyncio,temporal,caveat,langgraph,dbos,restate]

One research DAG: a plan, six searches at once, each source read and analysed the moment that its
search returns, a synthesis, a report. Its model calls take fixed times, which are to one another
roughly what models take; `--scale` shortens all of them, and 0 leaves nothing but the overhead.
Caveat does it with its real workflow, activities, workers, data converter and embedded server, and
what it always does beside (comparing, a debate, an audit, keeping evidence) takes no
simulated time; asyncio makes the calls alone, and bare Temporal one activity a call on the same
server. Each size has a process and a server of its own.

Wall time is held against the critical path: the longest chain of calls. CPU is of the worker's
process, client included, and of the server's; memory is by how much the worker's peak grew. The
worker's CPU by part: the event loop (activities, converting, the client), decisions of workflows,
other threads of Python (files, checking quotes), and the SDK's own core.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from temporalio import activity, workflow
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WorkflowHandle
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from benchmarks.common import command_line, settings
from benchmarks.peering import Peers, install
from caveat.contracts.outcome import Outcome
from caveat.contracts.source import Snapshot, SourceRef
from caveat.ports import Document
from caveat.workers.connection import Connection, connect
from caveat.workers.serving import free_memory
from caveat.workers.wiring import Ports, build_registry
from caveat.workers.worker import MANY, serve_runs
from tests.fakes.ports import FakeLibrary, Page, World, ports_of

ANGLES = 6

# Seconds of each call at full scale.
REAL_S = {"plan": 8, "search": 4, "read": 1, "analyse": 12, "synthesise": 30, "verify": 25}

SENTENCES = 30  # of a page, six of which are about its angle: as many as an exhaustive run keeps


@dataclass(frozen=True)
class Shape:
    """What is run."""

    sources: int = 30  # in the whole run
    scale: float = 0.1  # share of the full latencies
    runs: int = 1  # at once
    # model calls that asyncio and Caveat make at the same time, of all runs together; where that
    # binds, asyncio shows how long the best schedule takes
    at_once: int = MANY

    @property
    def latencies(self) -> dict[str, float]:
        """Seconds of each kind of call."""
        return {kind: seconds * self.scale for kind, seconds in REAL_S.items()}

    @property
    def critical_path_s(self) -> float:
        """Seconds of the longest chain of calls: one of each kind."""
        return sum(self.latencies.values())


@dataclass(frozen=True)
class Measured:
    """What one way of doing it took; None where it has no such thing."""

    way: str  # who did it
    sources: int  # that were read and analysed in each run
    runs: int  # at once
    wall_s: float  # seconds until the last run had ended
    ratio: float | None  # of that to the critical path
    worker_cpu_s: float  # CPU seconds of the worker and client
    worker_parts: str | None = None  # of that, the parts
    server_cpu_s: float | None = None  # CPU seconds of the server
    memory_mb: float | None = None  # by which the worker's peak grew
    server_mb: float | None = None  # that the server's process has then
    activities: int | None = None  # a run
    events: int | None = None  # of a run's history
    history_kb: int | None = None  # size of that as the server counts it
    workflow_tasks: int | None = None  # a run


class Simulated(World):
    """A library of pages of which each is about one angle, found by their names at once."""

    @cached_property
    def by_name(self) -> dict[str, Page]:
        return {page.name: page for page in self.pages}

    def page(self, name: str) -> Page:
        return self.by_name[name]


@dataclass(frozen=True)
class SimulatedLibrary(FakeLibrary):
    """Reads without looking through all pages."""

    async def read(self, source: SourceRef) -> Document:
        await self.world.work("read", source.title)
        return Document(source=source, snapshot=Snapshot(text=self.world.page(source.title).text))


def simulated(shape: Shape) -> Ports:
    """Put a world of so many sources behind every port."""
    chance = random.Random(7)
    titles = [f"Angle{number} of the matter" for number in range(1, ANGLES + 1)]
    names: dict[str, list[str]] = {title: [] for title in titles}
    pages = []
    for number in range(shape.sources):
        title = titles[number % ANGLES]
        names[title].append(f"page {number}")
        text = _text(title.split()[0].casefold(), chance)
        pages.append(Page(f"page {number}", text, in_corpus=True))
    world = Simulated(
        pages=pages,
        angles={title: (f"query {title}",) for title in titles},
        answers={f"query {title}": tuple(found) for title, found in names.items()},
        delays=shape.latencies,
        uses_model=True,
    )
    return replace(ports_of(world), library=SimulatedLibrary(world), reasoned_at_once=shape.at_once)


def _text(word: str, chance: random.Random) -> str:
    def sentence(number: int) -> str:
        about = word if number % (SENTENCES // 6) == 0 else "it"
        words = " ".join(f"w{chance.randrange(50_000)}" for _ in range(14))
        return f"{about.capitalize()} {words}"

    return ". ".join(sentence(number) for number in range(SENTENCES)) + "."


async def by_asyncio(shape: Shape) -> Measured:
    """Do the calls and nothing else."""
    places = asyncio.Semaphore(shape.at_once)

    async def call(kind: str) -> None:
        if kind in {"search", "read"}:
            await asyncio.sleep(shape.latencies[kind])
            return
        async with places:
            await asyncio.sleep(shape.latencies[kind])

    async def one() -> None:
        await dag(shape.sources, call)

    return await _timed("asyncio", shape, lambda: _gathered(one, shape.runs))


async def dag(sources: int, call: Callable[[str], Awaitable[object]]) -> None:
    """Make every call as soon as what it needs is there."""

    async def study() -> None:
        await call("read")
        await call("analyse")

    async def angle(number: int) -> None:
        await call("search")
        await asyncio.gather(*(study() for _ in range(number, sources, ANGLES)))

    await call("plan")
    await asyncio.gather(*(angle(number) for number in range(ANGLES)))
    await call("synthesise")
    await call("verify")


@activity.defn
async def simulated_call(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "s-" + "0" * 64


@workflow.defn
class Bare:
    """The DAG on Temporal, with nothing that research needs beside it."""

    @workflow.run
    async def run(self, sources: int, latencies: dict[str, float]) -> None:

        async def call(kind: str) -> None:
            await workflow.execute_activity(
                simulated_call, latencies[kind], start_to_close_timeout=timedelta(minutes=5)
            )

        await dag(sources, call)


async def by_bare_temporal(shape: Shape, client: Client, server: Sequence[int]) -> list[Measured]:
    """Do it on the same server with one activity a call, and once more."""
    served = Worker(
        client,
        task_queue="bare",
        workflows=[Bare],
        activities=[simulated_call],
        workflow_runner=UnsandboxedWorkflowRunner(),
        max_concurrent_activities=2_000,
    )
    handles: list[WorkflowHandle[Bare, None]] = []

    async def one() -> None:
        handle = await client.start_workflow(
            Bare.run,
            args=[shape.sources, shape.latencies],
            id=f"bare-{len(handles)}-{time.monotonic_ns()}",
            task_queue="bare",
        )
        handles.append(handle)
        await handle.result()

    async with served:
        return [
            await counted(
                await _timed(way, shape, lambda: _gathered(one, shape.runs), server), handles[-1]
            )
            for way in _times("bare Temporal", shape)
        ]


async def by_caveat(shape: Shape, client: Client, server: Sequence[int]) -> list[Measured]:
    """Do it with the product, and once more."""
    request = {"topic": "the matter", "depth": "exhaustive", "max_sources": max(1, shape.sources)}
    handles: list[WorkflowHandle[object, Outcome]] = []
    ports = simulated(shape)

    async def one() -> None:
        handle: WorkflowHandle[object, Outcome] = await client.start_workflow(
            "Research",
            request,
            id=f"research-overhead-{len(handles)}-{time.monotonic_ns()}",
            task_queue="overhead",
            result_type=Outcome,
        )
        handles.append(handle)
        report = (await handle.result()).report
        read = len([each for each in report.sources if each.snapshot_sha256])
        if read != shape.sources or report.failures:
            raise SystemExit(f"{read} sources of {shape.sources} were read: {report.failures[:3]}")

    async with serve_runs(client, build_registry(ports), "overhead"):
        return [
            await counted(
                await _timed(way, shape, lambda: _gathered(one, shape.runs), server), handles[-1]
            )
            for way in _times("Caveat", shape)
        ]


def _times(way: str, shape: Shape) -> tuple[str, ...]:
    """Name the first time, in which a process compiles what it needs, and another after it."""
    return (way, f"{way} again") if shape.sources < 300 else (way,)


async def _gathered(one: Callable[[], Awaitable[None]], runs: int) -> None:
    await asyncio.gather(*(one() for _ in range(runs)))


async def _timed(
    way: str, shape: Shape, work: Callable[[], Awaitable[None]], server: Sequence[int] = ()
) -> Measured:
    before, cpu, of_server = _resident_mb("VmRSS"), time.process_time(), _cpu_s(server)
    parts = _cpu_by_part()
    _forget_peak()
    began = time.monotonic()
    await work()
    wall = time.monotonic() - began
    return Measured(
        way=way,
        sources=shape.sources,
        runs=shape.runs,
        wall_s=round(wall, 2),
        ratio=round(wall / shape.critical_path_s, 3) if shape.scale else None,
        worker_cpu_s=round(time.process_time() - cpu, 2),
        worker_parts=" ".join(
            f"{part}={seconds - parts[part]:.2f}" for part, seconds in _cpu_by_part().items()
        ),
        server_cpu_s=round(_cpu_s(server) - of_server, 2) if server else None,
        memory_mb=round(_resident_mb("VmHWM") - before, 1),
        server_mb=round(sum(_resident_mb("VmRSS", pid) for pid in server)) if server else None,
    )


async def counted(measured: Measured, handle: WorkflowHandle[Any, Any]) -> Measured:
    """Add what a run left on the server."""
    described = await handle.describe()
    kinds = [event.event_type async for event in handle.fetch_history_events()]
    info = described.raw_description.workflow_execution_info
    return replace(
        measured,
        activities=kinds.count(EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED),
        events=len(kinds),
        history_kb=info.history_size_bytes // 1024,
        workflow_tasks=kinds.count(EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED),
    )


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _resident_mb(which: str, process: int | str = "self") -> float:
    for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
        if line.startswith(which):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"this system does not tell {which}")


def _cpu_s(pids: Iterable[int | str]) -> float:
    def ticks(pid: int | str) -> int:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
        return int(stat[11]) + int(stat[12])

    return sum(map(ticks, pids)) / os.sysconf("SC_CLK_TCK")


def _cpu_by_part() -> dict[str, float]:
    """CPU seconds of this process by what its threads do."""
    named = {str(each.native_id): each.name for each in threading.enumerate()}
    threads: dict[str, list[str]] = {"loop": [], "workflows": [], "files": [], "core": []}
    for task in sorted(each.name for each in Path("/proc/self/task").iterdir()):
        match named.get(task):
            case "MainThread":
                part = "loop"
            case None:
                part = "core"
            case name:
                part = "workflows" if name.startswith("temporal_workflow") else "files"
        threads[part].append(f"self/task/{task}")
    return {part: _cpu_s(each) for part, each in threads.items()}


def _server_of(database: Path) -> list[int]:
    """Find the server's program by the database that it was started with."""

    def words(process: Path) -> list[str]:
        try:
            return (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            return []

    running = (each for each in Path("/proc").iterdir() if each.name.isdigit())
    return [
        int(each.name)
        for each in running
        if str(database) in (said := words(each)) and "server" in said
    ]


@asynccontextmanager
async def fresh_server() -> AsyncIterator[tuple[Connection, list[int]]]:
    """Start the embedded server on an empty state folder, and find its process."""
    with tempfile.TemporaryDirectory(prefix="caveat-overhead-") as scratch:
        given = settings(Path(scratch))
        async with connect(given) as connection, free_memory():
            yield connection, _server_of(given.server_database)


async def by_peer(name: str, shape: Shape, peers: Peers) -> Measured:
    """Do it with a peer, in a process and an environment of its own."""
    given = {"sources": shape.sources, "runs": shape.runs, "latencies": shape.latencies}
    with tempfile.TemporaryDirectory(prefix="caveat-peer-") as scratch:
        took = await peers.run(name, given, Path(scratch))
    return Measured(
        way=name,
        sources=shape.sources,
        runs=shape.runs,
        wall_s=round(took["wall_s"], 2),
        ratio=round(took["wall_s"] / shape.critical_path_s, 3) if shape.scale else None,
        worker_cpu_s=round(took["worker_cpu_s"], 2),
    )


async def measured_here(shape: Shape, ways: Sequence[str]) -> list[Measured]:
    """Measure one size in this process, on a server of its own."""
    done = [await by_asyncio(shape)] if "asyncio" in ways else []
    if not {"temporal", "caveat"} & set(ways):
        return done
    async with fresh_server() as (connection, server):
        if "temporal" in ways:
            done += await by_bare_temporal(shape, connection.client, server)
        if "caveat" in ways:
            done += await by_caveat(shape, connection.client, server)
    return done


async def measured_apart(shape: Shape, ways: str) -> list[Measured]:
    """Measure one size in a process of its own, so that each begins with the same memory."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.overhead", "--here", "--ways", ways),
        *("--sources", str(shape.sources), "--scale", str(shape.scale), "--runs", str(shape.runs)),
        *("--at-once", str(shape.at_once)),
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    if process.returncode:
        raise SystemExit(f"{shape.sources} sources did not end well")
    return [Measured(**each) for each in json.loads(said.splitlines()[-1])]


def table(measured: Sequence[Measured]) -> str:
    columns = list(asdict(measured[0]))
    rows = [columns] + [
        ["–" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
         for value in asdict(each).values()]
        for each in measured
    ]  # fmt: skip
    widths = [max(len(row[at]) for row in rows) for at in range(len(columns))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


async def main() -> int:
    """Measure every size, one after the other."""
    options = arguments()
    shapes = [
        Shape(int(size), options.scale, options.runs, options.at_once)
        for size in options.sources.split(",")
    ]
    if options.here:
        ways = options.ways.split(",")
        found = [each for shape in shapes for each in await measured_here(shape, ways)]
        print(json.dumps([asdict(each) for each in found]))
        return 0
    measured: list[Measured] = []
    with tempfile.TemporaryDirectory(prefix="caveat-peers-") as folder:
        peers = install(Path(folder), options.ways.split(","))
        for shape in shapes:
            for turn in range(options.rounds):
                print(f"{shape.sources} sources, {turn + 1} ...", file=sys.stderr, flush=True)
                measured += await measured_apart(shape, options.ways)
                measured += [await by_peer(each, shape, peers) for each in peers.names]
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"Load of the machine now: {load}; the largest of this process: "
          f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MB.")  # fmt: skip
    print(table(measured))
    if options.json:
        print(json.dumps([asdict(each) for each in measured]))
    return 0


WAYS = "whom to measure; langgraph, dbos and restate are installed for it in a temporary folder"


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = command_line(__doc__)
    parser.add_argument("--sources", default="10,30,100", help="sizes, with commas")
    parser.add_argument("--scale", type=float, default=0.1, help="of the full latencies")
    parser.add_argument("--runs", type=int, default=1, help="at once")
    parser.add_argument("--at-once", type=int, default=MANY, help="model calls, of all runs")
    parser.add_argument("--ways", default="asyncio,temporal,caveat", help=WAYS)
    parser.add_argument("--rounds", type=int, default=1, help="of each size, for the spread")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
