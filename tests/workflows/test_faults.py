"""Every activity fails, in every way: each run reports it or ends by name, none is stuck.

The activities are those that the workers have; a new one is covered as soon as it is wired, or
fails here until a run is described that comes to it.
"""

import asyncio
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import product

import pytest
import pytest_asyncio
from temporalio import activity
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.contradiction import ContradictionKind, Disagreement
from caveat.contracts.envelope import Failure, FailureCategory, FailureType
from caveat.contracts.outcome import NamedEnd, Outcome, Progress
from caveat.contracts.plan import Budget, Format, ResearchRequest
from caveat.contracts.report import ReportedFailure
from caveat.contracts.source import Snapshot
from caveat.contracts.synthesis import Challenge, Stance
from caveat.contracts.tasks import DebateTask, DetectionTask, Notice, NoticeKind
from caveat.failures import PortFailure
from caveat.teams.team import Team
from caveat.workers.wiring import build_registry
from caveat.workers.worker import serve_runs
from tests.fakes.disputes import sides_of
from tests.fakes.ports import FakeNotifier, FakeSnapshots, FakeTeams, World, ports_of
from tests.fakes.runs import outcome_of, start_run
from tests.fakes.worlds import a_world

pytestmark = pytest.mark.xdist_group("faults")  # one process makes its fixtures
REGISTRY = build_registry(ports_of(a_world()))
NAMES = [
    str(activity._Definition.must_from_callable(method).name)
    for method in (*REGISTRY.reasoning, *REGISTRY.fetching, *REGISTRY.keeping)
    if method.__name__ not in {"ask", "check", "post", "read_folder", "remember"}
]
"""All but what asks agents elsewhere, of which this world has none (test_outside.py), and what
reads documents together, after which each that is missing is read alone (test_recovery.py), and
what runs of before ask for (test_replay.py)."""

UNFORESEEN = "unforeseen"  # what no adapter knows: the seventh way to fail
KINDS = [*FailureType, UNFORESEEN]
PROVIDER = "acme"
STUCK_S = 300.0
"""Real seconds after which a run is stuck: with every wait skipped it takes a second of the
processor, and a minute where ten others want it too."""

AT_ONCE = 8
"""Runs at once: what one waits for the server, others work. All together would each wait for all
others, and on a busy machine none would end for minutes."""


class Unforeseen(Exception):
    pass


def fault(name: str, kind: str) -> Exception:
    """How an activity fails; the message names it."""
    if kind == UNFORESEEN:
        return Unforeseen(name)
    category = {
        FailureType.AUTH_ERROR: FailureCategory.PERMISSION,
        FailureType.NOT_FOUND: FailureCategory.BUSINESS,
        FailureType.PERMANENT: FailureCategory.VALIDATION,
    }.get(FailureType(kind), FailureCategory.TRANSIENT)
    return PortFailure(
        Failure(
            category=category,
            failure_type=FailureType(kind),
            message=message(name, kind),
            retry_recommended=category is FailureCategory.TRANSIENT,
            provider=PROVIDER if kind == FailureType.AUTH_ERROR else None,
        )
    )


def message(name: str, kind: str) -> str:
    if kind == UNFORESEEN:
        return f"An unforeseen {Unforeseen.__name__} stopped the task"
    return f"What {name} needs: {kind}."


class Scenario(StrEnum):
    """Sorts of runs; together they come to every activity."""

    PLAIN = "plain"
    EXPIRED_KEY = "expired-key"
    DISPUTED = "disputed"  # its sources disagree on a quantity, and somebody rules
    DEBATED = "debated"  # its team has what was found debated
    FOLLOW_UP = "follow-up"
    ASKED = "asked"  # one more question to the plain run
    BUSY = "busy"  # the run that is followed up
    BOUNDED = "bounded"  # it may make so many model calls and no more


@dataclass
class Faults:
    """Which activity fails in which run, and which came to work there."""

    scenarios: dict[str, Scenario] = field(default_factory=dict)
    wanted: dict[str, tuple[Collection[str], str]] = field(default_factory=dict)
    worked: Counter[tuple[str, str]] = field(default_factory=Counter)

    def strike(self, kind: str, key: str) -> None:
        info = activity.info()
        # An arbitration is named for its run, `<run>/contradiction-1`.
        run, name = str(info.workflow_id).partition("/")[0], info.activity_type
        self.worked[run, name] += 1
        targets, how = self.wanted[run]
        if name in targets:
            raise fault(name, how)
        match self.scenarios[run]:
            case Scenario.EXPIRED_KEY if name == "analyse":
                if not self.worked[run, "refresh_credentials"]:
                    raise fault(name, FailureType.AUTH_ERROR)
            case Scenario.BUSY if name == "read":
                raise fault(name, FailureType.UNAVAILABLE)

    def disagreements(self, task: DetectionTask) -> tuple[Disagreement, ...]:
        if self.scenarios[str(activity.info().workflow_id)] is not Scenario.DISPUTED:
            return ()
        a, b = task.claims
        numeric = ContradictionKind.NUMERIC
        sides = sides_of((a.id, b.id), values=("1 m", "2 m"))
        return (Disagreement(kind=numeric, sides=sides, about="Width of alpha: 1 m, 2 m."),)


def a_meagre_world(faults: Faults) -> World:
    """Two sources: their search is reworded, and people are told of so thin a report.

    One is a page of the web, one lies in a folder. A model writes the report, of which another
    doubts a sentence.
    """
    world = a_world()
    world.angles = {"Alpha width": ("alpha",)}
    world.answers = {"alpha": ("page 1", "page 2")}
    world.pages = [replace(page, in_corpus=page.name == "page 2") for page in world.pages]
    world.faults = faults.strike
    world.uses_model = world.doubts = True
    world.disagreements = faults.disagreements
    world.remarks = _challenge
    return world


def _challenge(task: DebateTask) -> tuple[Challenge, ...]:
    """Give the other participants something to answer."""
    return (
        Challenge(
            claim_id=task.claims[0].id,
            raised_by=task.participant,
            stance=Stance.SUPPORTS,
            text="It was measured.",
        ),
    )


@dataclass(frozen=True)
class Person(FakeNotifier):
    """Rules as soon as they are asked."""

    client: Client

    async def notify(self, notice: Notice) -> None:
        await super().notify(notice)
        if notice.kind is NoticeKind.PERSON_NEEDED:
            # No time is skipped while an activity runs: the answer comes before the deadline.
            arbitration = self.client.get_workflow_handle(str(activity.info().workflow_id))
            await arbitration.execute_update(
                "rule", {"ruling": "both", "reason": "They differ in scope."}
            )


@dataclass(frozen=True)
class Shelf(FakeSnapshots):
    """Fails in keeping a text too."""

    async def keep(self, snapshot: Snapshot) -> str:
        await self.world.work("keep", snapshot.text[:20])
        return await super().keep(snapshot)


DEBATING = "investment"


@dataclass(frozen=True)
class Teams(FakeTeams):
    """One team, which debates under another name."""

    def read_team(self, name: str) -> Team:
        return super().read_team("general").model_copy(update={"debate": name == DEBATING})


@dataclass(frozen=True)
class Ended:
    """How a run ended, and what it says of itself afterwards."""

    run_id: str
    outcome: Outcome | NamedEnd
    progress: Progress

    def failures(self) -> tuple[ReportedFailure, ...]:
        if isinstance(self.outcome, NamedEnd):
            return self.outcome.failures
        return self.outcome.report.failures


@dataclass(frozen=True)
class Laboratory:
    """Starts runs in which something fails."""

    client: Client
    queue: str
    faults: Faults
    ended: dict[tuple[str, str], Ended] = field(default_factory=dict)
    stuck: set[tuple[str, str]] = field(default_factory=set)
    room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def run(
        self, scenario: Scenario, names: Collection[str] = (), kind: str = "", of: str | None = None
    ) -> Ended:
        run_id = "-".join(("research", scenario, *names, kind, self.queue))
        self.faults.scenarios[run_id] = scenario
        self.faults.wanted[run_id] = (names, kind)
        request = ResearchRequest(
            topic="alpha",
            formats=(Format.MARKDOWN,),
            follow_up_of=None if scenario is Scenario.ASKED else of,
            asked_of=of if scenario is Scenario.ASKED else None,
            team=DEBATING if scenario is Scenario.DEBATED else "general",
            budget=Budget(model_calls=100 if scenario is Scenario.BOUNDED else None),
        )
        handle = await start_run(self.client, self.queue, run_id, **dict(request))
        outcome = await outcome_of(handle)
        return Ended(run_id, outcome, await handle.query("progress", result_type=Progress))

    async def fail(
        self, scenario: Scenario, names: Collection[str], kind: str, of: str | None
    ) -> None:
        """Have activities fail in a run, and keep how that ended."""
        which = [(name, kind) for name in names]
        async with self.room:
            try:
                async with asyncio.timeout(STUCK_S):
                    ended = await self.run(scenario, names, kind, of)
            except TimeoutError:
                self.stuck.update(which)
            else:
                self.ended.update(dict.fromkeys(which, ended))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def laboratory(environment: WorkflowEnvironment) -> AsyncIterator[Laboratory]:
    """Every activity fails in every way, many runs at once."""
    faults, queue, client = Faults(), f"test-{uuid.uuid4().hex[:12]}", environment.client
    world = a_meagre_world(faults)
    ports = replace(
        ports_of(world),
        notifier=Person(world, client),
        snapshots=Shelf(world),
        teams=Teams(world=world),
    )
    async with serve_runs(client, build_registry(ports), queue):
        made = Laboratory(client, queue, faults)
        await _experiment(made)
        yield made


AFTERWARDS = {"keep_evidence", "notify"}
"""They work when the report is written already: the run says it of itself."""

TOGETHER = (
    AFTERWARDS | {"rate_card"},
    {"recall_rulings", "scan", "record_ruling"},
    {"reformulate", "detect"},
)
"""Activities that a run comes to although the others of them failed: they fail in one run."""

ALONE = set(NAMES).difference(*TOGETHER)


async def _experiment(made: Laboratory) -> None:
    first = (
        *(Scenario.PLAIN, Scenario.EXPIRED_KEY, Scenario.DISPUTED),
        *(Scenario.DEBATED, Scenario.BUSY, Scenario.BOUNDED),
    )
    async with asyncio.timeout(STUCK_S):
        plain, expired, disputed, debated, busy, bounded = await asyncio.gather(
            *map(made.run, first)
        )
        again = await made.run(Scenario.FOLLOW_UP, of=busy.run_id)
        asked = await made.run(Scenario.ASKED, of=plain.run_id)
    ways = {
        Scenario.PLAIN: (plain.run_id, None),
        Scenario.EXPIRED_KEY: (expired.run_id, None),
        Scenario.DISPUTED: (disputed.run_id, None),
        Scenario.DEBATED: (debated.run_id, None),
        Scenario.FOLLOW_UP: (again.run_id, busy.run_id),
        Scenario.ASKED: (asked.run_id, plain.run_id),
        Scenario.BOUNDED: (bounded.run_id, None),
    }
    async with asyncio.TaskGroup() as group:
        for names, kind in product([*TOGETHER, *({each} for each in ALONE)], KINDS):
            # Where no run comes to an activity, its test says so.
            for scenario, (run_id, of) in ways.items():
                if all(made.faults.worked[run_id, name] for name in names):
                    group.create_task(made.fail(scenario, names, kind, of))
                    break


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_failures_are_reported_or_end_the_run(name: str, kind: str, laboratory: Laboratory) -> None:
    assert (name, kind) not in laboratory.stuck, f"it has not ended in {STUCK_S:.0f} s"
    assert (name, kind) in laboratory.ended, f"no run here comes to {name}: describe one that does"
    ended = laboratory.ended[name, kind]
    assert laboratory.faults.worked[ended.run_id, name] > 0
    assert names_it(ended, name, kind), (ended.outcome, ended.progress.failures)


def names_it(ended: Ended, name: str, kind: str) -> bool:
    """Whether a failure is named where people look for it."""
    if (name, kind) == ("audit", FailureType.NOT_FOUND):
        # A snapshot that is gone is a finding of the audit, not a failure of the auditor: what
        # rests on it is left out, and that is said.
        if not isinstance(ended.outcome, Outcome):
            return False
        verification = ended.outcome.report.verification
        return verification is not None and bool(verification.left_out)
    told = ended.progress.failures if name in AFTERWARDS else ended.failures()
    return any(message(name, kind) in failed.failure.message for failed in told)
