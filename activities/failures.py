"""The one place where an exception becomes an envelope on the wire."""

import asyncio
import functools
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeVar

from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.heartbeats import Pulse, heartbeats, lost_attempts
from caveat import spending
from caveat.contracts.envelope import AgentType, Status, SubagentResult, Usage
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.spending import Allowance, Need
from caveat.contracts.tasks import Task
from caveat.failures import PortFailure
from caveat.spending import Meter, NotAllowed
from caveat.turns import CURRENT, AnotherTurn, Turns

ANOTHER_TURN = "another_turn"
"""The type of what is no failure: a task that needs one more model call."""

MORE = "allowance"
"""The type of what is no failure either: a call that needs more than the task may spend."""

S = TypeVar("S")
A = TypeVar("A", bound=Task)
R = TypeVar("R")


_ROLES: dict[str, AgentType] = {}
"""The role of every activity, by the name of its method."""


def subagent(
    agent: AgentType,
) -> Callable[[Callable[[S, A], Awaitable[R]]], Callable[[S, A], Awaitable[R]]]:
    """Let an activity method raise what its ports raise.

    While it runs, it heartbeats. When it fails, the failure leaves as an `ApplicationError` whose
    type is the failure type, by which `workflows.options` decides on retries, and whose single
    detail is a failed or partial `SubagentResult` with the usage of every attempt so far. What no
    adapter foresaw leaves as `unknown`.

    Args:
        agent: the role that the envelope names.
    """

    def decorate(method: Callable[[S, A], Awaitable[R]]) -> Callable[[S, A], Awaitable[R]]:
        _ROLES[method.__qualname__] = agent

        @functools.wraps(method)
        async def run(self: S, task: A) -> R:
            CURRENT.set(Turns(number=task.turn, last=task.turn >= task.max_turns))
            async with heartbeats() as pulse:
                meter = _meter(task.allowance, pulse)
                spending.CURRENT.set(meter)
                try:
                    return await method(self, task)
                except asyncio.CancelledError:
                    raise
                except AnotherTurn as wanted:
                    pulse.spend(wanted.usage)
                    raise _another_turn(pulse) from None
                except NotAllowed as wanted:
                    raise _more(wanted, meter, pulse) from None
                except PortFailure as error:
                    failure = error.failure
                    pulse.spend(error.usage)
                except Exception as error:  # noqa: BLE001  # behind this boundary nothing raises
                    activity.logger.exception("Unforeseen failure in %s", agent)
                    failure = _unforeseen(error)
            # The next attempt is given the last sign of life, and not this one's failure; the
            # SDK sends it before the failure, however little time has passed since another one.
            pulse.ended = True
            pulse.beat()
            raise _on_the_wire(agent, task, failure, pulse)

        return run

    return decorate


def role_of(method: Callable[..., Any]) -> AgentType:
    """Return the role that the envelopes of an activity name."""
    return _ROLES[method.__qualname__]


def refusal(agent: AgentType, task: Task, failure: Failure) -> ApplicationError:
    """Put a task on the wire that is refused before its activity sees it."""
    return _on_the_wire(agent, task, failure, Pulse())


def _meter(allowance: Allowance | None, pulse: Pulse) -> Meter | None:
    """Begin to count what this attempt spends, where anything bounds it.

    An attempt that was lost with its worker is taken to have spent all that it was allowed.
    """
    if allowance is None:
        return None
    for _ in range(lost_attempts()):
        pulse.spend(
            Usage(
                model_calls=allowance.calls or 0,
                input_tokens=allowance.tokens or 0,
                cost_usd=allowance.cost_usd or 0.0,
            )
        )
    return Meter(allowance, before=pulse.usage)


def _more(wanted: NotAllowed, meter: Meter | None, pulse: Pulse) -> ApplicationError:
    """Tell the coordinator what a call needs; its detail also says what was spent until then."""
    if meter is not None:
        pulse.spend(meter.spent)
    need = Need(
        whole=wanted.whole,
        least=wanted.least,
        spent=pulse.usage,
        attempts=activity.info().attempt,
    )
    return ApplicationError(str(wanted), need, type=MORE)


def _another_turn(pulse: Pulse) -> ApplicationError:
    """Tell the coordinator that the task must be given out again; its detail is what was spent."""
    return ApplicationError("The answer must be mended.", pulse.usage, type=ANOTHER_TURN)


def _on_the_wire(agent: AgentType, task: Task, failure: Failure, pulse: Pulse) -> ApplicationError:
    envelope: SubagentResult[Any] = SubagentResult(
        status=Status.FAILED if pulse.partial is None else Status.PARTIAL,
        task_id=task.task_id,
        agent_type=agent,
        task_description=task.description,
        partial_result=pulse.partial,
        completeness=pulse.completeness,
        failure=failure,
        attempts=activity.info().attempt,
        usage=pulse.usage,
    )
    delay = failure.retry_after_s
    return ApplicationError(
        failure.message,
        envelope,
        type=failure.failure_type,
        next_retry_delay=None if delay is None else timedelta(seconds=delay),
    )


def _unforeseen(error: Exception) -> Failure:
    # The error's own text may hold page text or a secret, so only its class travels.
    return Failure(
        category=FailureCategory.UNKNOWN,
        failure_type=FailureType.PERMANENT,
        message=f"An unforeseen {type(error).__name__} stopped the task; the worker's log has it.",
    )
