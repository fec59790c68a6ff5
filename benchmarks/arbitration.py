"""How contradictions end when people answer as people do: soon, late, or never.

    python -m benchmarks.arbitration [--contradictions N] [--seed N] [--json]

Puts contradictions, ten a run, through the real coordinator and the real arbitrations on the real
server with skipped time. Publishers differ in how often they are right, in what they publish and in
how people ruled on them before; sources are more or less credible and corroborated. What the rules
leave open waits for simulated people:

- how long one takes is drawn from a log-normal distribution, median 45 minutes, sigma 0.9 (a tenth
  take longer than two hours and a half, one in a hundred longer than six hours);
- one in forty does not look before the next morning, one in sixty never;
- they rule by the truth, which one time in seven is `both`, and by the update `rule`, each under a
  name of their own; who comes too late rules all the same, and a revision goes on with it.

A contradiction is lost when its report does not have it in a terminal state, or when an answer that
came in time does not settle it, or one that came late is not in the revision. Time to settle counts
from the moment when people are asked; what the rules settle takes none, and where nobody comes it
is six hours.

Prints a table; with --json, one JSON object as the last line. 1 when anything is lost.
"""

import argparse
import asyncio
import datetime as dt
import json
import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from statistics import quantiles
from typing import Any

from temporalio.client import Client, WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from benchmarks.common import command_line, say
from benchmarks.server import environment, serving
from caveat.contracts.contradiction import (
    Claimant,
    Contradiction,
    ContradictionKind,
    Disagreement,
    RulingRecord,
    SettledBy,
    Side,
)
from caveat.contracts.outcome import Outcome, Progress
from caveat.contracts.phase import Phase
from caveat.contracts.report import Report
from caveat.contracts.source import SourceKind
from caveat.contracts.tasks import DetectionTask
from tests.fakes.ports import Page, World, ports_of

ANGLES = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon")
PER_ANGLE = 2
PER_RUN = PER_ANGLE * len(ANGLES)
LIMIT = dt.timedelta(hours=6)

MEDIAN_H = 0.75
SIGMA = 0.9
NEXT_MORNING = 1 / 40
NEVER = 1 / 60
BOTH = 1 / 7

KINDS = (
    *(SourceKind.PEER_REVIEWED, SourceKind.PEER_REVIEWED, SourceKind.REPORT, SourceKind.REPORT),
    *(SourceKind.PREPRINT, SourceKind.NEWS, SourceKind.UNKNOWN),
)
BACKERS = (0, 0, 0, 0, 1, 2)
"""Sources that say the same as the first, for one side and for the other."""

PUBLISHERS = 12
EARLIER_RULINGS = 8  # rulings on each publisher before the benchmark
AT_ONCE = 4  # runs at once: enough to keep two cores busy while some wait for the server
BOUND_S = 600.0  # seconds of wall time after which a run counts as stuck: it takes about five


@dataclass(frozen=True)
class DrawnContradiction:
    """One contradiction, what is true of it, and the person who will be asked."""

    a: tuple[str, ...]  # names of the pages that say one thing, the best first
    b: tuple[str, ...]  # names of the pages that say the other
    truth: str  # which holds
    answers_after: dt.timedelta | None  # how long the person takes, None who never answers
    person: str  # their name

    @property
    def answers_in_time(self) -> bool:
        """Whether the person comes before the deadline."""
        return self.answers_after is not None and self.answers_after < LIMIT

    @property
    def answer(self) -> dict[str, str]:
        return {"ruling": self.truth, "reason": "I looked it up.", "decided_by": self.person}


@dataclass
class Trial:
    """One run: its world and its contradictions."""

    world: World
    contradictions: list[DrawnContradiction] = field(default_factory=list)


@dataclass(frozen=True)
class Measured:
    """The whole benchmark."""

    contradictions: int  # how many there were
    seed: int  # of everything that was drawn
    in_time: float  # share that was settled in under six hours, 0 to 1
    lost: int  # how many of them were lost
    p95_hours: float  # 95th percentile of the time to settle
    by_rung: dict[str, float]  # share that each rung settled, 0 to 1


@dataclass
class Tally:
    """What was seen so far."""

    rungs: Counter[SettledBy] = field(default_factory=Counter)
    hours: list[float] = field(default_factory=list)
    late: int = 0
    lost: list[str] = field(default_factory=list)


def main() -> int:
    options = arguments()
    logging.getLogger("temporalio.activity").setLevel(logging.CRITICAL)
    tally = asyncio.run(on_a_server(options.contradictions, options.seed))
    measured = summary(tally, options.contradictions, options.seed)
    print(table(measured, tally.late))
    for each in tally.lost:
        say(each)
    if options.json:
        print(json.dumps(asdict(measured)))
    return 1 if tally.lost else 0


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = command_line(__doc__)
    parser.add_argument("--contradictions", type=int, default=100, help="100 unless told")
    parser.add_argument("--seed", type=int, default=1, help="of everything that is drawn")
    return parser.parse_args()


async def on_a_server(contradictions: int, seed: int) -> Tally:
    """Run every trial on one server."""
    trials = list(staged(contradictions, random.Random(seed)))
    tally = Tally()
    gate = asyncio.Semaphore(AT_ONCE)
    casts = {f"research-{number}": ports_of(trial.world) for number, trial in enumerate(trials)}
    async with environment() as started:
        everyone = casts | {
            f"{run_id}/contradiction-{number}": ports
            for run_id, ports in casts.items()
            for number in range(1, PER_RUN + 1)
        }
        everyone |= {f"{run_id}-late": ports for run_id, ports in casts.items()}
        async with serving(started.client, everyone) as queue:
            began = time.monotonic()

            async def one(run_id: str, trial: Trial) -> None:
                async with gate, asyncio.timeout(BOUND_S):
                    await carried_out(started, queue, run_id, trial, tally)
                say(f"{time.monotonic() - began:.0f} s: {len(tally.hours)} settled")

            await asyncio.gather(
                *(one(run_id, trial) for run_id, trial in zip(casts, trials, strict=True))
            )
    return tally


def staged(contradictions: int, draw: random.Random) -> Iterator[Trial]:
    """Deal contradictions into runs that share one memory."""
    rates = {f"publisher-{number}.example": draw.uniform(0.2, 0.95) for number in range(PUBLISHERS)}
    rulings = dict(_history(rates, draw))
    for first in range(0, contradictions, PER_RUN):
        world = World(pages=[], angles={}, answers={}, rulings=rulings)
        trial = Trial(world)
        for number in range(first, min(first + PER_RUN, contradictions)):
            _add(trial, number, rates, draw)
        world.disagreements = _detector(trial)
        yield trial


def _history(
    rates: dict[str, float], draw: random.Random
) -> Iterator[tuple[tuple[str, str, int], RulingRecord]]:
    """People's rulings of before: each on one of the publishers and on a stranger."""
    for publisher, rate in rates.items():
        for number in range(EARLIER_RULINGS):
            key = (f"before-{publisher}", f"contradiction-{number}", 1)
            yield (
                key,
                RulingRecord(
                    run_id=key[0],
                    contradiction_id=key[1],
                    claimants=(Claimant(id=publisher), Claimant(id=f"stranger-{number}.example")),
                    choice="a" if draw.random() < rate else "b",
                    reason="I looked it up.",
                    decided_by="somebody",
                    decided=dt.datetime(2025, 1, 1, tzinfo=dt.UTC),
                ),
            )


def _add(trial: Trial, number: int, rates: dict[str, float], draw: random.Random) -> None:
    angle = ANGLES[number % len(ANGLES)]
    publishers = draw.sample(sorted(rates), 2)
    sides = tuple(
        tuple(_pages(trial.world, f"{angle} {number} {side}", publisher, draw))
        for side, publisher in zip("ab", publishers, strict=True)
    )
    query = angle.casefold()
    trial.world.angles[f"{angle} widths"] = (query,)
    trial.world.answers[query] = (*trial.world.answers.get(query, ()), *sides[0], *sides[1])
    odds = [rates[publisher] for publisher in publishers]
    trial.contradictions.append(
        DrawnContradiction(
            a=sides[0],
            b=sides[1],
            truth=_truth(odds[0] / sum(odds), draw),
            answers_after=_patience(draw),
            person=f"person {number}",
        )
    )


def _pages(world: World, name: str, publisher: str, draw: random.Random) -> Iterator[str]:
    """Write the page that states one side, and those that say the same elsewhere."""
    kind = draw.choice(KINDS)
    published = dt.date(draw.randint(2012, 2025), 6, 1)
    for copy in range(1 + draw.choice(BACKERS)):
        title = f"{name}{copy}"
        host = publisher if not copy else f"elsewhere-{len(world.pages)}.example"
        angle = name.partition(" ")[0]
        filler = " ".join(f"{title.replace(' ', '')}w{word}" for word in range(40))
        world.pages.append(
            Page(
                name=title,
                text=f"{angle} is what {title} tells of. The rest is about {filler}",
                kind=kind,
                published=published,
                url=f"https://{host}/{title.replace(' ', '-')}",
            )
        )
        yield title


def _truth(share_of_a: float, draw: random.Random) -> str:
    if draw.random() < BOTH:
        return "both"
    return "a" if draw.random() < share_of_a else "b"


def _patience(draw: random.Random) -> dt.timedelta | None:
    fate = draw.random()
    if fate < NEVER:
        return None
    if fate < NEVER + NEXT_MORNING:
        return dt.timedelta(hours=draw.uniform(10, 18))
    return dt.timedelta(hours=MEDIAN_H * draw.lognormvariate(0, SIGMA))


def _detector(trial: Trial) -> Any:
    def found(task: DetectionTask) -> tuple[Disagreement, ...]:
        titles = {source.id: source.title for source in task.sources}
        claims = {titles[claim.source_id]: claim.id for claim in task.claims}
        return tuple(
            Disagreement(
                kind=ContradictionKind.NUMERIC,
                sides=tuple(
                    Side(claim=claims[best], backing=tuple(claims[name] for name in others))
                    for best, *others in (drawn.a, drawn.b)
                ),
                about=f"What {drawn.a[0]} and {drawn.b[0]} tell of.",
            )
            for drawn in trial.contradictions
        )

    return found


async def carried_out(
    started: WorkflowEnvironment, queue: str, run_id: str, trial: Trial, tally: Tally
) -> None:
    """Carry one run out, with its people, and look for everything that must be there."""
    with started.with_time_skipping_disabled():
        handle = await _begun(
            started.client, queue, run_id, {"topic": "Everything", "depth": "exhaustive"}
        )
    asked = await _waiting(handle)
    await asyncio.gather(
        *(_attended(started, each, _of(trial, each)) for each in asked if each.arbitration)
    )
    report = (await handle.result()).report
    for number, drawn in enumerate(trial.contradictions, start=1):
        _judge(report, f"contradiction-{number}", drawn, tally)
    await _come_late(started.client, queue, run_id, trial, report, tally)


async def _begun(
    client: Client, queue: str, run_id: str, request: dict[str, Any]
) -> WorkflowHandle[Any, Outcome]:
    return await client.start_workflow(
        "Research", request, id=run_id, task_queue=queue, result_type=Outcome
    )


async def _waiting(handle: WorkflowHandle[Any, Outcome]) -> list[Contradiction]:
    """Wait until people are asked, or until the run needs nobody."""
    while True:
        progress: Progress = await handle.query("progress", result_type=Progress)
        if progress.phase in {Phase.AWAITING_RULINGS, Phase.DONE, Phase.FAILED}:
            return [each for each in progress.contradictions if each.is_open]
        await asyncio.sleep(0.05)


def _of(trial: Trial, contradiction: Contradiction) -> DrawnContradiction:
    return trial.contradictions[int(contradiction.id.rpartition("-")[2]) - 1]


async def _attended(
    started: WorkflowEnvironment, contradiction: Contradiction, drawn: DrawnContradiction
) -> None:
    """Let the person's time pass, and have them answer if they come in time."""
    handle = started.client.get_workflow_handle(contradiction.arbitration or "")
    if not drawn.answers_in_time or drawn.answers_after is None:
        await started.fast_forward(handle, LIMIT)
        return
    await started.fast_forward(handle, drawn.answers_after)
    await handle.execute_update("rule", drawn.answer)


def _judge(report: Report, name: str, drawn: DrawnContradiction, tally: Tally) -> None:
    found = next((each for each in report.contradictions if each.id == name), None)
    if found is None or found.settled_by is None or found.is_open:
        tally.lost.append(f"{report.run_id}: {name} did not end")
        return
    tally.rungs[found.settled_by] += 1
    tally.hours.append(_hours(found))
    if found.arbitration is None:
        return
    by_person = found.settled_by is SettledBy.PERSON and found.decided_by == drawn.person
    if drawn.answers_in_time != by_person:
        tally.lost.append(f"{report.run_id}: the answer to {name} was lost")


def _hours(found: Contradiction) -> float:
    if found.deadline is None or found.decided is None:
        return 0.0
    return (found.decided - (found.deadline - LIMIT)) / dt.timedelta(hours=1)


async def _come_late(
    client: Client, queue: str, run_id: str, trial: Trial, report: Report, tally: Tally
) -> None:
    """Have those who come too late rule all the same, in one revision."""
    late = {
        each.id: _of(trial, each)
        for each in report.contradictions
        if each.settled_by is SettledBy.PROVISIONAL_UNCERTAINTY
        and _of(trial, each).answers_after is not None
    }
    if not late:
        return
    rulings = [{"contradiction_id": name, "ruling": drawn.answer} for name, drawn in late.items()]
    request = {"topic": "Everything", "follow_up_of": run_id, "rulings": rulings}
    revision = (await (await _begun(client, queue, f"{run_id}-late", request)).result()).report
    settled = {each.id: each.decided_by for each in revision.contradictions}
    for name, drawn in late.items():
        tally.late += 1
        if settled.get(name) != drawn.person:
            tally.lost.append(f"{run_id}: the late answer to {name} was lost")


def summary(tally: Tally, contradictions: int, seed: int) -> Measured:
    """Put the tally into figures."""
    share = {rung.value: round(tally.rungs[rung] / contradictions, 4) for rung in SettledBy}
    return Measured(
        contradictions=contradictions,
        seed=seed,
        in_time=sum(hours < LIMIT / dt.timedelta(hours=1) for hours in tally.hours)
        / contradictions,
        lost=len(tally.lost),
        p95_hours=round(quantiles(tally.hours, n=20, method="inclusive")[-1], 3)
        if len(tally.hours) > 1
        else 0.0,
        by_rung=share,
    )


def table(measured: Measured, late: int) -> str:
    """Draw the result as the README shows it."""
    rows = [
        f"| {rung.replace('_', ' ')} | {share:.1%} |" for rung, share in measured.by_rung.items()
    ]
    sentence = (
        f"{measured.contradictions} contradictions, seed {measured.seed}: {measured.lost} lost; "
        f"{measured.in_time:.1%} settled in under six hours; 95th percentile "
        f"{measured.p95_hours:.2f} h; {late} answered late, each in a revision."
    )
    return "\n".join(["| settled by | share |", "|---|---|", *rows, "", sentence])


if __name__ == "__main__":
    sys.exit(main())
