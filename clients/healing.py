"""Runs that a change of the workflow code, or a termination, has stopped, and how they go on."""

import uuid
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from temporalio.api.common.v1 import WorkflowExecution as ExecutionId
from temporalio.api.enums.v1 import EventType, ParentClosePolicy, WorkflowTaskFailedCause
from temporalio.api.history.v1 import HistoryEvent
from temporalio.api.workflowservice.v1 import ResetWorkflowExecutionRequest
from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
)
from temporalio.common import SearchAttributeKey

from caveat.clients.metadata import STILL_OPEN
from caveat.clients.translation import build_unknown_run, translate_errors
from caveat.workers.codec import fetch_last_events

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
    if is_listed(described) or described.status is not WorkflowExecutionStatus.RUNNING:
        return is_listed(described)
    if described.raw_description.pending_workflow_task.attempt <= 1:
        return False
    with translate_errors():
        run = ExecutionId(workflow_id=described.id, run_id=described.run_id)
        last = await fetch_last_events(client, run, _TAIL)
    return any(map(_is_failure_of_code, last))


def _is_failure_of_code(event: HistoryEvent) -> bool:
    """Say whether a workflow task failed by what its worker made of it."""
    # A worker that was killed leaves a task that timed out, and one that has much to replay has its
    # task closed by the server, which gives it out again.
    failed = EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED
    about = event.workflow_task_failed_event_attributes
    is_slow = _DEADLOCKED in about.failure.message
    return event.event_type == failed and about.cause not in _BY_SERVER and not is_slow


_REASON = "caveat heal: what came after was decided by another version of Caveat"
_REVIVED = "caveat follow-up: it was ended from outside and goes on from what its history keeps"

_CUT_OFF = {WorkflowExecutionStatus.TERMINATED, WorkflowExecutionStatus.TIMED_OUT}
"""Ends of which a run learns nothing, so that it cannot keep its evidence."""

_RECALLS = "recall_rulings"
_BEGINS = "start_child_workflow_execution_initiated_event_attributes"
_ENDS = frozenset({
    "start_child_workflow_execution_failed_event_attributes",
    "child_workflow_execution_canceled_event_attributes",
    "child_workflow_execution_completed_event_attributes",
    "child_workflow_execution_failed_event_attributes",
    "child_workflow_execution_terminated_event_attributes",
    "child_workflow_execution_timed_out_event_attributes",
})  # fmt: skip
"""What a history says of rulings, and of a child: that it is begun, and that it has ended."""


@dataclass(frozen=True)
class Healing:
    """Resets what is wedged to where this version of Caveat can go on."""

    # What was answered and read is kept elsewhere, so that doing it again costs little; signals and
    # updates that came after the place are given to the run once more.

    client: Client

    async def heal(self, run_id: str) -> tuple[str, ...]:
        """Reset a run, and what it has begun that is still open, to where this version agrees."""
        with translate_errors(build_unknown_run(run_id)):
            open_ones = [each async for each in self._open(run_id)]
            return tuple([each for each in open_ones if await self._reset(each)])

    async def revive(self, run_id: str) -> bool:
        """Let a run go on that was ended from outside, with what its history keeps.

        Returns:
            Whether it was: one that ended by itself, goes on, or had not begun is left alone.
        """
        with translate_errors(build_unknown_run(run_id)):
            described = await self.client.get_workflow_handle(run_id).describe()
            if described.status not in _CUT_OFF:
                return False
            history = await self.client.get_workflow_handle(run_id).fetch_history()
            place = _place_to_go_on(history.events)
            if place is not None:
                await self._reset_to(run_id, described.run_id, place, _REVIVED)
        return place is not None

    async def _open(self, run_id: str) -> AsyncIterator[str]:
        described = await self.client.get_workflow_handle(run_id).describe()
        if described.status in STILL_OPEN:
            yield run_id
            for child in described.raw_description.pending_children:
                yield child.workflow_id

    async def _reset(self, workflow_id: str) -> bool:
        from caveat.workers.replaying import find_last_good_task  # noqa: PLC0415  # loads every workflow

        handle = self.client.get_workflow_handle(workflow_id)
        described = await handle.describe()
        if described.status not in STILL_OPEN:
            return False
        history = await handle.fetch_history()
        place = await find_last_good_task(history, self.client.data_converter)
        if place is None:
            return False
        await self._reset_to(workflow_id, described.run_id, place, _REASON)
        for child in described.raw_description.pending_children:
            if child.initiated_id > place:  # it will be begun anew, or not at all
                await self.client.get_workflow_handle(child.workflow_id).terminate(_REASON)
        return True

    async def _reset_to(self, workflow_id: str, run_id: str, place: int, reason: str) -> None:
        await self.client.workflow_service.reset_workflow_execution(
            ResetWorkflowExecutionRequest(
                namespace=self.client.namespace,
                workflow_execution=ExecutionId(workflow_id=workflow_id, run_id=run_id),
                reason=reason,
                workflow_task_finish_event_id=place,
                request_id=uuid.uuid4().hex,
            )
        )


def _place_to_go_on(events: Iterable[HistoryEvent]) -> int | None:
    """Find the last decision of what was ended from outside; None where it had decided nothing."""
    # What it waited for was ended with it and answers no more: it is begun anew. Where people were
    # asked, what they had ruled by then is recalled anew as well, so that nobody is asked twice.
    place, recalled = None, None
    begun: dict[int, int] = {}
    for event in events:
        kind = event.WhichOneof("attributes") or ""
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
            place = event.event_id
        elif event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED and not begun:
            task = event.activity_task_scheduled_event_attributes
            if task.activity_type.name == _RECALLS:
                recalled = task.workflow_task_completed_event_id
        elif kind == _BEGINS:
            child = event.start_child_workflow_execution_initiated_event_attributes
            if child.parent_close_policy != ParentClosePolicy.PARENT_CLOSE_POLICY_ABANDON:
                begun[event.event_id] = child.workflow_task_completed_event_id
        elif kind in _ENDS:
            begun.pop(getattr(event, kind).initiated_event_id, None)
    return min(begun.values(), default=place) if recalled is None or not begun else recalled
