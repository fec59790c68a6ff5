"""What a Temporal server or a workflow refuses, as sentences."""

from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest
from temporalio.api.enums.v1 import WorkflowTaskFailedCause
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import History, HistoryEvent, WorkflowTaskFailedEventAttributes
from temporalio.api.workflowservice.v1 import GetWorkflowExecutionHistoryReverseResponse
from temporalio.client import (
    WorkflowHandle,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from caveat.clients.translation import (
    build_unknown_run,
    stands_still,
    translate_errors,
    update_workflow,
)
from caveat.problem import BadInput, NoSuchRun, OutOfReach, Problem

UNKNOWN = build_unknown_run("research-x")


def refused(status: RPCStatusCode, message: str = "no") -> RPCError:
    return RPCError(message, status, b"")


@pytest.mark.parametrize(
    ("status", "unknown", "problem", "says"),
    [
        (RPCStatusCode.NOT_FOUND, UNKNOWN, NoSuchRun, "There is no run research-x: "),
        (RPCStatusCode.NOT_FOUND, None, OutOfReach, "does not answer (not_found)"),
        (RPCStatusCode.INVALID_ARGUMENT, UNKNOWN, BadInput, "refuses this: no."),
        (RPCStatusCode.UNAVAILABLE, UNKNOWN, OutOfReach, "does not answer (unavailable)"),
        (RPCStatusCode.DEADLINE_EXCEEDED, None, OutOfReach, "nothing is lost"),
    ],
)
def test_what_a_server_refuses(
    status: RPCStatusCode, unknown: Problem | None, problem: type[Problem], says: str
) -> None:
    with pytest.raises(problem) as raised, translate_errors(unknown):
        raise refused(status)
    assert says in str(raised.value)
    assert type(raised.value) is problem


@pytest.mark.parametrize(
    ("error", "problem", "says"),
    [
        (
            WorkflowUpdateFailedError(ApplicationError("It is settled already.\nAnd more.")),
            BadInput,
            r"^It is settled already\.$",
        ),
        (WorkflowUpdateFailedError(RuntimeError("a bug")), WorkflowUpdateFailedError, "failed"),
        (WorkflowUpdateRPCTimeoutOrCancelledError(), OutOfReach, "start one with `caveat up`"),
    ],
)
async def test_why_an_update_is_not_done_is_told_and_a_bug_is_not_hidden(
    error: Exception, problem: type[Exception], says: str
) -> None:
    handle = AsyncMock(spec=WorkflowHandle)
    handle.execute_update.side_effect = error
    handle.describe.return_value.raw_description.pending_workflow_task.attempt = 1
    client: Any = SimpleNamespace(get_workflow_handle=lambda _: handle)
    with pytest.raises(problem, match=says):
        await update_workflow(client, "research-x", "rule", {}, str, UNKNOWN)


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
