"""Whether workflow tasks fail by what code makes of them, as the server says it."""

from temporalio.api.common.v1 import WorkflowExecution as ExecutionId
from temporalio.api.enums.v1 import EventType, WorkflowTaskFailedCause
from temporalio.api.workflowservice.v1 import GetWorkflowExecutionHistoryReverseRequest
from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
)
from temporalio.common import SearchAttributeKey
from temporalio.service import RPCError, RPCStatusCode

from caveat.clients.translation import translate_errors

_PROBLEMS = SearchAttributeKey.for_keyword_list("TemporalReportedProblems")
"""Set by the server itself on workflows whose tasks failed several times in a row."""

_TAIL = 3  # events at the end of a history among which the failure of a task that is tried again is

_BY_SERVER = frozenset({
    WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_FAILOVER_CLOSE_COMMAND,
    WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND,
    WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_STICKY_TASK_QUEUE,
    WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW,
    WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
})  # fmt: skip
"""Why a server itself gives up a workflow task, which says nothing of the code."""


_DEADLOCKED = "[TMPRL1101]"
"""How the SDK names a task that took longer than two seconds: the machine is busy."""


def is_listed(execution: WorkflowExecution) -> bool:
    """Say whether the server counts something open among what stands still."""
    running = execution.status is WorkflowExecutionStatus.RUNNING
    return running and bool(execution.typed_search_attributes.get(_PROBLEMS))


async def stands_still(client: Client, described: WorkflowExecutionDescription) -> bool:
    """Look for the failure itself: the server lists it only after twenty seconds."""
    is_tried_again = described.raw_description.pending_workflow_task.attempt > 1
    if described.status is not WorkflowExecutionStatus.RUNNING:
        return False
    if not (is_listed(described) or is_tried_again):
        return False
    tail = GetWorkflowExecutionHistoryReverseRequest(
        namespace=client.namespace,
        execution=ExecutionId(workflow_id=described.id, run_id=described.run_id),
        maximum_page_size=_TAIL,
    )
    with translate_errors():
        try:
            answer = await client.workflow_service.get_workflow_execution_history_reverse(tail)
        except RPCError as gone:
            if gone.status is not RPCStatusCode.NOT_FOUND:
                raise
            return False  # deleted since it was listed
    # A worker that was killed leaves a task that timed out, and one that has much to replay has its
    # task closed by the server, which gives it out again.
    failed = [
        event.workflow_task_failed_event_attributes
        for event in answer.history.events
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED
    ]
    if is_listed(described):  # what was listed for its slowness is tried again by itself
        return not any(_DEADLOCKED in task.failure.message for task in failed)
    return any(
        task.cause not in _BY_SERVER and _DEADLOCKED not in task.failure.message for task in failed
    )
