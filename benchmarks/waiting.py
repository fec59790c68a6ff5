"""What runs cost that wait for people: to start, to hold, and to rule on.

    python -m benchmarks.waiting [--runs 200] [--sources 12]

Starts so many runs of scripted ports that end in one contradiction each, on an embedded server of
its own, waits until all wait for a person, then rules on all of them at once. Memory is by how much
the worker's process grew for each run that waits; its CPU is what it takes in ten seconds in which
nobody does anything.
"""

import asyncio
import os
import sys
import time
from pathlib import Path

from temporalio.client import Client, WorkflowHandle
from temporalio.service import RPCError

from benchmarks.common import command_line, load
from benchmarks.fairness import world
from benchmarks.overhead import fresh_server
from caveat.contracts.contradiction import ContradictionKind, Disagreement, Side
from caveat.contracts.outcome import Outcome
from caveat.contracts.tasks import DetectionTask
from caveat.workers.wiring import registry_of
from caveat.workers.worker import workers
from standins.ports import ports_of

ANSWER = {"ruling": "both", "reason": "They differ in scope.", "decided_by": "Ada"}

STILL_S = 10.0
QUEUE = "waiting"
AT_ONCE = 20
"""Starts and rulings that are under way at once, as twenty people would."""


def disagree(task: DetectionTask) -> tuple[Disagreement, ...]:
    """Report two pages that disagree."""
    one, other = task.claims[0], task.claims[1]
    about = "Width: 1 unit in one, 2 units in the other."
    kind = ContradictionKind.NUMERIC
    return (Disagreement(kind=kind, sides=(Side(claim=one.id), Side(claim=other.id)), about=about),)


def resident_mb() -> float:
    """Return what of this process lies in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


async def measure(client: Client, runs: int, sources: int) -> None:
    """Start, hold and rule."""
    places = asyncio.Semaphore(AT_ONCE)

    async def start(number: int) -> WorkflowHandle[object, Outcome]:
        async with places:
            handle: WorkflowHandle[object, Outcome] = await client.start_workflow(
                "Research",
                {"topic": "alpha", "max_sources": sources},
                id=f"research-waiting-{number}",
                task_queue=QUEUE,
                result_type=Outcome,
            )
            await _asked(client, f"{handle.id}/contradiction-1")
            return handle

    async def rule(handle: WorkflowHandle[object, Outcome]) -> None:
        async with places:
            arbitration = client.get_workflow_handle(f"{handle.id}/contradiction-1")
            await arbitration.execute_update("rule", ANSWER)

    before, began = resident_mb(), time.monotonic()
    handles = await asyncio.gather(*map(start, range(runs)))
    started, grew = time.monotonic() - began, resident_mb() - before
    cpu = time.process_time()
    await asyncio.sleep(STILL_S)
    still = time.process_time() - cpu
    began = time.monotonic()
    await asyncio.gather(*map(rule, handles))
    await asyncio.gather(*(handle.result() for handle in handles))
    ruled = time.monotonic() - began
    print(load())
    print(f"{runs} runs: started in {started:.1f} s, {grew / runs:.2f} MB each ({grew:.0f} MB)")
    print(f"CPU while they wait: {still / STILL_S:.1%} of one core")
    print(f"ruled on, and reported: {ruled:.1f} s")


async def _asked(client: Client, name: str) -> None:
    while True:
        try:
            await client.get_workflow_handle(name).describe()
        except RPCError:
            await asyncio.sleep(0.2)
        else:
            return


async def run(runs: int, sources: int) -> None:
    """Measure on a server of its own."""
    scripted = world(sources)
    scripted.disagreements = disagree
    registry = registry_of(ports_of(scripted))
    async with fresh_server() as (connection, _), workers(connection.client, registry, QUEUE):
        await measure(connection.client, runs, sources)


def main() -> int:
    """Run the benchmark."""
    parser = command_line(__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--sources", type=int, default=12)
    options = parser.parse_args()
    asyncio.run(run(options.runs, options.sources))
    return 0


if __name__ == "__main__":
    sys.exit(main())
