"""What a Temporal server says of workflows, and refuses, in Caveat's words."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from temporalio import client as temporal
from temporalio.api.common.v1 import WorkflowExecution as ExecutionId
from temporalio.api.enums.v1 import WorkflowExecutionStatus as Number
from temporalio.api.enums.v1 import WorkflowTaskFailedCause
from temporalio.api.workflowservice.v1 import GetWorkflowExecutionHistoryReverseRequest
from temporalio.client import Client, WorkflowExecution, WorkflowExecutionStatus, WorkflowHandle
from temporalio.common import Priority, SearchAttributeKey
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from caveat.clients.parsing import find_user
from caveat.clients.run_description import explain_paused, explain_wedged
from caveat.contracts.plan import ResearchRequest
from caveat.problem import BadInput, NoSuchArbitration, NoSuchRun, OutOfReach, Problem
from caveat.rendering.backends import START_WORKER
from caveat.rendering.commands import quote_for_shell
from caveat.workers.codec import MissingKey
from caveat.workflows.names import SHOWN

T = TypeVar("T")

ANSWER = dt.timedelta(seconds=2)
"""How long a worker may take to answer a query: it needs milliseconds, and nobody waits longer
than this without a word."""

ACCEPTANCE = dt.timedelta(seconds=20)
"""How long a worker may take over an update: it needs milliseconds, and up to ten seconds where
another worker was killed just before."""


async def query_workflow(handle: WorkflowHandle[Any, Any], query: str, answer: type[T]) -> T | None:
    """Ask a workflow; None where it has no such answer, or no worker gives it in time."""
    try:
        return cast("T", await handle.query(query, result_type=answer, rpc_timeout=ANSWER))
    except (temporal.WorkflowQueryFailedError, temporal.WorkflowQueryRejectedError, RPCError):
        return None


@contextmanager
def translate_errors(unknown: Problem | None = None) -> Iterator[None]:
    """Turn the server's refusals into problems; `unknown` where it does not know the thing."""
    try:
        yield
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND and unknown is not None:
            raise unknown from None
        if error.status is RPCStatusCode.INVALID_ARGUMENT:
            raise BadInput(
                f"The Temporal server refuses this: {build_sentence(error.message)}"
            ) from None
        raise OutOfReach(
            f"The Temporal server does not answer ({error.status.name.lower()}): nothing is lost, "
            "try again when it runs."
        ) from None


async def update_workflow(
    client: Client, name: str, update: str, argument: object, answer: type[T], unknown: Problem
) -> T:
    """Tell a workflow something, and return what it answers; its refusals are problems."""
    handle = client.get_workflow_handle(name)
    with translate_errors(unknown):
        if (await handle.describe()).status is PAUSED:
            raise OutOfReach(explain_paused(name))
        try:
            accepted = handle.execute_update(
                update, argument, result_type=answer, rpc_timeout=ACCEPTANCE
            )
            return cast("T", await accepted)
        except temporal.WorkflowUpdateFailedError as error:
            if isinstance(error.cause, ApplicationError):
                raise BadInput(build_sentence(error.cause.message)) from None
            raise
        except temporal.WorkflowUpdateRPCTimeoutOrCancelledError:
            if await stands_still(client, await handle.describe()):
                raise OutOfReach(explain_wedged(name)) from None
            raise OutOfReach(
                f"No worker takes the answer: {START_WORKER}, and answer again."
            ) from None


def build_unknown_run(run_id: str) -> NoSuchRun:
    return NoSuchRun(
        f"There is no run {quote_for_shell(run_id)}: `caveat runs` lists those that are known."
    )


def build_unknown_arbitration(arbitration: str) -> NoSuchArbitration:
    return NoSuchArbitration(
        f"There is no arbitration {quote_for_shell(arbitration)}: `caveat inbox` lists those that "
        "are open."
    )


def build_sentence(text: str) -> str:
    """Make one sentence of a message that may be of several lines."""
    return text.splitlines()[0].rstrip(".") + "."


_SUMMARY_BYTES = 400  # the most that a Temporal server takes of a run's summary

_KEY_BYTES = 64  # the most that a Temporal server takes of a fairness key


def build_summary(topic: str) -> str:
    # Three bytes for the ellipsis; a sign that the cut splits goes with the rest.
    cut = topic.encode()[: _SUMMARY_BYTES - 3].decode(errors="ignore")
    return topic if cut == topic else f"{cut}…"


def compute_priority(request: ResearchRequest) -> Priority:
    """Say how urgent a run's tasks are, and with whose they share the workers fairly."""
    # All runs of a requester on a server of one's own take turns with those of the others as one,
    # so that twenty runs of somebody do not come before the one of somebody else. On the embedded
    # server, where a run's backend is decided from its start, each run takes turns with the others.
    if request.backend is not None:
        return Priority(priority_key=request.priority.rank)
    key = (find_user() or "").encode()[:_KEY_BYTES].decode(errors="ignore")
    return Priority(priority_key=request.priority.rank, fairness_key=key or None)


async def read_memo(listed: WorkflowExecution | temporal.ScheduleListDescription) -> dict[str, Any]:
    """Read a memo; where its key is not here, a topic that names the key stands for all of it."""
    # A list must not end at the first that it cannot read.
    try:
        return dict(await listed.memo())
    except MissingKey as missing:
        return {SHOWN: f"(encrypted with {missing.key})"}


def _create_paused_status() -> WorkflowExecutionStatus:
    # The SDK has none and fails at the sight of it, in lists too, so that one run that somebody
    # paused (`temporal workflow pause`) would hide all others.
    member = int.__new__(WorkflowExecutionStatus, Number.WORKFLOW_EXECUTION_STATUS_PAUSED)
    member._name_, member._value_ = "PAUSED", int(member)
    return member


PAUSED = getattr(WorkflowExecutionStatus, "PAUSED", None) or _create_paused_status()
"""The status of what goes on and answers nobody until then; once the SDK has a name for it, that
one."""

# Asked only for numbers that the type does not have.
_MISSING = classmethod(lambda _, value: PAUSED if value == PAUSED else None)
WorkflowExecutionStatus._missing_ = _MISSING  # type: ignore[assignment]  # Python's own hook, which this type leaves unused

STILL_OPEN = frozenset({WorkflowExecutionStatus.RUNNING, PAUSED})  # statuses of what has not ended

_PROBLEMS = SearchAttributeKey.for_keyword_list("TemporalReportedProblems")
"""Set by the server itself on workflows whose tasks failed several times in a row."""


_BY_CODE = frozenset({
    WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR,
    WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE,
})  # fmt: skip
"""Why a workflow task fails again; a worker that was killed and a server have other reasons."""

_TAIL = 3  # events at the end of a history among which the failure of a task that is tried again is


def is_listed(execution: WorkflowExecution) -> bool:
    """Say whether the server lists something open whose tasks fail, as it does in half a minute."""
    running = execution.status is WorkflowExecutionStatus.RUNNING
    return running and bool(execution.typed_search_attributes.get(_PROBLEMS))


async def stands_still(client: Client, described: temporal.WorkflowExecutionDescription) -> bool:
    """Look for the failure itself, before the server lists it."""
    if described.raw_description.pending_workflow_task.attempt < 2:
        return is_listed(described)
    tail = GetWorkflowExecutionHistoryReverseRequest(
        namespace=client.namespace,
        execution=ExecutionId(workflow_id=described.id, run_id=described.run_id),
        maximum_page_size=_TAIL,
    )
    with translate_errors(build_unknown_run(described.id)):
        answer = await client.workflow_service.get_workflow_execution_history_reverse(tail)
    failed = (event.workflow_task_failed_event_attributes for event in answer.history.events)
    # A task that took longer than two seconds is one of a busy machine.
    return any(
        task.cause in _BY_CODE and "[TMPRL1101]" not in task.failure.message for task in failed
    )
