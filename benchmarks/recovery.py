"""How much of what subagents fail at is done in the end, by how much of a failure they report.

    python -m benchmarks.recovery [--failures N] [--mix FILE] [--seed N] [--json]

Deals the failures of benchmarks/recovery_mix.toml (or of FILE) into runs of realistic size and puts
each run through the real coordinator six times, on the real server with skipped time: in each
configuration the subagents report one thing more of the same failures. Only the ports know the
truth; they leave out what a configuration does not report, and the coordinator is the same always.

A failing piece of work (a search, a reading, an analysis) counts as recovered when its work was
done in the end: the same input worked at a later attempt or with new credentials, the rest that a
partial result had left was done, another input delivered, or another source was read and analysed
in place of one that could not be read or analysed. The ports measure this, and every report (or
named end) is held against it: what was tried and never done must be listed in it as not recovered,
and what it calls recovered must have been done. A wasted attempt is one that no time could have
made work (the same dead input, a text too long for one call from its beginning, a key that nobody
renewed, a useless alternative), the first to meet a cause excepted, because it has to find out.

Prints a table; with --json, one JSON object as the last line. docs/recovery.md says more.
"""

import argparse
import asyncio
import json
import logging
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError

from benchmarks.common import command_line, say
from benchmarks.mix import Mix, Script, deal, read_mix
from benchmarks.server import environment, serving
from benchmarks.staging import Stage, staged
from benchmarks.truth import Configuration, Means, Piece, ladder
from caveat.contracts.outcome import NamedEnd, Outcome
from caveat.contracts.report import ReportedFailure
from caveat.workers.wiring import Ports

MIX = Path(__file__).with_name("recovery_mix.toml")

AIM = 0.74  # share that systems with structured failures are reported to recover; 0.18 without
AT_ONCE = 6  # runs at once: enough to keep two cores busy while some wait for the server

BOUND_S = 120.0
"""Seconds of wall time after which a run that has not ended ends the benchmark: one takes about
six, beside five others."""


@dataclass(frozen=True)
class Measured:
    """One configuration."""

    name: str  # of the configuration
    recovered: float  # share of the failing pieces of work that were done in the end, 0 to 1
    wasted_attempts: int  # attempts that could never work
    model_calls: int  # calls to the reasoner


@dataclass(frozen=True)
class Observed:
    """Beside what is measured: how it was done, runs with a report, and what does not agree."""

    means: dict[Means, int]
    reports: int
    disagreements: list[str]


def main() -> int:
    """Run the benchmark; 1 when a report and the truth disagree, 2 for a mix that is none."""
    options = arguments()
    try:
        mix = read_mix(options.mix)
    except (OSError, ValueError) as error:
        say(f"{options.mix} is no mix: {error}")
        return 2
    # What fails on purpose would fill the screen.
    logging.getLogger("temporalio.activity").setLevel(logging.CRITICAL)
    scripts = deal(mix, options.failures, options.seed)
    results = asyncio.run(on_a_server(mix, scripts))
    print(table(results, len(scripts), options.failures))
    for _, observed in results:
        for disagreement in observed.disagreements:
            say(disagreement)
    if options.json:
        measured = [asdict(each) for each, _ in results]
        print(json.dumps({"failures": options.failures, "configurations": measured}))
    return 1 if any(observed.disagreements for _, observed in results) else 0


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = command_line(__doc__)
    parser.add_argument("--failures", type=int, default=500, help="500 unless told")
    parser.add_argument("--mix", type=Path, default=MIX, help="a TOML file like the default one")
    parser.add_argument("--seed", type=int, default=1, help="deals the failures into runs")
    return parser.parse_args()


async def on_a_server(mix: Mix, scripts: list[Script]) -> list[tuple[Measured, Observed]]:
    """Measure every configuration on a server of its own."""
    async with environment() as started:
        return [await measure(started.client, mix, scripts, each) for each in ladder()]


async def measure(
    client: Client, mix: Mix, scripts: list[Script], configuration: Configuration
) -> tuple[Measured, Observed]:
    """Put every run through the coordinator in one configuration."""
    began = time.monotonic()
    casts: dict[str, Ports] = {}
    room = asyncio.Semaphore(AT_ONCE)
    async with serving(client, casts) as queue:

        async def perform(number: int, script: Script) -> tuple[Stage, RunEnd]:
            run_id = f"{queue}-{number}"
            stage, casts[run_id] = staged(mix, script, configuration)
            async with room:
                return stage, await ending(client, run_id, queue)

        played = await asyncio.gather(*(perform(*each) for each in enumerate(scripts)))
    say(f"{configuration.name}: {len(scripts)} runs in {time.monotonic() - began:.0f} s")
    return summed(configuration, played)


@dataclass(frozen=True)
class RunEnd:
    """How a run ended: whether with a report, and every failure that it names."""

    reported: bool
    failures: tuple[ReportedFailure, ...]


async def ending(client: Client, run_id: str, queue: str) -> RunEnd:
    try:
        async with asyncio.timeout(BOUND_S):
            outcome = await client.execute_workflow(
                "Research", {"topic": "widths"}, id=run_id, task_queue=queue, result_type=Outcome
            )
    except WorkflowFailureError as error:
        if not isinstance(error.cause, ApplicationError):
            raise
        end = NamedEnd.model_validate(error.cause.details[0])
        return RunEnd(reported=False, failures=end.failures)
    return RunEnd(reported=True, failures=outcome.report.failures)


def summed(
    configuration: Configuration, played: list[tuple[Stage, RunEnd]]
) -> tuple[Measured, Observed]:
    """Add up what the ports saw, and hold what was reported against it."""
    disagreements = [
        f"{configuration.name}: {problem}"
        for stage, ended in played
        for piece in stage.pieces
        for problem in disagreement(piece, ended)
    ]
    for stage, _ in played:
        stage.credit_spares()
    pieces = [piece for stage, _ in played for piece in stage.pieces]
    means = Counter(piece.means for piece in pieces if piece.means is not None)
    measured = Measured(
        name=configuration.name,
        recovered=round(means.total() / len(pieces), 4),
        wasted_attempts=sum(piece.wasted for piece in pieces),
        model_calls=sum(stage.model_calls for stage, _ in played),
    )
    reports = sum(ended.reported for _, ended in played)
    return measured, Observed(dict(means), reports, disagreements)


def disagreement(piece: Piece, ended: RunEnd) -> list[str]:
    """Say where a run and the truth about a piece of work differ, before spares are credited."""
    told = [failed for failed in ended.failures if failed.task_description == piece.description]
    lost = [failed for failed in told if not failed.recovered]
    if piece.means is None and piece.attempts > 0 and not lost:
        return [f"{piece.description} failed for good, and the run does not say so"]
    if piece.means is not None and lost:
        return [f"{piece.description} was done by {piece.means}, and the run calls it failed"]
    return []


def table(results: list[tuple[Measured, Observed]], runs: int, failures: int) -> str:
    columns = " ".join(f"{word:>11}" for word in (*Means, "reports"))
    lines = [
        f"{failures} failing pieces of work in {runs} runs; the aim is more than {AIM:.0%}",
        "",
        f"{'configuration':<23} {'recovered':>9} {'wasted':>7} {'calls':>6} {columns}",
    ]
    lines += [
        f"{measured.name:<23} {measured.recovered:>9.1%} {measured.wasted_attempts:>7} "
        f"{measured.model_calls:>6} "
        + " ".join(f"{observed.means.get(means, 0):>11}" for means in Means)
        + f" {observed.reports:>11}"
        for measured, observed in results
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
