"""One contradiction and one person: in time, late, twice, at once, and never."""

import dataclasses
import datetime as dt
import json
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from temporalio import workflow
from temporalio.api.enums.v1 import EventType
from temporalio.api.sdk.v1 import WorkflowMetadata
from temporalio.client import (
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
)
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.contradiction import (
    Case,
    Contradiction,
    ContradictionState,
    Hearing,
    SettledBy,
)
from caveat.contracts.tasks import NoticeKind
from caveat.failures import invalid
from caveat.workers.wiring import build_registry
from caveat.workers.worker import serve_runs
from tests.fakes.arbitrations import SIX_HOURS, Arbitrated, a_case, arbitrate
from tests.fakes.patience import until
from tests.fakes.ports import World, ports_of
from tests.fakes.runs import serving

BOTH = {"ruling": "both", "reason": "Early and late universe.", "decided_by": "Ada"}
A = {"ruling": "a", "reason": "Planck is better calibrated.", "decided_by": "Grace"}
Ask = Callable[..., Awaitable[Arbitrated]]


@pytest.fixture
async def ask(
    environment: WorkflowEnvironment, world: World, task_queue: str
) -> AsyncIterator[Ask]:
    """Start an arbitration whose clock goes on only where the test says so."""
    async with serving(environment.client, world, task_queue):

        async def begin(limit: dt.timedelta = SIX_HOURS, number: int = 1) -> Arbitrated:
            with environment.with_time_skipping_disabled():
                handle = await arbitrate(environment.client, task_queue, a_case(limit, number))
            await hearing(handle)
            return handle

        yield begin


async def hearing(handle: Arbitrated) -> Hearing:
    now: Hearing = await handle.query("hearing", result_type=Hearing)
    return now


async def rule(handle: Arbitrated, *answer: object) -> Contradiction:
    settled: Contradiction = await handle.execute_update(
        "rule", args=list(answer), result_type=Contradiction
    )
    return settled


async def board(handle: Arbitrated) -> str:
    metadata = await handle.query("__temporal_workflow_metadata", result_type=WorkflowMetadata)
    return str(metadata.current_details)


async def refusal(handle: Arbitrated, *answer: object) -> str:
    """Rule, be refused, and read why."""
    with pytest.raises(WorkflowUpdateFailedError) as caught:
        await rule(handle, *answer)
    assert isinstance(caught.value.cause, ApplicationError)
    assert caught.value.cause.type == "refused"
    return caught.value.cause.message


async def timers(handle: Arbitrated) -> dict[str, float]:
    """The timers that were started, by their summary, in seconds."""
    return {
        json.loads(event.user_metadata.summary.data): (
            event.timer_started_event_attributes.start_to_fire_timeout.ToTimedelta().total_seconds()
        )
        async for event in handle.fetch_history_events()
        if event.event_type == EventType.EVENT_TYPE_TIMER_STARTED
    }


async def test_an_answer_a_second_before_the_deadline_counts(
    ask: Ask, environment: WorkflowEnvironment, world: World
) -> None:
    handle = await ask()
    await environment.fast_forward(handle, SIX_HOURS - dt.timedelta(seconds=1))
    await handle.signal("resolve", BOTH)
    settled = (await handle.result()).contradiction
    assert (settled.state, settled.settled_by) == (ContradictionState.RESOLVED, SettledBy.PERSON)
    assert (settled.ruling, settled.reason) == ("both", "Early and late universe.")
    assert settled.decided_by == "Ada"
    assert settled.decided is not None
    assert settled.deadline is not None
    assert settled.deadline - settled.decided < dt.timedelta(seconds=2)
    (kept,) = world.rulings.values()
    assert [claimant.id for claimant in kept.claimants] == ["planck.org", "shoes.org"]
    assert (kept.choice, kept.reason, kept.decided_by) == ("both", settled.reason, "Ada")


async def test_an_answer_a_second_after_the_deadline_is_late(
    ask: Ask, environment: WorkflowEnvironment, world: World
) -> None:
    handle = await ask()
    await environment.fast_forward(handle, SIX_HOURS + dt.timedelta(seconds=1))
    settled = (await handle.result()).contradiction
    for late in (handle.signal("resolve", BOTH), rule(handle, BOTH)):
        with pytest.raises(RPCError) as caught:
            await late
        assert caught.value.status is RPCStatusCode.NOT_FOUND
    assert settled.state is ContradictionState.PROVISIONAL
    assert (settled.confidence, settled.requires_human_review) == (0.5, True)
    assert (settled.ruling, settled.decided_by, world.rulings) == (None, None, {})
    assert "Nobody could settle it" in await board(handle)


async def test_a_refused_update_says_why_and_leaves_no_trace(ask: Ask) -> None:
    handle = await ask()
    assert "`ruling` must be" in await refusal(handle, {**BOTH, "ruling": "maybe"})
    history = [event.event_type async for event in handle.fetch_history_events()]
    assert not [each for each in history if "UPDATE" in EventType.Name(each)]
    now = await hearing(handle)
    assert (now.contradiction.is_open, now.rejected) == (True, 0)
    await rule(handle, BOTH)


async def test_the_first_answer_wins_and_repeats_change_nothing(ask: Ask, world: World) -> None:
    world.delays["record_ruling"] = 1.5
    handle = await ask()
    settled = await rule(handle, BOTH)
    assert await rule(handle, BOTH) == settled
    await handle.signal("resolve", BOTH)
    assert "first answer counts: Ada ruled `both`" in await refusal(handle, A)
    await handle.signal("resolve", A)
    now = await hearing(handle)
    assert (now.rejected, now.contradiction) == (1, settled)
    assert "Ada ruled `both`" in now.rejections[0].reason
    assert "Grace" in now.rejections[0].given
    assert (await handle.result()).contradiction == settled.mark_signature(signed=False)
    assert world.calls["record_ruling"] == 1


async def test_a_signal_that_nobody_knows_is_shown(ask: Ask) -> None:
    handle = await ask()
    await handle.signal("approve", {"yes": True})
    now = await hearing(handle)
    assert now.rejected == 1
    assert "no signal `approve`" in now.rejections[0].reason
    assert "yes" in now.rejections[0].given
    assert "approve" in await board(handle)
    with pytest.raises(WorkflowUpdateFailedError):
        await handle.execute_update("approve", BOTH)
    with pytest.raises(WorkflowQueryFailedError):
        await handle.query("approve")
    await rule(handle, BOTH)
    await handle.result()


async def test_failed_bookkeeping_is_reported_and_harms_nothing(ask: Ask, world: World) -> None:
    def broken(kind: str, key: str) -> None:
        if kind in {"notify", "record_ruling"}:
            raise invalid(f"The {kind} port is broken.", resource=key)

    world.faults = broken
    handle = await ask()
    await rule(handle, BOTH)
    settlement = await handle.result()
    assert settlement.contradiction.ruling == "both"
    assert {failed.failure.message for failed in settlement.failures} == {
        "The notify port is broken.",
        "The record_ruling port is broken.",
    }
    assert "The record\\_ruling port is broken." in await board(handle)


async def test_two_reminders(ask: Ask, environment: WorkflowEnvironment, world: World) -> None:
    handle = await ask()
    await environment.fast_forward(handle, SIX_HOURS)
    deadline = (await handle.result()).contradiction.deadline
    assert deadline is not None
    left = [
        round((deadline - notice.created) / dt.timedelta(minutes=1)) for notice in world.notices
    ]
    assert left == [360, 180]
    assert len({notice.id for notice in world.notices}) == 2
    assert {notice.kind for notice in world.notices} == {NoticeKind.PERSON_NEEDED}
    for notice, words in zip(world.notices, ("6 h", "3 h"), strict=True):
        assert f"({words} left): caveat rule {handle.id} a|b|both|neither" in notice.message
    assert {6 * 3600, 3 * 3600} == set(map(round, (await timers(handle)).values()))


async def test_settled_is_quiet(ask: Ask, environment: WorkflowEnvironment, world: World) -> None:
    handle = await ask()
    await environment.fast_forward(handle, dt.timedelta(hours=1))
    await rule(handle, BOTH)
    await handle.result()
    assert len(world.notices) == 1
    cancelled = [
        event
        async for event in handle.fetch_history_events()
        if event.event_type == EventType.EVENT_TYPE_TIMER_CANCELED
    ]
    assert len(cancelled) == 2


@workflow.defn(sandboxed=False)
class Parent:
    @workflow.run
    async def run(self, case: Case) -> None:
        await workflow.execute_child_workflow("Arbitration", case, id=f"{case.run_id}/only")


async def test_cancelling_the_run_cancels_it(
    environment: WorkflowEnvironment, world: World, task_queue: str
) -> None:
    registry = build_registry(ports_of(world))
    registry = dataclasses.replace(registry, workflows=(*registry.workflows, Parent))
    async with serve_runs(environment.client, registry, task_queue):
        with environment.with_time_skipping_disabled():
            run = await environment.client.start_workflow(
                Parent.run, a_case(run_id=task_queue), id=task_queue, task_queue=task_queue
            )
        child = environment.client.get_workflow_handle(f"{task_queue}/only")
        await until(lambda: world.notices)
        await run.cancel()
        with pytest.raises(WorkflowFailureError):
            await run.result()
        described = await child.describe()
        assert described.status is WorkflowExecutionStatus.CANCELED
        assert "TemporalReportedProblems" not in described.search_attributes


async def test_what_is_no_case_ends(
    ask: Ask, environment: WorkflowEnvironment, task_queue: str
) -> None:
    handle = await environment.client.start_workflow(
        "Arbitration", {}, id=f"bad-{task_queue}", task_queue=task_queue
    )
    with pytest.raises(WorkflowFailureError) as caught:
        await handle.result()
    assert isinstance(caught.value.cause, ApplicationError)
