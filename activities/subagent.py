"""A subagent: one attempt at a task, which shows signs of life and ends in an envelope.

The one place where an exception becomes an envelope on the wire.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, Generic, TypeVar, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError
from temporalio import activity
from temporalio.exceptions import ApplicationError

from caveat.contracts.base import Contract
from caveat.contracts.envelope import (
    Failure,
    FailureCategory,
    FailureType,
    R,
    Status,
    SubagentResult,
    Usage,
)
from caveat.contracts.tasks import Task
from caveat.failures import PortFailure, is_shortage, unavailable, unforeseen

INTERVAL_S = 2.0
"""Two in the heartbeat timeout of 5 s, so that one late beat does not cost an attempt; none within
two seconds, in which most tasks of code alone end."""

ALMOST = 0.99  # the most that a task which is not whole may have done

S = TypeVar("S")
A = TypeVar("A", bound=Task)


class Beat(Contract):
    """The one detail of a heartbeat: what of a task must survive the attempt at it."""

    # what was found so far, of the type that the whole result has, as it travels; None where there
    # is nothing
    partial: Any = None
    completeness: float = Field(default=0.0, ge=0, lt=1)  # share that is done
    usage: Usage = Usage()  # of earlier attempts too, as far as it is known
    attempt: int = Field(default=1, ge=1)
    ended: bool = False  # whether it ended by itself, so that `usage` is all


def parse_beat(details: Sequence[Any]) -> Beat | None:
    """Read the details of a heartbeat as they come over the wire; None where they are no beat."""
    match details:
        case [dict() as detail]:
            with suppress(ValidationError):
                return Beat.model_validate(detail)
    return None


@dataclass
class Attempt:
    """One attempt at a task, and what it has done and spent so far."""

    role: str
    task: Task
    begun: float = field(default_factory=time.monotonic)  # on the monotonic clock
    usage: Usage = field(default_factory=Usage)  # of earlier attempts too
    partial: Any = None  # what was found so far, of the type that the whole result has
    completeness: float = 0.0  # share of the task that is done, 0 to less than 1

    def read_earlier_result(self, kind: type[R]) -> tuple[R | None, float]:
        """Return what earlier attempts had found, and of what share of the work."""
        if self.partial is not None:
            with suppress(ValidationError):
                return TypeAdapter(kind).validate_python(self.partial), self.completeness
        return None, 0.0

    def report(self, partial: Any, completeness: float) -> None:
        """Replace the partial result and the share done, which heartbeats and failures carry."""
        self.partial, self.completeness = partial, min(max(completeness, 0.0), ALMOST)

    def wrap_result(
        self, result: R, *, usage: Usage | None = None, gaps: tuple[str, ...] = (), by: str = ""
    ) -> SubagentResult[R]:
        self.usage += usage or Usage()
        return SubagentResult(
            **self._build_facts(), status=Status.SUCCESS, result=result, completeness=1.0,
            gaps=gaps, reasoner=by,
        )  # fmt: skip

    def wrap_failure(self, failure: Failure) -> ApplicationError:
        """Put a failure on the wire, with what was found until then."""
        envelope: SubagentResult[Any] = SubagentResult(
            **self._build_facts(),
            status=Status.FAILED if self.partial is None else Status.PARTIAL,
            partial_result=self.partial,
            completeness=self.completeness,
            failure=failure,
        )
        delay = failure.retry_after_s
        # An attempt that outlasts four times the silence that its policy bears is not made again
        # with the same input: four of them would hold a run for minutes. A connection that is
        # refused or dropped ends within seconds.
        silence = activity.info().heartbeat_timeout or timedelta(seconds=5)
        is_hung = time.monotonic() - self.begun >= 4 * silence.total_seconds()
        return ApplicationError(
            failure.message,
            envelope,
            type=failure.failure_type,
            non_retryable=failure.failure_type is FailureType.TIMEOUT and is_hung,
            next_retry_delay=None if delay is None else timedelta(seconds=delay),
        )

    def send_beat(self, *, ended: bool = False) -> None:
        """Send a sign of life with everything that the next attempt should know."""
        activity.heartbeat(Beat(**vars(self), attempt=activity.info().attempt, ended=ended))

    def _build_facts(self) -> dict[str, Any]:
        return {
            "task_id": self.task.task_id,
            "agent_type": self.role,
            "task_description": self.task.description,
            "attempts": activity.info().attempt,
            "usage": self.usage,
        }


def declare_subagent(
    role: str, *, name: str | None = None
) -> Callable[
    [Callable[[S, A, Attempt], Awaitable[SubagentResult[R]]]],
    Callable[[S, A], Awaitable[SubagentResult[R]]],
]:
    """Make an activity of a method, of its name, which may raise what its ports raise.

    While it runs, it heartbeats. When it fails, the failure leaves as an `ApplicationError` whose
    type is the failure type, by which `workflows/options.py` decides on retries, and whose single
    detail is a failed or partial `SubagentResult` with the usage of every attempt so far. What no
    adapter foresaw leaves as `unknown`.
    """

    def decorate(
        method: Callable[[S, A, Attempt], Awaitable[SubagentResult[R]]],
    ) -> Callable[[S, A], Awaitable[SubagentResult[R]]]:
        async def run(self: S, task: A) -> SubagentResult[R]:
            return await _run_task(role, task, partial(method, self))

        hints = get_type_hints(method)
        declared = Declared(name or method.__name__, role, hints["return"])
        for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(run, attribute, getattr(method, attribute))
        # Temporal reads from the signature what comes over the wire: the task alone.
        run.__annotations__ = {"task": hints["task"], "return": declared.envelope}
        setattr(run, _DECLARED, declared)
        return activity.defn(name=declared.name)(run)

    return decorate


_DECLARED = "caveat_declared"  # the attribute of an activity that says what a workflow calls


@dataclass(frozen=True)
class Declared(Generic[R]):
    name: str
    agent: str  # the role that its envelopes name
    envelope: type[SubagentResult[R]]


def find_declaration(work: Callable[[Any, A], Awaitable[SubagentResult[R]]]) -> Declared[R]:
    """Say what a workflow calls."""
    known: Declared[R] = getattr(work, _DECLARED)
    return known


def list_activities(*holders: object) -> tuple[Callable[..., Any], ...]:
    return tuple(
        getattr(holder, name)
        for holder in holders
        for name, method in vars(type(holder)).items()
        if hasattr(method, _DECLARED)
    )


async def _send_beats(attempt: Attempt) -> None:
    while True:
        # Not at once: each beat is a write of the server, with which what the attempt before said
        # last stays until then.
        await asyncio.sleep(INTERVAL_S)
        attempt.send_beat()


async def _run_task(
    role: str, task: A, work: Callable[[A, Attempt], Awaitable[SubagentResult[R]]]
) -> SubagentResult[R]:
    """Do the work, heartbeat meanwhile, and give everything that it raises a name on the wire."""
    attempt = Attempt(role, task)
    if (left := parse_beat(activity.info().heartbeat_details)) is not None:
        # Each beat replaces the one before it, and what that knew.
        attempt.usage = left.usage
        attempt.report(left.partial, left.completeness)
    # So that a killed worker is noticed and a cancellation arrives.
    beating = asyncio.create_task(_send_beats(attempt))
    try:
        return await work(_reduce_turns(attempt, task), attempt)
    except asyncio.CancelledError:
        raise
    except PortFailure as error:
        failure = error.failure
        attempt.usage += error.usage
        # For operators; the SDK adds the ids of run and activity.
        activity.logger.warning(
            "%s failed in %s: %s, %s", role, task.task_id, failure.failure_type, failure.message
        )
    except Exception as error:  # noqa: BLE001  # whatever it is gets a name and is logged
        failure = _describe_unforeseen(error)
        activity.logger.exception("Unforeseen failure of %s in %s", role, task.task_id)
    finally:
        beating.cancel()
        with suppress(asyncio.CancelledError):
            await beating
    # The next attempt is given the last sign of life, and not this one's failure; the SDK sends it
    # before the failure, however little time has passed since another one.
    attempt.send_beat(ended=True)
    raise attempt.wrap_failure(failure)


def _reduce_turns(attempt: Attempt, task: A) -> A:
    """Leave a task whose budget is bounded the calls that earlier attempts did not make."""
    if task.room is None or not attempt.usage.model_calls:
        return task
    left = task.max_turns - attempt.usage.model_calls
    if left < 1:
        raise PortFailure(
            Failure(
                category=FailureCategory.BUSINESS,
                failure_type=FailureType.PERMANENT,
                message="What the task may take of the budget went into answers that broke off.",
                retry_recommended=True,
            )
        )
    return task.model_copy(update={"max_turns": left})


def _describe_unforeseen(error: Exception) -> Failure:
    if is_shortage(error):
        message = f"This machine is short of files, memory or disk ({type(error).__name__})."
        return unavailable(message, resource="").failure
    # The error's own text may hold page text or a secret, so only its class travels.
    message = f"An unforeseen {type(error).__name__} stopped the task; the worker's log has it."
    return unforeseen(message).failure
