"""How long one urgent run takes among twenty that are not.

    python -m benchmarks.fairness [--runs 20] [--sources 12]

One worker with two places for model calls of 0.2 s each. Somebody starts twenty runs, and two
seconds later one more is started: by the same person with nothing said of it, by the same person
as critical, and by another person. Beside them stands the same run with the worker to itself.
"""

import asyncio
import sys
import time
from dataclasses import dataclass, replace

from temporalio.client import Client
from temporalio.common import Priority

from benchmarks.common import command_line, load
from benchmarks.overhead import fresh_server
from caveat.contracts.outcome import Outcome
from caveat.workers.wiring import registry_of
from caveat.workers.worker import workers
from standins.ports import Page, World, ports_of

PLACES = 2
CALL_S = 0.2
HEAD_START_S = 2.0
BULK = Priority(priority_key=3, fairness_key="bulk")


@dataclass(frozen=True)
class Way:
    """How the one run is started."""

    name: str
    priority: Priority


WAYS = (
    Way("by the same person", BULK),
    Way("by the same person, critical", Priority(priority_key=1, fairness_key="bulk")),
    Way("by another person", Priority(priority_key=3, fairness_key="other")),
)


def world(sources: int) -> World:
    """Make documents about one thing, each of which states another value."""
    names = [f"page {number}" for number in range(1, sources + 1)]
    text = "Alpha is {0} units wide. " + " ".join(f"w{{0}}x{word}" for word in range(200))
    pages = [Page(name, text.format(at), in_corpus=True) for at, name in enumerate(names, start=1)]
    return World(pages=pages, angles={"Alpha width": ("alpha",)}, answers={"alpha": tuple(names)})


async def taken(client: Client, queue: str, name: str, priority: Priority, sources: int) -> float:
    """Start a run and return the seconds until its report."""
    began = time.monotonic()
    handle = await client.start_workflow(
        "Research",
        {"topic": "alpha", "max_sources": sources},
        id=f"research-{name}",
        task_queue=queue,
        result_type=Outcome,
        priority=priority,
    )
    await handle.result()
    return time.monotonic() - began


async def among(
    client: Client, way: Way | None, runs: int, sources: int
) -> tuple[float, list[float]]:
    """Return what the one run took, and what each of the others did.

    Args:
        client: of the server.
        way: how the one run is started; None for a worker of its own.
        runs: the others.
        sources: of each.
    """
    label = "alone" if way is None else way.name.replace(" ", "-").replace(",", "")
    scripted = world(sources)
    scripted.delays = {"analyse": CALL_S}
    registry = replace(registry_of(ports_of(scripted)), reasoned_at_once=PLACES)
    async with workers(client, registry, f"fairness-{label}"):

        async def one(name: str, priority: Priority) -> float:
            return await taken(client, f"fairness-{label}", f"{label}-{name}", priority, sources)

        if way is None:
            return await one("one", BULK), []
        others = [asyncio.create_task(one(str(number), BULK)) for number in range(runs)]
        await asyncio.sleep(HEAD_START_S)
        urgent = await one("one", way.priority)
        return urgent, await asyncio.gather(*others)


async def run(runs: int, sources: int) -> None:
    """Measure on a server of its own, and print the table."""
    async with fresh_server() as (connection, _):
        alone, _others = await among(connection.client, None, runs, sources)
        print(load())
        print("| the run | took, s | of the others had ended before it |\n|---|---|---|")
        print(f"| alone | {alone:.1f} | |")
        for way in WAYS:
            took, others = await among(connection.client, way, runs, sources)
            before = sum(each <= took + HEAD_START_S for each in others)
            print(f"| {way.name} | {took:.1f} | {before} of {runs} |", flush=True)


def main() -> int:
    """Run the benchmark."""
    parser = command_line(__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--sources", type=int, default=12)
    options = parser.parse_args()
    asyncio.run(run(options.runs, options.sources))
    return 0


if __name__ == "__main__":
    sys.exit(main())
