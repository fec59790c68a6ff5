"""No activity may return an empty result for an exception: whatever a port raises is told.

The activities are those that the workers have. Each is given a task that it can do, and then every
port that it uses breaks in turn; a new activity fails here until there is a task for it.
"""

import asyncio
import datetime as dt
import hashlib
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, fields, replace
from typing import Any, get_type_hints

import pytest
from temporalio import activity
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.audit import Audit
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import RulingChoice, RulingRecord
from caveat.contracts.debate import Participant
from caveat.contracts.envelope import AgentType, Status, SubagentResult, Usage
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.notice import Notice, NoticeKind
from caveat.contracts.outcome import Evidence, RunRecord
from caveat.contracts.plan import Assignment, Depth, ResearchRequest
from caveat.contracts.source import SearchResults, Snapshot
from caveat.contracts.synthesis import AngleEvidence, SectionDraft, Synthesis, SynthesisInput
from caveat.contracts.tasks import (
    AnalysisTask,
    AuditTask,
    DebateTask,
    DetectionTask,
    KeepingTask,
    MemoryTask,
    NotificationTask,
    PlanningTask,
    PublicationTask,
    ReadingTask,
    RecallTask,
    ReformulationReason,
    ReformulationTask,
    RefreshTask,
    RulingsTask,
    RulingTask,
    SearchTask,
    StockTask,
    SynthesisTask,
    TariffTask,
    Task,
    WritingTask,
)
from caveat.failures import PortFailure, forbidden, invalid, not_found, timed_out, unavailable
from caveat.ports import SearchEngine
from caveat.rules.claimants import claimant
from tests.fakes.ports import World, ports_of
from tests.fakes.reports import a_report, texts_of
from tests.workflows.conftest import a_world
from workers.wiring import Ports, crew_of

Activity = Callable[[Any], Awaitable[Any]]

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
PAGE = a_world().pages[0]
REPORT = a_report()
ANGLE = Assignment(id="a1", title="Alpha width", question="How wide?", queries=("alpha",))
CLAIM = Claim(
    id="c1",
    text="Alpha is 1 units wide",
    quote="Alpha is 1 units wide",
    source_id=PAGE.source.id,
    assignment_id="a1",
    start=0,
    end=21,
    relevance=0.9,
)
EVIDENCE = Evidence(
    run_id="research-1",
    topic="alpha",
    ending=None,
    reason="",
    created=NOW,
    request=ResearchRequest(topic="alpha"),
)
SYNTHESIS_INPUT = SynthesisInput(
    topic="alpha",
    angles=(AngleEvidence(assignment=ANGLE, claims=(CLAIM,)),),
    sources=(PAGE.source,),
)
DRAFT = Synthesis(
    summary="Alpha is 1 units wide [c1].",
    sections=(SectionDraft(assignment_id="a1", title="Alpha width", summary=""),),
)
NOTICE = Notice(
    id="1", kind=NoticeKind.DEGRADED, run_id="research-1", topic="x", message="x", created=NOW
)
RECORD = RunRecord(run_id="research-1", topic="alpha", ending=None, started=NOW, finished=NOW)
RULING = RulingRecord(
    run_id="research-1",
    contradiction_id="contradiction-1",
    claimants=(claimant(PAGE.source), claimant(a_world().pages[1].source)),
    choice=RulingChoice.A,
    reason="It is newer.",
    decided_by="Ada",
    decided=NOW,
)


def address_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


FIELDS: dict[type[Task], dict[str, object]] = {
    StockTask: {},
    TariffTask: {},
    PlanningTask: {
        "topic": "alpha",
        "corpus": (),
        "depth": Depth.DEEP,
        "team": "general",
        "wanted": 2,
    },
    SearchTask: {"query": "alpha", "corpus": (), "limit": 5},
    ReformulationTask: {
        "topic": "alpha",
        "assignment": ANGLE,
        "tried": ("alpha",),
        "reason": ReformulationReason.TOO_FEW,
        "corpus": (),
    },
    ReadingTask: {"source": PAGE.source},
    AnalysisTask: {
        "topic": "alpha",
        "assignment": ANGLE,
        "source": PAGE.source,
        "snapshot_sha256": address_of(PAGE.text),
        "corpus": (),
        "wanted": 3,
    },
    DetectionTask: {
        "topic": "alpha",
        "assignments": (ANGLE,),
        "claims": (CLAIM,),
        "sources": (PAGE.source,),
    },
    DebateTask: {
        "participant": Participant.SCEPTIC,
        "topic": "alpha",
        "claims": (CLAIM,),
        "sources": (PAGE.source,),
        "today": NOW.date(),
    },
    RulingTask: {"record": RULING},
    RulingsTask: {"claimants": (RULING.claimants[0].id,)},
    SynthesisTask: {"evidence": SYNTHESIS_INPUT},
    WritingTask: {"evidence": SYNTHESIS_INPUT, "draft": DRAFT},
    AuditTask: {"report": REPORT},
    PublicationTask: {"report": REPORT},
    KeepingTask: {"evidence": EVIDENCE},
    RefreshTask: {"provider": "acme"},
    RecallTask: {"run_id": EVIDENCE.run_id},
    NotificationTask: {"notice": NOTICE},
    MemoryTask: {"record": RECORD},
}
"""A task of every kind that a world of `a_full_world` can do."""


def task_for(method: Activity) -> Task:
    kind = get_type_hints(method)["task"]
    assert kind in FIELDS, f"describe a {kind.__name__} here that can be done"
    return kind(task_id="t1", description="Do it", **FIELDS[kind])  # type: ignore[no-any-return]


def a_full_world() -> World:
    world = a_world()
    texts = [page.text for page in world.pages]
    texts += [text for text in texts_of(REPORT).values() if text is not None]
    world.kept = {address_of(text): Snapshot(text=text) for text in texts}
    world.evidence = [EVIDENCE]
    return world


class Breaking:
    """A port whose every call raises, and that knows whether it was called."""

    def __init__(self, port: object, error: Exception) -> None:
        self._port = port
        self._error = error
        self.called = False

    def __getattr__(self, name: str) -> object:
        real = getattr(self._port, name)
        if not inspect.iscoroutinefunction(real):
            return real

        async def broken(*_: object, **__: object) -> None:
            self.called = True
            raise self._error

        return broken


CREW = crew_of(ports_of(a_world()))
PORTS = [port.name for port in fields(Ports) if port.name not in {"teams", "backend"}]
NAMES = [
    str(activity._Definition.must_from_callable(method).name)
    for method in (*CREW.reasoning, *CREW.fetching, *CREW.keeping)
]


def activity_of(name: str, ports: Ports) -> Activity:
    crew = crew_of(ports)
    return next(
        method
        for method in (*crew.reasoning, *crew.fetching, *crew.keeping)
        if activity._Definition.must_from_callable(method).name == name
    )


def broken(name: str, field: str, error: Exception) -> tuple[Activity, Breaking]:
    """An activity one of whose ports breaks, and that port."""
    whole = ports_of(a_full_world())
    breaking = Breaking(getattr(whole, field), error)
    changes: dict[str, Any] = {field: breaking}
    return activity_of(name, replace(whole, **changes)), breaking


async def done_by(method: Activity, task: Task) -> SubagentResult[Any]:
    envelope = await ActivityEnvironment().run(method, task)
    assert isinstance(envelope, SubagentResult)
    return envelope


async def require_told(method: Activity, task: Task, failure: Failure) -> None:
    """Require that an activity raises a failure by its type, in a typed envelope."""
    with pytest.raises(ApplicationError) as raised:
        await done_by(method, task)
    assert raised.value.type == failure.failure_type
    (envelope,) = raised.value.details
    assert isinstance(envelope, SubagentResult)
    assert (envelope.status, envelope.value) == (Status.FAILED, None)
    assert (envelope.task_id, envelope.failure) == (task.task_id, failure)


ERRORS: list[PortFailure] = [
    unavailable("It rests.", resource="x"),
    timed_out("It sleeps.", resource="x"),
    forbidden("It is locked.", resource="x"),
    invalid("It is nonsense.", resource="x"),
    not_found("It is gone.", resource="x"),
]
UNFORESEEN: list[Exception] = [
    KeyError("a secret"),
    OSError(5, "a secret"),
    StopAsyncIteration("a secret"),
    TimeoutError("a secret"),
    LookupError("a secret"),
]


def unforeseen(error: Exception) -> Failure:
    return Failure(
        category=FailureCategory.UNKNOWN,
        failure_type=FailureType.PERMANENT,
        message=f"An unforeseen {type(error).__name__} stopped the task; the worker's log has it.",
    )


@pytest.mark.parametrize("error", [*ERRORS, *UNFORESEEN], ids=lambda error: repr(error)[:24])
@pytest.mark.parametrize("name", NAMES)
async def test_whatever_a_port_raises_is_told(name: str, error: Exception) -> None:
    expected = error.failure if isinstance(error, PortFailure) else unforeseen(error)
    uses = 0
    for field in PORTS:
        if not await _uses(name, field):
            continue
        method, _ = broken(name, field, error)
        task = task_for(method)
        uses += 1
        if name == "audit" and expected.failure_type is FailureType.NOT_FOUND:
            # A snapshot that is gone is what an audit is there to find.
            audit = (await done_by(method, task)).result
            assert isinstance(audit, Audit)
            assert not audit.passed
            continue
        await require_told(method, task, expected)
    assert uses, f"{name} uses no port"


async def _uses(name: str, field: str) -> bool:
    """Whether an activity calls a port at all in doing its task."""
    method, breaking = broken(name, field, RuntimeError())
    await asyncio.gather(done_by(method, task_for(method)), return_exceptions=True)
    return breaking.called


@pytest.mark.parametrize("name", NAMES)
async def test_with_whole_ports_every_task_here_is_done(name: str) -> None:
    method = activity_of(name, ports_of(a_full_world()))
    assert (await done_by(method, task_for(method))).status is Status.SUCCESS


@dataclass(frozen=True)
class Suppressing:
    """How a searcher must not be written."""

    engine: SearchEngine

    @activity.defn(name="suppressed")
    @subagent(AgentType.SEARCHER)
    async def search(self, task: SearchTask) -> SubagentResult[SearchResults]:
        try:
            results = await self.engine.search(task)
        except Exception:  # noqa: BLE001  # this is the mistake
            results = SearchResults(query=task.query)
        return done(AgentType.SEARCHER, task, results)


@pytest.mark.parametrize("error", [ERRORS[0], UNFORESEEN[0]])
async def test_the_check_bites_where_an_activity_keeps_quiet(error: Exception) -> None:
    failure = error.failure if isinstance(error, PortFailure) else unforeseen(error)
    quiet = Suppressing(Breaking(ports_of(a_full_world()).engine, error))  # type: ignore[arg-type]
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        await require_told(quiet.search, task_for(quiet.search), failure)


@pytest.mark.parametrize("name", NAMES)
async def test_what_was_spent_in_vain_is_told(name: str) -> None:
    spent = Usage(model_calls=1, input_tokens=100, output_tokens=10, cost_usd=0.25)
    error = PortFailure(unavailable("It rests.", resource="x").failure, spent)
    for field in PORTS:
        if await _uses(name, field):
            method, _ = broken(name, field, error)
            with pytest.raises(ApplicationError) as raised:
                await done_by(method, task_for(method))
            assert raised.value.details[0].usage == spent


async def test_a_failure_without_an_envelope_is_not_enough() -> None:
    @activity.defn
    async def bare(task: SearchTask) -> SubagentResult[SearchResults]:
        raise ApplicationError("It rests.", type=FailureType.UNAVAILABLE)

    with pytest.raises(ValueError, match="not enough values"):
        await require_told(bare, task_for(bare), ERRORS[0].failure)
