"""Whether what subagents do wrong can block a run, and whether confidence follows from its ledger.

    python -m benchmarks.quorum [--runs N] [--seed N] [--json]

Puts runs through the real coordinator on the real server with skipped time. In each, a random
subset of the assignments fails in random ways: every failure type and an exception that nobody
foresaw, while searching, reading or analysing, all of it or some, for good or for some attempts.
In some runs planning, synthesis, publication, memory or notices fail too, an assignment is
critical, or the team is `investment`. A run is blocked when it has not ended after a minute, when
a workflow task of it failed, or when its end has no name. The confidence of each report is worked
out again here, step by step, from the ledger in its JSON.

Prints a table; with --json, one JSON object as the last line. 1 when a run is blocked or a
confidence is more than 0.001 off.
"""

import asyncio
import json
import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.exceptions import ApplicationError

from benchmarks.common import command_line, say
from benchmarks.server import environment, serving
from caveat.contracts.envelope import CATEGORIES, Failure, FailureType
from caveat.contracts.outcome import Ending, Outcome
from caveat.contracts.plan import BrokenDocument
from caveat.failures import PortFailure, invalid
from caveat.teams.team import TeamCatalogue, build_assignments
from caveat.workers.wiring import Ports
from tests.fakes.ports import Page, World, ports_of

TOPIC = "Acme"
ANGLES = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta")
SOURCES = 4  # sources an assignment: as many as spare it a follow-up search

WHOLE_RUN = (
    *("take_stock", "plan", "reformulate", "synthesise"),
    *("publish", "keep_evidence", "notify"),
)
"""Steps that are not part of an assignment."""

BOUND_S = 180.0
"""Seconds of wall time after which a run counts as blocked: it takes about one, and where the test
server forgets to skip a run's time, its retries take theirs."""

TOLERANCE = 0.001  # what the four decimals of a ledger may differ by
FOR_GOOD = 1_000
AT_ONCE = 6  # runs at once: enough to keep two cores busy while some wait for the server


@dataclass
class Trial:
    """One run: its world, and how often each piece of work fails before it works."""

    world: World  # everything behind its ports
    request: dict[str, Any]  # what is asked
    sources: dict[str, list[str]]  # names of the sources, by assignment id
    queries: dict[str, tuple[str, ...]]  # queries, by assignment id
    # failures, or None for what nobody foresaw, and attempts that meet them; by a step, or by a
    # step and its input
    faults: dict[str, tuple[Failure | None, int]] = field(default_factory=dict)

    def fail(self, step: str, given: str) -> None:
        """Raise what this piece of work meets at this attempt, if anything."""
        for key in (step, f"{step} {given}"):
            failure, times = self.faults.get(key, (None, 0))
            if self.world.calls[key] <= times:
                if failure is None:
                    raise RuntimeError(key)
                raise PortFailure(failure)

    def is_done(self, key: str) -> bool:
        """Whether a piece of work was done in the end."""
        broken_off = key.removeprefix("analyse ") in self.world.partial
        resumed = key.removeprefix("analyse ") in self.world.resumed
        worked = self.world.calls[key] > self.faults.get(key, (None, 0))[1]
        return worked and (resumed or not broken_off)


@dataclass(frozen=True)
class Measured:
    """The whole benchmark; the error is that of the ledger."""

    runs: int
    blocked: int
    reported: int
    ended_by_name: int
    max_confidence_error: float


@dataclass(frozen=True)
class Ended:
    """How one run ended: its report, its name, or why it counts as blocked."""

    report: dict[str, Any] | None = None
    name: str | None = None
    blocked: str | None = None


def main() -> int:
    """Run the benchmark; 1 when a run is blocked or a confidence is off."""
    parser = command_line(__doc__)
    parser.add_argument("--runs", type=int, default=100, help="100 unless told")
    parser.add_argument("--seed", type=int, default=1, help="decides what fails")
    options = parser.parse_args()
    # What fails on purpose would fill the screen.
    logging.getLogger("temporalio.activity").setLevel(logging.CRITICAL)
    logging.getLogger("caveat.activities").setLevel(logging.CRITICAL)
    measured, names = asyncio.run(on_a_server(trials(options.runs, options.seed)))
    print(table(measured, names))
    if options.json:
        print(json.dumps(asdict(measured)))
    return 0 if kept(measured) else 1


def kept(measured: Measured) -> bool:
    """Whether nothing blocked and every confidence is as documented."""
    return measured.blocked == 0 and measured.max_confidence_error <= TOLERANCE


async def on_a_server(given: Sequence[Trial]) -> tuple[Measured, Counter[str]]:
    async with environment() as started:
        return await measure(started.client, given)


async def measure(client: Client, given: Sequence[Trial]) -> tuple[Measured, Counter[str]]:
    """Put every trial through the coordinator; also count the names of the ends."""
    began = time.monotonic()
    casts: dict[str, Ports] = {}
    room = asyncio.Semaphore(AT_ONCE)
    async with serving(client, casts) as queue:

        async def perform(number: int, trial: Trial) -> Ended:
            run_id = f"{queue}-{number}"
            casts[run_id] = ports_of(trial.world)
            async with room:
                return await ended(client, run_id, queue, trial)

        ends = await asyncio.gather(*(perform(*each) for each in enumerate(given)))
    say(f"{len(given)} runs in {time.monotonic() - began:.0f} s")
    for end in ends:
        if end.blocked is not None:
            say(end.blocked)
    errors = [error(end.report) for end in ends if end.report]
    measured = Measured(
        runs=len(given),
        blocked=sum(end.blocked is not None for end in ends),
        reported=sum(end.report is not None for end in ends),
        ended_by_name=sum(end.name is not None for end in ends),
        max_confidence_error=round(max(errors, default=0.0), 4),
    )
    return measured, Counter(end.name for end in ends if end.name is not None)


async def ended(client: Client, run_id: str, queue: str, trial: Trial) -> Ended:
    """Carry out one run, and see whether its workflow tasks were whole."""
    handle = await client.start_workflow(
        "Research", trial.request, id=run_id, task_queue=queue, result_type=Outcome
    )
    return await settled(handle)


async def settled(handle: WorkflowHandle[Any, Outcome]) -> Ended:
    run_id = handle.id
    try:
        outcome = await asyncio.wait_for(handle.result(), BOUND_S)
        end = Ended(report=outcome.report.model_dump(mode="json"))
    except TimeoutError:
        await handle.terminate()
        return Ended(blocked=f"{run_id} had not ended after {BOUND_S:.0f} s.")
    except WorkflowFailureError as failed:
        end = named(run_id, failed)
    problems = (await handle.describe()).search_attributes.get("TemporalReportedProblems")
    return Ended(blocked=f"{run_id}: {problems}") if problems else end


def named(run_id: str, failed: WorkflowFailureError) -> Ended:
    cause = failed.cause
    name = cause.type.split(":")[0] if isinstance(cause, ApplicationError) and cause.type else ""
    if name in set(Ending):
        return Ended(name=name)
    return Ended(blocked=f"{run_id} ended without a name: {cause}.")


def error(report: dict[str, Any]) -> float:
    """Say how far a report's confidence is from what its own ledger comes to."""
    value = 0.0
    for step in report["confidence"]["ledger"]:
        amount = float(step["amount"])
        match step["operation"]:
            case "set":
                value = amount
            case "subtract":
                value = max(0.0, value - amount)
            case "multiply":
                value *= amount
            case "limit":
                value = min(value, amount)
    return abs(float(report["confidence"]["value"]) - value)


def trials(runs: int, seed: int) -> list[Trial]:
    """Draw what fails; the same seed draws the same."""
    # Not a secret, but a choice that can be repeated.
    chance = random.Random(seed)
    return [_trial(chance) for _ in range(runs)]


def _trial(chance: random.Random) -> Trial:
    team = chance.choice(("general", "general", "investment"))
    if team == "investment":
        plan = {
            each.title: each.queries
            for each in build_assignments(TeamCatalogue().read_team(team), TOPIC)
        }
    else:
        angles = ANGLES[: chance.randint(3, 6)]
        plan = {f"{angle} widths": (angle.casefold(),) for angle in angles}
    trial = _whole(plan, team, chance)
    risk = chance.uniform(0, 0.9)
    for assignment in trial.sources:
        if chance.random() < risk:
            _fail_assignment(trial, assignment, chance)
    for step in WHOLE_RUN:
        if chance.random() < 0.05:
            trial.faults[step] = _fault(chance)
    trial.world.faults = trial.fail
    return trial


def _whole(plan: dict[str, tuple[str, ...]], team: str, chance: random.Random) -> Trial:
    """Make a run in which nothing fails yet but broken documents."""
    sources = {
        f"a{number}": [f"{title.split()[0]} source {each}" for each in range(SOURCES)]
        for number, title in enumerate(plan, start=1)
    }
    answers: dict[str, tuple[str, ...]] = {}
    for names, queries in zip(sources.values(), plan.values(), strict=True):
        for number, query in enumerate(queries):
            answers[query] = tuple(names[number :: len(queries)])
    world = World(
        pages=[Page(name, _text(name)) for names in sources.values() for name in names],
        angles=plan,
        answers=answers,
        broken=tuple(_broken(number) for number in range(chance.choice((0, 0, 0, 1, 3)))),
        critical={title for title in plan if team == "general" and chance.random() < 0.05},
    )
    request = {"topic": TOPIC, "team": team, "depth": "overview"}
    return Trial(world, request, sources, dict(zip(sources, plan.values(), strict=True)))


def _fail_assignment(trial: Trial, assignment: str, chance: random.Random) -> None:
    """Let all or some of one step of an assignment fail in one way."""
    names = trial.sources[assignment]
    keys = {
        "search": [f"search {query}" for query in trial.queries[assignment]],
        "read": [f"read {name}" for name in names],
        "analyse": [f"analyse {assignment} {name}" for name in names],
    }[chance.choice(("search", "read", "analyse"))]
    fault = _fault(chance)
    for key in chance.sample(keys, chance.randint(1, len(keys))):
        if key.startswith("analyse") and chance.random() < 0.2:
            trial.world.partial[key.removeprefix("analyse ")] = chance.uniform(0.1, 0.9)
        else:
            trial.faults[key] = fault


def _fault(chance: random.Random) -> tuple[Failure | None, int]:
    times = chance.choice((1, 2, 4, 5, FOR_GOOD, FOR_GOOD))
    kind = chance.choice((None, *FailureType))
    if kind is None:
        return None, times
    limited = kind is FailureType.RATE_LIMITED and chance.random() < 0.5
    failure = Failure(
        category=chance.choice(sorted(CATEGORIES[kind])),
        failure_type=kind,
        message=f"It fails: {kind}.",
        retry_recommended=chance.random() < 0.5,
        retry_after_s=chance.uniform(1, 60) if limited else None,
        provider=chance.choice((None, "acme")),
    )
    return failure, times


def _text(name: str) -> str:
    """Write a text that is no copy of another and makes one claim, with a figure in it."""
    filler = " ".join(f"{''.join(name.split())}w{word}" for word in range(40))
    return f"{name} tells of revenue of $5 million. The rest is about {filler}"


def _broken(number: int) -> BrokenDocument:
    path = f"broken-{number}.pdf"
    return BrokenDocument(path=path, failure=invalid("It is no PDF.", resource=path).failure)


def table(measured: Measured, names: Counter[str]) -> str:
    lines = [
        f"{'runs':<32} {measured.runs:>6}",
        f"{'blocked':<32} {measured.blocked:>6}",
        f"{'ended in a report':<32} {measured.reported:>6}",
        f"{'ended by name':<32} {measured.ended_by_name:>6}",
        *(f"  {name:<30} {count:>6}" for name, count in names.most_common()),
        f"{'largest error of confidence':<32} {measured.max_confidence_error:>6.2%}",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
