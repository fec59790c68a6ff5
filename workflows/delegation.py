"""Delegation: one task to one subagent; whatever happens comes back as an envelope."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, get_type_hints

from pydantic import ValidationError
from temporalio import workflow
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    TimeoutError,  # noqa: A004  # Temporal's, not the built-in
    TimeoutType,
    is_cancelled_exception,
)

from workflows.funds import Account
from workflows.options import Policy
from workflows.routing import queue_of
from workflows.spans import in_words

with workflow.unsafe.imports_passed_through():
    from activities.failures import ANOTHER_TURN, MORE
    from activities.heartbeats import beat_of
    from caveat.contracts.backend import Route
    from caveat.contracts.envelope import AgentType, Status, SubagentResult, Usage
    from caveat.contracts.failure import Failure, FailureCategory, FailureType
    from caveat.contracts.spending import Allowance, Need
    from caveat.contracts.tasks import Task

A = TypeVar("A", bound=Task)
R = TypeVar("R")

TIMED_OUT = {
    TimeoutType.HEARTBEAT: "gave no sign of life for {policy.heartbeat.seconds} s",
    TimeoutType.START_TO_CLOSE: "took longer than {policy.start_to_close.seconds} s",
    TimeoutType.SCHEDULE_TO_CLOSE: "was not done within {in_time}",
    TimeoutType.SCHEDULE_TO_START: "was not begun in time",
}


async def delegate(
    method: Callable[[Any, A], Awaitable[SubagentResult[R]]],
    task: A,
    policy: Policy,
    route: Route,
    account: Account | None = None,
) -> SubagentResult[R]:
    """Give a task to a subagent under a policy, again for each further turn that it needs.

    Args:
        method: the activity.
        task: what to do.
        policy: how it is run.
        route: which workers may do it.
        account: what it may spend; None for what calls no model.

    Returns:
        What the subagent reported, or a failed envelope when its last attempt failed.

    Raises:
        ActivityError: the run itself is being cancelled.
        LeftOut: there is no room for it in the budget.
    """
    if account is None:
        return await _Errand(method, task, policy, route).done()
    errand = _Errand(method, task, policy, route, account, await account.open())
    try:
        return await errand.done()
    finally:
        account.forfeit()


@dataclass
class _Errand(Generic[A, R]):
    """A task that is given out until it is done, with what it has taken so far."""

    method: Callable[[Any, A], Awaitable[SubagentResult[R]]]
    task: A
    policy: Policy
    route: Route
    account: Account | None = None
    allowance: Allowance | None = None
    turn: int = 1
    begun: int = 0
    spent: Usage = field(default_factory=Usage)

    async def done(self) -> SubagentResult[R]:
        while True:
            try:
                envelope = await self._given_out()
            except ActivityError as error:
                if is_cancelled_exception(error):
                    raise
                if await self._goes_on(error):
                    continue
                result = get_type_hints(self.method)["return"]
                return self._summed(_failed(error, self.task, self._policy(), result), error)
            return self._summed(envelope)

    async def _given_out(self) -> SubagentResult[R]:
        given = {"turn": self.turn, "allowance": self.allowance}
        task = self.task.model_copy(update=given)
        return await _one_turn(self.method, task, self._policy(), self.route)

    def _policy(self) -> Policy:
        return self.policy if self.account is None else self.account.timely(self.begun)

    async def _goes_on(self, error: ActivityError) -> bool:
        """Whether it was no failure: the task wants another turn, or more than it was allowed."""
        match error.cause:
            case ApplicationError(type=kind, details=(dict() as detail,)) if kind == MORE:
                need: Need | None = Need.model_validate(detail)
            case ApplicationError(type=kind, details=(dict() as detail,)) if kind == ANOTHER_TURN:
                need = None
            case _:
                return False
        if need is not None:
            self._book(need.spent)
            self.begun += need.attempts - 1
        elif self.turn < self.task.max_turns:
            self._book(Usage.model_validate(detail))
            self.turn, self.begun = self.turn + 1, 0
        else:
            return False
        if self.account is not None:
            self.allowance = await self.account.more(need)
        return True

    def _book(self, took: Usage) -> None:
        self.spent += took
        if self.account is not None:
            self.account.settle(took)

    def _summed(
        self, envelope: SubagentResult[R], error: ActivityError | None = None
    ) -> SubagentResult[R]:
        """Book the last time that it was given out; what nobody knows counts as all it may take."""
        took = envelope.usage
        if self.account is not None and isinstance(error and error.cause, TimeoutError):
            took = self.account.forfeit()
        elif self.account is not None:
            self.account.settle(took)
        return envelope.model_copy(
            update={"usage": self.spent + took, "attempts": self.begun + envelope.attempts}
        )


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
    is_cut = kind is TimeoutType.SCHEDULE_TO_CLOSE and not policy.schedule_to_close.days
    if is_cut and policy.agent is not AgentType.HERALD:  # whose own bound is minutes
        how = "was not done in the minutes that the budget gave it"
    how = how.format(policy=policy, in_time=in_words(policy.schedule_to_close))
    return Failure(
        category=FailureCategory.TRANSIENT,
        failure_type=FailureType.TIMEOUT,
        message=f"The {policy.agent} {how}.",
        retry_recommended=True,
    )


def _unknown(message: str) -> Failure:
    return Failure(
        category=FailureCategory.UNKNOWN, failure_type=FailureType.PERMANENT, message=message
    )
