"""A plan that waits for a person: edited, approved, refused, or left until its time is over."""

import asyncio

import pytest
from temporalio.client import WorkflowUpdateFailedError
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.outcome import Ending, Progress
from caveat.contracts.phase import Phase
from caveat.contracts.plan import Proposal
from tests.fakes.patience import PATIENCE_S
from tests.fakes.ports import World
from tests.fakes.runs import Handle, Start, end_of, report_of

APPROVE = {"approve_plan": True}


async def proposed(handle: Handle) -> Proposal:
    """Wait for the plan that a person is asked to approve."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            progress: Progress = await handle.query("progress", result_type=Progress)
            if progress.proposal is not None:
                assert progress.phase is Phase.AWAITING_APPROVAL
                return progress.proposal
            await asyncio.sleep(0.05)


async def test_a_plan_is_edited_before_anything_is_looked_for(
    start: Start, world: World, environment: WorkflowEnvironment
) -> None:
    world.questions = ("Which years?", "For whom?")
    world.answers["Alpha is how wide?"] = world.answers["alpha"]
    world.answers["Beta holds when?"] = world.answers["beta"]
    with environment.with_time_skipping_disabled():
        handle = await start(**APPROVE)
        proposal = await proposed(handle)
        assert proposal.plan.questions == ("Which years?", "For whom?")
        ids = [each.id for each in proposal.plan.assignments]
        assert len(ids) > 1
        assert not [kind for kind in world.calls if kind.startswith(("search", "fetch", "analyse"))]
        decision = {
            "drop": ids[1:],
            "edit": {ids[0]: "Alpha is how wide?"},
            "add": ["Beta holds when?"],
            "answers": ["2019 to 2024"],
            "by": "Ada",
        }
        assert "goes on" in await handle.execute_update("approve", decision)
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update("approve", {})
        assert "waits for approval" in str(refused.value.cause)
        report = await report_of(handle)
    minded = "Mind this as well: Which years? 2019 to 2024"
    assert [each.question for each in report.sections] == [
        f"Alpha is how wide? {minded}",
        f"Beta holds when? {minded}",
    ]
    assert report.metrics.waiting_seconds > 0


WRONG = [
    ({"drop": ["a9"]}, "no angle “a9”"),
    ({"drop": ["a1", "a2"]}, "has 1 to 8 angles"),
    ({"add": ["x"] * 8}, "has 1 to 8 angles"),
    ({"add": [" "]}, "not valid"),
    ({"answers": ["x"]}, "asked 0 questions"),
    ({"unknown": 1}, "not valid"),
    ("yes", "not valid"),
]


async def test_what_fits_no_plan_is_refused(start: Start, environment: WorkflowEnvironment) -> None:
    with environment.with_time_skipping_disabled():
        handle = await start(**APPROVE)
        await proposed(handle)
        for given, why in WRONG:
            with pytest.raises(WorkflowUpdateFailedError) as refused:
                await handle.execute_update("approve", given)
            assert why in str(refused.value.cause), given
        await proposed(handle)
        assert "goes on" in await handle.execute_update("approve", {})
        await report_of(handle)


async def test_without_approval_a_run_ends_and_searched_nothing(start: Start, world: World) -> None:
    end = await end_of(await start(**APPROVE, approval_timeout=2))
    assert end.ending is Ending.PLAN_NOT_APPROVED
    assert "within 2 s" in end.message
    assert not [kind for kind in world.calls if kind.startswith(("search", "analyse"))]
