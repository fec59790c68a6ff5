"""Runs that a change of the workflow code, or a termination, has stopped, and how they go on."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask
from temporalio.api.common.v1 import WorkflowExecution as ExecutionId
from temporalio.api.deployment.v1 import WorkerDeploymentVersion
from temporalio.api.enums.v1 import EventType, ParentClosePolicy, WorkflowTaskFailedCause
from temporalio.api.history.v1 import HistoryEvent
from temporalio.api.workflow.v1 import VersioningOverride, WorkflowExecutionOptions
from temporalio.api.workflowservice.v1 import (
    GetWorkflowExecutionHistoryReverseRequest,
    ResetWorkflowExecutionRequest,
    UpdateWorkflowExecutionOptionsRequest,
)
from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
)
from temporalio.common import SearchAttributeKey

from caveat.clients.metadata import STILL_OPEN
from caveat.clients.pollers import ANY, gone, pinned_to, serving
from caveat.clients.translation import translated, unknown_run

_PROBLEMS = SearchAttributeKey.for_keyword_list("TemporalReportedProblems")
"""Set by the server itself on workflows whose tasks failed several times in a row."""

_TAIL = 3
"""Events at the end of a history among which the failure of a task that is tried again is."""

_BY_SERVER = frozenset({
    WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_FAILOVER_CLOSE_COMMAND,
    WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND,
    WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_STICKY_TASK_QUEUE,
    WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW,
    WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
})  # fmt: skip
"""Why a server itself gives up a workflow task, which says nothing of the code."""


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
    with translated():
        last = await client.workflow_service.get_workflow_execution_history_reverse(
            GetWorkflowExecutionHistoryReverseRequest(
                namespace=client.namespace,
                execution=ExecutionId(workflow_id=described.id, run_id=described.run_id),
                maximum_page_size=_TAIL,
            )
        )
    return any(map(_is_failure_of_code, last.history.events))


def _is_failure_of_code(event: HistoryEvent) -> bool:
    """Say whether a workflow task failed by what its worker made of it.

    A worker that was killed leaves a task that timed out, and one that has much to replay has its
    task closed by the server, which gives it out again.
    """
    failed = EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED
    cause = event.workflow_task_failed_event_attributes.cause
    return event.event_type == failed and cause not in _BY_SERVER


_REASON = "caveat heal: what came after was decided by another version of Caveat"
_REVIVED = "caveat follow-up: it was ended from outside and goes on from what its history keeps"

_TAKEN_S = 10.0
"""Seconds for a worker's first decision about what was reset: a replay takes 0.1."""

_PAUSE_S = 0.2

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
class Healed:
    """What was done for a run: ids of workflows, its own and those that it has begun.

    Attributes:
        handed_over: were pinned to a version that no worker is of any more.
        reset: go on from where this version of Caveat agrees with what was decided.
    """

    handed_over: tuple[str, ...] = ()
    reset: tuple[str, ...] = ()


@dataclass(frozen=True)
class Healing:
    """Resets what is wedged to where this version of Caveat can go on.

    What was answered and read is kept elsewhere, so that doing it again costs little; signals and
    updates that came after the place are given to the run once more.

    Attributes:
        client: of the server.
    """

    client: Client

    async def heal(self, run_id: str) -> Healed:
        """Let a run go on, and what it has begun that is still open.

        What is pinned to a version that no worker is of goes to the version that takes up new runs.
        What the workers of another version have in hand is left to them.

        Raises:
            NoSuchRun: the server does not know the run.
        """
        with translated(unknown_run(run_id)):
            open_ones = [each async for each in self._open(run_id)]
            handed_over = tuple([each for each in open_ones if await self._hand_over(each)])
            looked_at = [each for each in open_ones if await self._is_ours(each, handed_over)]
            reset = tuple([each for each in looked_at if await self._reset(each)])
            moved = [each for each in handed_over if each in reset]
            await asyncio.gather(*(self._let_go(each) for each in moved))
        return Healed(handed_over, reset)

    async def revive(self, run_id: str) -> bool:
        """Let a run go on that was ended from outside, with what its history keeps.

        Returns:
            Whether it was: one that ended by itself, goes on, or had not begun is left alone.

        Raises:
            NoSuchRun: the server does not know the run.
        """
        with translated(unknown_run(run_id)):
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
        from caveat.workers.replaying import last_good_task  # noqa: PLC0415  # loads every workflow

        handle = self.client.get_workflow_handle(workflow_id)
        described = await handle.describe()
        history = await handle.fetch_history()
        place = await last_good_task(history, self.client.data_converter)
        if place is None:
            return False
        await self._reset_to(workflow_id, described.run_id, place, _REASON)
        return True

    async def _is_ours(self, workflow_id: str, handed_over: Collection[str]) -> bool:
        if workflow_id in handed_over:
            return True
        described = await self.client.get_workflow_handle(workflow_id).describe()
        return pinned_to(described) is None or await stands_still(self.client, described)

    async def _hand_over(self, workflow_id: str) -> bool:
        described = await self.client.get_workflow_handle(workflow_id).describe()
        if await gone(self.client, described) is None:
            return False
        current = (await serving(self.client, described.task_queue)).current
        await self._override(described, _to(current))
        return True

    async def _let_go(self, workflow_id: str) -> None:
        """Take back what it was handed over by, once a worker of the version has decided for it.

        From then on it stays with that version as every run does; what is left would go before
        whatever becomes of it later. Where no worker comes in time, it is left.
        """
        deadline = time.monotonic() + _TAKEN_S
        handle = self.client.get_workflow_handle(workflow_id)
        while True:
            described = await handle.describe()
            if described.status not in STILL_OPEN or await self._is_decided(described):
                break
            if time.monotonic() > deadline:
                return
            await asyncio.sleep(_PAUSE_S)
        if described.status in STILL_OPEN:
            await self._override(described, None)

    async def _is_decided(self, described: WorkflowExecutionDescription) -> bool:
        """Whether a task was completed since it was reset."""
        handle = self.client.get_workflow_handle(described.id, run_id=described.run_id)
        done = EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
        failed = EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED
        kinds = [each.event_type async for each in handle.fetch_history_events()]
        # A reset ends the task that it goes back to as failed; what comes behind is decided anew.
        return max(_last(done, kinds), 0) > _last(failed, kinds)

    async def _override(
        self, described: WorkflowExecutionDescription, override: VersioningOverride | None
    ) -> None:
        await self.client.workflow_service.update_workflow_execution_options(
            UpdateWorkflowExecutionOptionsRequest(
                namespace=self.client.namespace,
                workflow_execution=ExecutionId(workflow_id=described.id, run_id=described.run_id),
                workflow_execution_options=WorkflowExecutionOptions(versioning_override=override),
                update_mask=FieldMask(paths=["versioning_override"]),
            )
        )

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
    """Find the last decision of what was ended from outside; None where it had decided nothing.

    What it waited for was ended with it and answers no more: it is begun anew. Where people were
    asked, what they had ruled by then is recalled anew as well, so that nobody is asked twice.
    """
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


def _last(kind: int, kinds: list[Any]) -> int:
    """Say where an event of a kind is last; -1 for nowhere."""
    return max((place for place, each in enumerate(kinds) if each == kind), default=-1)


def _to(version: str) -> VersioningOverride:
    """Pin to another version; where workers are in no deployment, to none."""
    if version == ANY:
        return VersioningOverride(auto_upgrade=True)
    deployment, _, build = version.partition(":")
    return VersioningOverride(
        pinned=VersioningOverride.PinnedOverride(
            behavior=VersioningOverride.PINNED_OVERRIDE_BEHAVIOR_PINNED,
            version=WorkerDeploymentVersion(deployment_name=deployment, build_id=build),
        )
    )
