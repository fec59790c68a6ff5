"""Whether many runs at once meet a provider's rate limit, and how much of it they use.

    python -m benchmarks.throughput [--runs N] [--requests N] [--window S] [--bucket] [--json]

Starts runs at once on the real server with real workers and the Claude reasoner. The model is a
stand-in over real HTTP that enforces a number of requests in a window, answers at once with a model
that copies sentences, and says in its headers what is left, as the real API does. The window is
short so that it does not take long: 50 requests in 5 s are 600 in a minute. Measured without any
guard, with the pacer, and with the pacer behind the queue-wide limit of Temporal.

`used` is the share of what the limit allows that was sent while work was waiting: at the pacer,
or on the server's queue; `overall` is the same from the first call to the last, when runs that come
to their end have little left to ask. A worker has eight calls under way before the first answer
says anything of a limit, so that the pacer may meet eight refusals, and no more. A run is lost
when it ends without a report, and work is lost when a report names a failure.

Prints a table; with --json, one JSON object as the last line. 1 when, with the pacer, anything
is lost, more than eight calls are refused, or less than 90% of the limit is used.
"""

import argparse
import asyncio
import json
import logging
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from temporalio import activity
from temporalio.client import Client, WorkflowFailureError
from temporalio.testing import WorkflowEnvironment

from benchmarks.common import command_line, say
from caveat.adapters.claude.messages.connection import ModelConnection, sdk
from caveat.adapters.claude.messages.dialogue import Dialogue
from caveat.adapters.claude.messages.keys import FixedKey
from caveat.adapters.claude.pacing import PacedCall, Pacer
from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.adapters.claude.roles.role import SONNET
from caveat.adapters.claude.roles.table import Models
from caveat.adapters.extractive.rules import ExtractiveRules
from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.outcome import Outcome
from caveat.ports import Reasoner
from caveat.workers.data import data_converter
from caveat.workers.launching import temporal_binary, tuned_flags
from caveat.workers.wiring import registry_of
from caveat.workers.worker import workers
from standins.messages_api import KEY, stand_in
from standins.ports import Page, World, ports_of
from standins.rate_limit import RateLimit
from standins.scholar import scholar

TOPIC = "alpha beta"
"""Words as the stand-in's model makes its queries of them."""

UNDER_WAY = 8
"""Calls that a worker has under way before the first answer says anything of a limit."""

AIM = 0.90
"""Of what the limit allows."""


class Guard(StrEnum):
    """What stands before the limit."""

    NONE = "none"
    PACER = "pacer"
    BOTH = "pacer and queue"


@dataclass(frozen=True)
class Shape:
    """What is measured.

    Attributes:
        runs: at once.
        requests: that a window allows.
        window_s: seconds.
        is_bucket: whether the limit refills little by little, or at the end of its window.
    """

    runs: int = 20
    requests: int = 50
    window_s: float = 5.0
    is_bucket: bool = False

    @property
    def per_second(self) -> float:
        """What the limit allows."""
        return self.requests / self.window_s


@dataclass(frozen=True)
class Measured:
    """One guard's line of the table.

    Attributes:
        guard: what stood before the limit.
        runs: that were started.
        lost_runs: that ended without a report.
        lost_work: failures that reports name.
        calls: that were let in.
        refused: calls that were answered with 429.
        seconds: from the first call to the last.
        used: share of what the limit allows that was sent while work waited; None without a guard,
            when nothing waits and what is sent is refused.
        overall: the same from the first call to the last.
    """

    guard: Guard
    runs: int
    lost_runs: int
    lost_work: int
    calls: int
    refused: int
    seconds: float
    used: float | None
    overall: float

    @property
    def passed(self) -> bool:
        """Whether the guard kept what it promises."""
        nothing_lost = self.lost_runs == self.lost_work == 0
        return nothing_lost and self.refused <= UNDER_WAY and (self.used or 1.0) >= AIM


@dataclass
class Watched(Pacer):
    """A pacer whose waits are noted.

    Attributes:
        is_open: whether it lets everybody pass at once.
        waits: when each call could have been made, and when it was sent; seconds since 1970.
    """

    is_open: bool = False
    waits: list[tuple[float, float]] = field(default_factory=list)

    @asynccontextmanager
    async def passage(self, model: str, deadline: float) -> AsyncIterator[PacedCall]:
        """Wait as the pacer does; one that was told nothing yet lets everybody pass."""
        scheduled = activity.info().current_attempt_scheduled_time.timestamp()
        enter = Pacer().passage if self.is_open else super().passage
        async with enter(model, deadline) as passage:
            self.waits.append((scheduled, time.time()))
            yield passage


def main() -> int:
    """Measure every guard; 1 when one of them does not keep what it promises."""
    options = arguments()
    # Refused calls are the point here, and would fill the screen.
    logging.getLogger("temporalio.activity").setLevel(logging.CRITICAL)
    shape = Shape(options.runs, options.requests, options.window, options.bucket)
    measured = asyncio.run(measured_on_a_server(shape, list(Guard)))
    print(table(shape, measured))
    if options.json:
        lines = [asdict(each) for each in measured]
        print(json.dumps({**asdict(shape), "guards": lines}))
    return 0 if all(each.passed for each in measured if each.guard is not Guard.NONE) else 1


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = command_line(__doc__, json=True)
    parser.add_argument("--runs", type=int, default=20, help="20 unless told")
    parser.add_argument("--requests", type=int, default=50, help="in a window; 50 unless told")
    parser.add_argument("--window", type=float, default=5.0, help="seconds; 5 unless told")
    parser.add_argument(
        "--bucket", action="store_true", help="a limit that refills little by little"
    )
    return parser.parse_args()


async def measured_on_a_server(shape: Shape, guards: Sequence[Guard]) -> list[Measured]:
    """Measure on a server whose time is real: rate limits are about nothing else."""
    with tempfile.TemporaryDirectory(prefix="caveat-benchmark-") as scratch:
        async with await WorkflowEnvironment.start_local(
            data_converter=data_converter(FolderBlobs(Path(scratch))),
            dev_server_existing_path=str(temporal_binary()),
            dev_server_log_level="error",
            dev_server_extra_args=list(tuned_flags()),
        ) as environment:
            return [await measure(environment.client, shape, guard) for guard in guards]


async def measure(client: Client, shape: Shape, guard: Guard) -> Measured:
    """Carry out all runs behind one guard."""
    limit = RateLimit({"requests": shape.requests}, shape.window_s, is_bucket=shape.is_bucket)
    pacer = Watched(is_open=guard is Guard.NONE)
    began = time.monotonic()
    async with stand_in(model=scholar, rate_limit=limit) as api, sdk(api.url) as calls:
        connection = ModelConnection(calls, FixedKey(KEY), pacer=pacer)
        reasoner = ClaudeReasoner(Dialogue(connection), ExtractiveRules(), Models.all_of(SONNET))
        per_second = shape.per_second if guard is Guard.BOTH else None
        ended = await carried_out(client, shape.runs, reasoner, f"throughput {guard}", per_second)
    say(f"{guard}: {shape.runs} runs in {time.monotonic() - began:.0f} s")
    reports = [outcome.report for outcome in ended if outcome is not None]
    return Measured(
        guard=guard,
        runs=shape.runs,
        lost_runs=shape.runs - len(reports),
        lost_work=sum(len(report.failures) for report in reports),
        calls=len(limit.let_in),
        refused=limit.refused,
        seconds=round(limit.let_in[-1], 1),
        used=None if guard is Guard.NONE else used(pacer.waits, shape.per_second),
        overall=round(len(limit.let_in) / (shape.per_second * limit.let_in[-1]), 3),
    )


async def carried_out(
    client: Client, runs: int, reasoner: Reasoner, queue: str, per_second: float | None
) -> list[Outcome | None]:
    """Start all runs at once; None for each that ends without a report."""
    registry = registry_of(replace(ports_of(a_world()), reasoner=reasoner))

    async def ending(number: int) -> Outcome | None:
        try:
            outcome: Outcome = await client.execute_workflow(
                "Research",
                {"topic": TOPIC, "depth": "overview"},
                id=f"{queue} {number}",
                task_queue=queue,
                result_type=Outcome,
            )
        except WorkflowFailureError as error:
            say(f"{queue} {number} is lost: {error.cause}")
            return None
        return outcome

    async with workers(client, registry, queue, per_second):
        return await asyncio.gather(*map(ending, range(runs)))


def a_world() -> World:
    """Twelve pages that every query finds."""
    names = tuple(f"page {number}" for number in range(1, 13))
    return World(
        pages=[Page(name, f"Alpha is wide in {name}. Beta holds in {name}.") for name in names],
        angles={},
        answers={TOPIC: names},
        uses_model=True,
    )


def used(waits: Sequence[tuple[float, float]], per_second: float) -> float | None:
    """Say how many calls were sent while work waited, of those that the limit allows."""
    # What is sent within the time between two calls waits for nothing but its turn.
    busy = list(together(wait for wait in sorted(waits) if wait[1] - wait[0] > 1 / per_second))
    seconds = sum(end - begin for begin, end in busy)
    if not seconds:
        return None
    sent = sum(any(begin <= at <= end for begin, end in busy) for _, at in waits)
    return round(sent / (per_second * seconds), 3)


def together(spans: Iterator[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Join spans that overlap; they come in the order in which they begin."""
    current: tuple[float, float] | None = None
    for begin, end in spans:
        if current is not None and begin <= current[1]:
            current = current[0], max(current[1], end)
            continue
        if current is not None:
            yield current
        current = begin, end
    if current is not None:
        yield current


def table(shape: Shape, measured: Sequence[Measured]) -> str:
    """Print for people."""
    kind = "a bucket of" if shape.is_bucket else "a window of"
    head = (
        f"{shape.runs} runs at once, {shape.requests} requests in {kind} {shape.window_s:g} s; the "
        f"aim is {AIM:.0%} of that, at most {UNDER_WAY} refusals, and nothing lost"
    )
    columns = ("lost runs", "lost work", "calls", "refused", "seconds", "used", "overall")
    lines = [head, "", f"{'guard':<20} " + " ".join(f"{each:>9}" for each in columns)]
    for each in measured:
        share = "" if each.used is None else f"{each.used:.0%}"
        lines.append(
            f"{each.guard:<20} {each.lost_runs:>9} {each.lost_work:>9} {each.calls:>9} "
            f"{each.refused:>9} {each.seconds:>9.1f} {share:>9} {each.overall:>9.0%}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
