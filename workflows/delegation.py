"""Delegation: one task to one subagent; whatever happens comes back as an envelope."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic import ValidationError
from temporalio import workflow
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    TimeoutError,  # noqa: A004  # Temporal's, not the built-in
    TimeoutType,
    is_cancelled_exception,
)

from workflows.options import Policy

with workflow.unsafe.imports_passed_through():
    from caveat.contracts.envelope import Status, SubagentResult
    from caveat.contracts.failure import Failure, FailureCategory, FailureType
    from caveat.contracts.tasks import Task

A = TypeVar("A", bound=Task)
R = TypeVar("R")

TIMED_OUT = {
    TimeoutType.HEARTBEAT: "gave no sign of life for {policy.heartbeat.seconds} s",
    TimeoutType.START_TO_CLOSE: "took longer than {policy.start_to_close.seconds} s",
    TimeoutType.SCHEDULE_TO_CLOSE: "was not done within {policy.schedule_to_close.days} days",
    TimeoutType.SCHEDULE_TO_START: "was not begun in time",
}


async def delegate(
    method: Callable[[Any, A], Awaitable[SubagentResult[R]]], task: A, policy: Policy
) -> SubagentResult[R]:
    """Give a task to a subagent under a policy.

    Returns:
        What the subagent reported, or a failed envelope when its last attempt failed.

    Raises:
        ActivityError: the run itself is being cancelled.
    """
    try:
        return await workflow.execute_activity_method(
            method,
            task,
            task_queue=workflow.info().task_queue + policy.lane,
            start_to_close_timeout=policy.start_to_close,
            schedule_to_close_timeout=policy.schedule_to_close,
            heartbeat_timeout=policy.heartbeat,
            retry_policy=policy.retry,
            summary=task.description,
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        return _failed(error, task, policy)


def _failed(error: ActivityError, task: Task, policy: Policy) -> SubagentResult[Any]:
    match error.cause:
        case ApplicationError(details=(dict() as detail,)):
            try:
                return SubagentResult[Any].model_validate(detail)
            except ValidationError:
                failure = _unknown("The subagent failed and its envelope cannot be read.")
        case TimeoutError(type=kind):
            failure = _timed_out(kind, policy)
        case _:
            failure = _unknown("The subagent failed without an envelope.")
    return SubagentResult(
        status=Status.FAILED,
        task_id=task.task_id,
        agent_type=policy.agent,
        task_description=task.description,
        completeness=0.0,
        failure=failure,
        attempts=policy.retry.maximum_attempts,
    )


def _timed_out(kind: TimeoutType | None, policy: Policy) -> Failure:
    how = TIMED_OUT.get(kind, "timed out") if kind is not None else "timed out"
    return Failure(
        category=FailureCategory.TRANSIENT,
        failure_type=FailureType.TIMEOUT,
        message=f"The {policy.agent} {how.format(policy=policy)}.",
        retry_recommended=True,
    )


def _unknown(message: str) -> Failure:
    return Failure(
        category=FailureCategory.UNKNOWN, failure_type=FailureType.PERMANENT, message=message
    )
