"""What stands still because of its code is told from what a server has merely given out again."""

from types import SimpleNamespace
from typing import Any

import pytest
from temporalio.api.enums.v1 import WorkflowTaskFailedCause
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import History, HistoryEvent, WorkflowTaskFailedEventAttributes
from temporalio.api.workflowservice.v1 import GetWorkflowExecutionHistoryReverseResponse

from caveat.clients.translation import stands_still


@pytest.mark.parametrize(
    ("cause", "message", "is_wedged"),
    [
        ("NON_DETERMINISTIC_ERROR", "", True),
        ("WORKFLOW_WORKER_UNHANDLED_FAILURE", "", True),
        ("WORKFLOW_WORKER_UNHANDLED_FAILURE", "[TMPRL1101] Potential deadlock detected", False),
        ("FORCE_CLOSE_COMMAND", "", False),
        ("UNSPECIFIED", "", False),
    ],
)
async def test_only_a_failure_of_the_code_is_one(
    cause: str, message: str, *, is_wedged: bool
) -> None:
    failed = WorkflowTaskFailedEventAttributes(
        cause=WorkflowTaskFailedCause.Value(f"WORKFLOW_TASK_FAILED_CAUSE_{cause}"),
        failure=Failure(message=message),
    )
    event = HistoryEvent(workflow_task_failed_event_attributes=failed)

    async def read_last(_: object) -> GetWorkflowExecutionHistoryReverseResponse:
        return GetWorkflowExecutionHistoryReverseResponse(history=History(events=[event]))

    service = SimpleNamespace(get_workflow_execution_history_reverse=read_last)
    client: Any = SimpleNamespace(namespace="default", workflow_service=service)
    task = SimpleNamespace(pending_workflow_task=SimpleNamespace(attempt=2))
    described: Any = SimpleNamespace(id="research-x", run_id="1", raw_description=task)
    assert await stands_still(client, described) is is_wedged
