"""Signs of life, sent while an activity works, and what they carry from attempt to attempt."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import Any

from pydantic import Field, ValidationError
from temporalio import activity

from caveat.contracts.base import Contract
from caveat.contracts.envelope import Usage

INTERVAL_S = 1.0
"""Five in the heartbeat timeout of 5 s, so that one late beat does not cost an attempt."""

ALMOST = 0.99
"""The most that a task which is not whole may have done."""


class Beat(Contract):
    """The one detail of a heartbeat: what of a task must survive the attempt at it.

    Attributes:
        partial: what was found so far, of the type that the whole result has, as it travels; None
            where there is nothing.
        completeness: share of the task that is done, 0 to less than 1.
        usage: what this attempt and those before it have spent, as far as it is known.
        attempt: which one.
        ended: whether it came to an end of its own, so that `usage` is all that it spent.
    """

    partial: Any = None
    completeness: float = Field(default=0.0, ge=0, lt=1)
    usage: Usage = Usage()
    attempt: int = Field(default=1, ge=1)
    ended: bool = False


def beat_of(details: Sequence[Any]) -> Beat | None:
    """Read the details of a heartbeat as they come over the wire; None where they are no beat."""
    match details:
        case [dict() as detail]:
            with suppress(ValidationError):
                return Beat.model_validate(detail)
    return None


def left_by_earlier_attempt() -> Beat | None:
    """What earlier attempts at this task had done, and spent, when the last of them broke off."""
    return beat_of(activity.info().heartbeat_details)


def lost_attempts() -> int:
    """Count the attempts before this one whose end nobody saw: their worker was lost."""
    before = activity.info().attempt - 1
    left = left_by_earlier_attempt()
    if left is None:
        return before
    return before - (left.attempt if left.ended else left.attempt - 1)


class Pulse:
    """What a task has done and spent so far; every heartbeat carries it, and so does a failure.

    Args:
        spent: what earlier attempts have spent.
    """

    def __init__(self, spent: Usage | None = None) -> None:
        self.partial: Any = None
        self.completeness = 0.0
        self.usage = spent or Usage()
        self.ended = False

    def report(self, partial: Any, completeness: float) -> None:
        """Replace the partial result.

        Args:
            partial: of the type that the whole result has.
            completeness: share of the task that is done, 0 to 1.
        """
        self.partial, self.completeness = partial, min(max(completeness, 0.0), ALMOST)

    def spend(self, usage: Usage) -> None:
        """Add what was spent on the task."""
        self.usage += usage

    def beat(self) -> None:
        """Send a sign of life with everything that the next attempt should know."""
        activity.heartbeat(
            Beat(
                partial=self.partial,
                completeness=self.completeness,
                usage=self.usage,
                attempt=activity.info().attempt,
                ended=self.ended,
            )
        )


CURRENT: ContextVar[Pulse] = ContextVar("pulse")
"""The pulse of the activity that runs in this context."""


@asynccontextmanager
async def heartbeats() -> AsyncIterator[Pulse]:
    """Heartbeat once a second, so that a killed worker is noticed and a cancellation arrives."""
    earlier = left_by_earlier_attempt()
    # From the first beat on: each replaces the one before it, and what that knew.
    pulse = Pulse(earlier.usage if earlier else None)
    token = CURRENT.set(pulse)
    beating = asyncio.create_task(_beat(pulse))
    try:
        yield pulse
    finally:
        CURRENT.reset(token)
        beating.cancel()
        with suppress(asyncio.CancelledError):
            await beating


async def _beat(pulse: Pulse) -> None:
    while True:
        pulse.beat()
        await asyncio.sleep(INTERVAL_S)
