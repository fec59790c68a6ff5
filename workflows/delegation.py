"""Delegation: one task to one subagent; whatever happens comes back as an envelope."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, get_type_hints

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
from workflows.routing import queue_of

with workflow.unsafe.imports_passed_through():
    from activities.failures import ANOTHER_TURN
    from activities.heartbeats import beat_of
    from caveat.contracts.backend import Route
    from caveat.contracts.envelope import Status, SubagentResult, Usage
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
    method: Callable[[Any, A], Awaitable[SubagentResult[R]]],
    task: A,
    policy: Policy,
    route: Route,
) -> SubagentResult[R]:
    """Give a task to a subagent under a policy, again for each further turn that it needs.

    Args:
        method: the activity.
        task: what to do.
        policy: how it is run.
        route: which workers may do it.

    Returns:
        What the subagent reported, or a failed envelope when its last attempt failed.

    Raises:
        ActivityError: the run itself is being cancelled.
    """
    earlier = Usage()
    for turn in range(1, task.max_turns + 1):
        try:
            envelope = await _one_turn(
                method, task.model_copy(update={"turn": turn}), policy, route
            )
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            spent = _spent_before_another_turn(error)
            if spent is not None and turn < task.max_turns:
                earlier += spent
                continue
            envelope = _failed(error, task, policy, get_type_hints(method)["return"])
        return envelope.model_copy(update={"usage": envelope.usage + earlier})
    raise RuntimeError("a task has at least one turn")


async def _one_turn(
    method: Callable[[Any, A], Awaitable[SubagentResult[R]]],
    task: A,
    policy: Policy,
    route: Route,
) -> SubagentResult[R]:
    turns = f" (turn {task.turn})" if task.turn > 1 else ""
    return await workflow.execute_activity_method(
        method,
        task,
        task_queue=queue_of(workflow.info().task_queue, policy.lane, route),
        start_to_close_timeout=policy.start_to_close,
        schedule_to_close_timeout=policy.schedule_to_close,
        heartbeat_timeout=policy.heartbeat,
        retry_policy=policy.retry,
        summary=task.description + turns,
    )


def _spent_before_another_turn(error: ActivityError) -> Usage | None:
    """Read what a turn spent that asks for another one; None of a failure."""
    match error.cause:
        case ApplicationError(type=kind, details=(dict() as detail,)) if kind == ANOTHER_TURN:
            return Usage.model_validate(detail)
    return None


def _failed(
    error: ActivityError, task: Task, policy: Policy, envelope: type[SubagentResult[R]]
) -> SubagentResult[R]:
    """Read the envelope that a failure carries, or make one of what Temporal knows."""
    facts: dict[str, Any] = {
        "status": Status.FAILED,
        "task_id": task.task_id,
        "agent_type": policy.agent,
        "task_description": task.description,
        "completeness": 0.0,
        "attempts": policy.retry.maximum_attempts,
    }
    match error.cause:
        case ApplicationError(details=(dict() as detail,)):
            try:
                return envelope.model_validate(detail)
            except ValidationError:
                facts["failure"] = _unknown("The subagent failed and its envelope is not readable.")
        case TimeoutError() as timeout:
            facts |= {"failure": _timed_out(timeout.type, policy), **_left(timeout)}
        case _:
            facts["failure"] = _unknown("The subagent failed without an envelope.")
    try:
        return envelope.model_validate(facts)
    except ValidationError:  # the last heartbeat's partial result is not one
        return envelope.model_validate(
            {**facts, "status": Status.FAILED, "partial_result": None, "completeness": 0.0}
        )


def _left(timeout: TimeoutError) -> dict[str, Any]:
    """What the last heartbeat carried: what was done, and what all attempts together had spent."""
    beat = beat_of(timeout.last_heartbeat_details)
    if beat is None:
        return {}
    done = {
        "status": Status.PARTIAL,
        "partial_result": beat.partial,
        "completeness": beat.completeness,
    }
    return {"usage": beat.usage, **(done if beat.partial is not None else {})}


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
