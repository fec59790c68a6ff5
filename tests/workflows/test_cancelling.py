"""Cancelling: a run stops at once at every stage, keeps what it found, and can be followed up."""

import asyncio
import time

import pytest
from temporalio.client import WorkflowExecutionStatus, WorkflowFailureError
from temporalio.exceptions import CancelledError
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.outcome import Artifact, Ending
from caveat.contracts.phase import Phase
from caveat.workflows.names import EVIDENCE, OPEN_CONTRADICTIONS, PHASE
from tests.fakes.patience import PATIENCE_S
from tests.fakes.ports import World
from tests.fakes.runs import BOTH, Handle, Start, awaiting, report_of, rule, there
from tests.fakes.worlds import disagreeing

FOR_EVER = 300.0
"""Seconds of real time: an activity that is waited for fails the test by its length."""

STAGES = {
    "search beta": 6,
    "read page 9": 11,
    "analyse page 9": 11,
    "detect": 12,
    "synthesise": 12,
    "publish": 12,
}
"""What a run is held up by when it is cancelled, and the claims that it has by then."""


ONE_BY_ONE = frozenset({"search beta", "read page 9"})
"""What all that is read waits for without a model, so that it does not depend on speed."""

SETTLED_S = 5.0
"""Seconds in which nothing begins, where more is to be done than there are hands for."""


async def begun(handle: Handle, world: World, what: str) -> None:
    """Wait until everything is done that does not wait for what is held up."""
    since, seen = time.monotonic(), -1
    while time.monotonic() - since < SETTLED_S:
        held = sum(each.startswith(what) for each in world.order)
        now = (await handle.describe()).raw_description
        if 0 < held == len(now.pending_activities) and not now.HasField("pending_workflow_task"):
            return
        if not held or seen != len(world.order):
            since, seen = time.monotonic(), len(world.order)
        await asyncio.sleep(0.05)


async def cancelled(handle: Handle) -> float:
    """Cancel a run; return the seconds that it took to end."""
    asked = time.monotonic()
    await handle.cancel()
    with pytest.raises(WorkflowFailureError) as caught:
        await asyncio.wait_for(handle.result(), PATIENCE_S)
    assert isinstance(caught.value.cause, CancelledError)
    assert (await handle.describe()).status is WorkflowExecutionStatus.CANCELED
    return time.monotonic() - asked


@pytest.mark.parametrize(
    ("held", "deadline"), [*((held, None) for held in STAGES), ("read page 9", "PT600S")]
)
async def test_a_cancelled_run_keeps_what_it_found_and_is_followed_up(
    start: Start, world: World, held: str, deadline: str | None
) -> None:
    world.delays[held] = FOR_EVER
    handle = await start(deadline=deadline) if deadline else await start()
    await begun(handle, world, held)
    assert await cancelled(handle) < 60

    kept = world.evidence[-1]
    assert len(world.evidence) == 1 + (held == "publish")  # which goes on beside keeping
    assert kept.ending is Ending.CANCELLED
    assert sum(len(found.claims) for found in kept.findings) == (
        0 if held in ONE_BY_ONE and deadline is None else STAGES[held]
    )
    described = await handle.describe()
    assert described.typed_search_attributes[PHASE] == Phase.CANCELLED
    assert await described.memo_value(EVIDENCE, type_hint=Artifact)

    world.delays.clear()
    report = await report_of(await start(follow_up_of=handle.id, id="follow-up"))
    assert len(report.claims) == 12
    assert not [failed for failed in report.failures if not failed.recovered]


@pytest.mark.parametrize("written", [True, False])
async def test_cancelling_closes_what_a_person_is_asked(
    start: Start, world: World, environment: WorkflowEnvironment, *, written: bool
) -> None:
    disagreeing(world, (1, 2))
    if not written:
        world.delays["synthesise"] = FOR_EVER
    with environment.with_time_skipping_disabled():  # nobody's six hours may pass
        handle = await start()
        arbitration = environment.client.get_workflow_handle(f"{handle.id}/contradiction-1")
        await there(arbitration)
        while written and not world.reports:  # noqa: ASYNC110  # the provisional report is written
            await asyncio.sleep(0.05)
        if not written:
            await begun(handle, world, "synthesise")
        await cancelled(handle)
        assert (await arbitration.describe()).status is WorkflowExecutionStatus.CANCELED
    assert (await handle.describe()).typed_search_attributes[OPEN_CONTRADICTIONS] == 0
    *_, kept = world.evidence
    assert kept.contradictions[0].is_open


@pytest.mark.parametrize("cancelled_at", ["with the ruling", "while it is kept"])
async def test_a_ruling_that_was_accepted_outlives_it(
    start: Start, world: World, environment: WorkflowEnvironment, cancelled_at: str
) -> None:
    disagreeing(world, (1, 2))
    world.delays["record_ruling"] = 0.5
    with environment.with_time_skipping_disabled():
        handle = await start()
        await awaiting(handle)
        await rule(environment.client, handle, 1, BOTH)
        while cancelled_at == "while it is kept" and not world.calls["record_ruling"]:  # noqa: ASYNC110  # no event
            await asyncio.sleep(0.05)
        await cancelled(handle)
    *_, kept = world.evidence
    assert kept.contradictions[0].decided_by == "Ada"
    assert [record.decided_by for record in world.rulings.values()] == ["Ada"]

    report = await report_of(await start(follow_up_of=handle.id, id="follow-up"))
    assert [each.decided_by for each in report.contradictions] == ["Ada"]
