"""What is no failure is counted as none by the SDK, so that rates of failures mean something."""

from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.failure import FailureType
from caveat.contracts.outcome import Ending
from tests.fakes.measured import Measured, run
from tests.fakes.runs import end_of, failing, fault
from tests.fakes.worlds import a_world


@pytest.fixture
def measured(environment: WorkflowEnvironment) -> Measured:
    return Measured(environment)


async def test_who_needs_more_is_no_failed_activity(measured: Measured, task_queue: str) -> None:
    await run(await measured.client(), a_world(), task_queue, greed=1)
    found = await measured.read()
    assert found.sum("temporal_workflow_completed", workflow_type="Research") == 1
    assert found.sum("temporal_activity_execution_failed") == 0


async def test_a_task_that_fails_is_a_failed_activity(measured: Measured, task_queue: str) -> None:
    world = a_world()
    failing(world, "synthesise", fault(FailureType.PERMANENT))
    handle = await run(await measured.client(), world, task_queue)
    await end_of(handle, Ending.SYNTHESIS_FAILED)
    found = await measured.read()
    assert found.sum("temporal_activity_execution_failed", activity_type="synthesise") > 0
    assert found.sum("temporal_workflow_failed", workflow_type="Research") == 1


@pytest.mark.parametrize(
    ("asked", "ending"),
    [({"topic": ""}, Ending.INVALID_REQUEST), ({"follow_up_of": "nobody"}, None)],
)
async def test_what_a_user_did_is_no_failed_run(
    measured: Measured, task_queue: str, asked: dict[str, Any], ending: Ending | None
) -> None:
    handle = await run(await measured.client(), a_world(), task_queue, **asked)
    await end_of(handle, ending or Ending.NOTHING_TO_FOLLOW_UP)
    found = await measured.read()
    assert found.sum("temporal_workflow_failed", workflow_type="Research") == 0
