"""Delegation: one task to one subagent; whatever happens comes back as an envelope."""

from typing import Any

from pydantic import ValidationError
from temporalio import workflow
from temporalio.common import Priority
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    TimeoutError,  # noqa: A004  # Temporal's, not the built-in
    TimeoutType,
    is_cancelled_exception,
)

from caveat.activities.subagent import parse_beat
from caveat.contracts.backend import Route
from caveat.contracts.envelope import KEY_MISSING, PAYLOAD_LOST, Failure, R, Status, SubagentResult
from caveat.contracts.report import Remedy, ReportedFailure
from caveat.contracts.tasks import Task
from caveat.failures import timed_out, unforeseen
from caveat.rendering.amounts import format_span
from caveat.workflows.names import name_queue
from caveat.workflows.options import OVERTIME, SILENCE, A, Policy


async def delegate(policy: Policy[A, R], task: A, route: Route) -> SubagentResult[R]:
    """Give a task to a subagent under a policy, and return its envelope however that ends."""
    envelope, _ = await delegate_timed(policy, task, route)
    return envelope


async def delegate_timed(
    policy: Policy[A, R], task: A, route: Route
) -> tuple[SubagentResult[R], TimeoutType | None]:
    """Do so, and say what ran out where it was lost: nobody knows then what it took."""
    info = workflow.info()
    fairness = info.priority.fairness_key or (info.root.run_id if info.root else info.run_id)
    try:
        envelope: SubagentResult[R] = await workflow.execute_activity(
            policy.declared.name,
            task,
            result_type=policy.declared.envelope,
            task_queue=name_queue(info.task_queue, policy.queue, route),
            start_to_close_timeout=policy.start_to_close,
            schedule_to_close_timeout=policy.schedule_to_close,
            heartbeat_timeout=policy.heartbeat,
            retry_policy=policy.retry,
            summary=task.description,
            # A run with hundreds of tasks waiting, all of its parts together, lets those of another
            # requester pass in turn. How urgent they are is the run's own, which the server knows.
            priority=Priority(fairness_key=fairness),
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        ran_out = error.cause.type if isinstance(error.cause, TimeoutError) else None
        return read_failed_envelope(error, task, policy), ran_out
    if not envelope.task_id:  # it was lost on the way, and its place knows whose it was
        envelope = envelope.model_copy(update=_describe_task(policy, task))
    return envelope, None


def _describe_task(policy: Policy[Any, Any], task: Task) -> dict[str, str]:
    """Say what an envelope says of its task."""
    return {
        "task_id": task.task_id,
        "agent_type": policy.agent,
        "task_description": task.description,
    }


def describe_failure(
    envelope: SubagentResult[Any], remedy: Remedy | None = None
) -> ReportedFailure | None:
    """Describe how a task failed; None where it did not."""
    if envelope.failure is None:
        return None
    return ReportedFailure(
        task_id=envelope.task_id,
        agent_type=envelope.agent_type,
        task_description=envelope.task_description,
        attempts=envelope.attempts,
        failure=envelope.failure,
        completeness=envelope.completeness,
        remedy=remedy,
        failed_at=workflow.now(),
    )


_UNREAD = {
    PAYLOAD_LOST: "What the subagent was to work on is lost:",
    KEY_MISSING: "The subagent could not read what it was to work on.",
}

LAST = {TimeoutType.HEARTBEAT: SILENCE, TimeoutType.START_TO_CLOSE: OVERTIME}
"""The types by which a policy says that what ran out was the last attempt."""


def read_failed_envelope(
    error: ActivityError, task: Task, policy: Policy[Any, R]
) -> SubagentResult[R]:
    """Read the envelope that a failure carries, or make one of what Temporal knows."""
    facts: dict[str, Any] = {"attempts": policy.retry.maximum_attempts}
    match error.cause:
        case ApplicationError(details=(dict() as detail,)):
            try:
                return policy.declared.envelope.model_validate(detail)
            except ValidationError:
                failure = unforeseen("The subagent's envelope cannot be read.").failure
        case ApplicationError(cause=ApplicationError(type=kind, message=why)) if kind in _UNREAD:
            failure = unforeseen(f"{_UNREAD[kind]} {why}").failure
        case TimeoutError() as timeout:
            failure = _describe_timeout(timeout.type, policy)
            facts["attempts"] = _count_attempts(error, timeout, policy)
            # What was done, and what all attempts together had spent.
            if (beat := parse_beat(timeout.last_heartbeat_details)) is not None:
                facts["usage"] = beat.usage
                if beat.partial is not None:
                    facts |= {"status": Status.PARTIAL, "partial_result": beat.partial}
                    facts["completeness"] = beat.completeness
        case _:
            failure = unforeseen("The subagent failed without an envelope.").failure
    try:
        return build_failed_envelope(task, policy, failure, **facts)
    except ValidationError:  # the last heartbeat's partial result is not one
        nothing = {"status": Status.FAILED, "partial_result": None, "completeness": 0.0}
        return build_failed_envelope(task, policy, failure, **facts | nothing)


def _count_attempts(error: ActivityError, timeout: TimeoutError, policy: Policy[Any, Any]) -> int:
    """Count how often a task was begun that ran out of time; never, where it waited in a queue."""
    last = parse_beat(timeout.last_heartbeat_details)
    match timeout.type, timeout.cause:
        case (TimeoutType.SCHEDULE_TO_START, _):
            return 0
        case (TimeoutType.SCHEDULE_TO_CLOSE, ApplicationError(details=({"attempts": int(begun)},))):
            return begun
        case (TimeoutType.SCHEDULE_TO_CLOSE, cause):
            return last.attempt if last else int(bool(error.started_event_id or cause))
    is_last = timeout.type in LAST and LAST[timeout.type] in policy.retry_never
    if not is_last:
        return policy.retry.maximum_attempts
    return last.attempt + last.ended if last else 1


def build_failed_envelope(
    task: Task, policy: Policy[Any, R], failure: Failure, **facts: Any
) -> SubagentResult[R]:
    """Say of a task that it failed; that nobody began it, where no facts say otherwise."""
    envelope = {
        **_describe_task(policy, task),
        "status": Status.FAILED,
        "completeness": 0.0,
        "attempts": 0,
        "failure": failure,
    }
    return policy.declared.envelope.model_validate(envelope | facts)


def _describe_timeout(kind: TimeoutType | None, policy: Policy[Any, Any]) -> Failure:
    match kind:
        case TimeoutType.HEARTBEAT:
            how = f"gave no sign of life for {policy.heartbeat.seconds} s"
        case TimeoutType.START_TO_CLOSE:
            how = f"took longer than {policy.start_to_close.seconds} s"
        case TimeoutType.SCHEDULE_TO_CLOSE:
            how = f"was not done within {format_span(policy.schedule_to_close)}"
        case _:
            how = "timed out"
    return timed_out(f"The {policy.agent} {how}.").failure
