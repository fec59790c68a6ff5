"""What stands still because of its code is told from what a server has merely given out again."""

from types import SimpleNamespace
from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType, WorkflowTaskFailedCause
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import History, HistoryEvent, WorkflowTaskFailedEventAttributes
from temporalio.api.workflowservice.v1 import GetWorkflowExecutionHistoryReverseResponse
from temporalio.client import WorkflowExecutionStatus
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes

from caveat.clients.translation import stands_still

PROBLEMS = SearchAttributeKey.for_keyword_list("TemporalReportedProblems")
FAILED = EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED
TIMED_OUT = EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT


def described(attempt: int, *problems: str) -> Any:
    listed = SearchAttributePair(PROBLEMS, problems)
    task = SimpleNamespace(attempt=attempt)
    return SimpleNamespace(
        id="research-x",
        run_id="1",
        status=WorkflowExecutionStatus.RUNNING,
        typed_search_attributes=TypedSearchAttributes([listed] if problems else ()),
        raw_description=SimpleNamespace(pending_workflow_task=task),
    )


def client_of(event_type: EventType.ValueType, cause: str, message: str = "") -> Any:
    """A client of a server on which the last thing that happened is this."""
    failed = WorkflowTaskFailedEventAttributes(
        cause=WorkflowTaskFailedCause.Value(f"WORKFLOW_TASK_FAILED_CAUSE_{cause}"),
        failure=Failure(message=message),
    )
    event = HistoryEvent(event_type=event_type, workflow_task_failed_event_attributes=failed)

    async def last(_: object) -> GetWorkflowExecutionHistoryReverseResponse:
        return GetWorkflowExecutionHistoryReverseResponse(history=History(events=[event]))

    service = SimpleNamespace(get_workflow_execution_history_reverse=last)
    return SimpleNamespace(namespace="default", workflow_service=service)


@pytest.mark.parametrize(
    ("event_type", "cause", "is_wedged"),
    [
        (FAILED, "NON_DETERMINISTIC_ERROR", True),
        (FAILED, "WORKFLOW_WORKER_UNHANDLED_FAILURE", True),
        (FAILED, "FORCE_CLOSE_COMMAND", False),
        (FAILED, "UNHANDLED_COMMAND", False),
        (FAILED, "RESET_WORKFLOW", False),
        (TIMED_OUT, "UNSPECIFIED", False),
    ],
)
async def test_only_a_failure_of_the_code_is_one(
    event_type: EventType.ValueType, cause: str, *, is_wedged: bool
) -> None:
    assert await stands_still(client_of(event_type, cause), described(2)) is is_wedged


async def test_a_first_attempt_has_failed_nowhere() -> None:
    assert not await stands_still(client_of(FAILED, "NON_DETERMINISTIC_ERROR"), described(1))


async def test_a_task_that_was_slow_on_a_busy_machine_is_tried_again_by_itself() -> None:
    slow = client_of(
        FAILED, "WORKFLOW_WORKER_UNHANDLED_FAILURE", "[TMPRL1101] Potential deadlock detected"
    )
    assert not await stands_still(slow, described(9))
    assert not await stands_still(slow, described(9, "category=WorkflowTaskFailed"))
    wrong = client_of(FAILED, "NON_DETERMINISTIC_ERROR")
    assert await stands_still(wrong, described(9, "category=WorkflowTaskFailed"))
