"""Signs of life, sent while an activity works."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import Any, NamedTuple

from temporalio import activity

INTERVAL_S = 1.0
"""Five in the heartbeat timeout of 5 s, so that one late beat does not cost an attempt."""


class Beat(NamedTuple):
    """What the last sign of life of an earlier attempt carried."""

    partial: dict[str, Any]
    completeness: float


def left_by_earlier_attempt() -> Beat | None:
    """What an earlier attempt at this task had done when it broke off, as it came over the wire."""
    match activity.info().heartbeat_details:
        case [dict() as partial, float() | int() as completeness]:
            return Beat(partial, completeness)
    return None


class Pulse:
    """What a task has done so far; every heartbeat carries it, and so does a failure."""

    def __init__(self) -> None:
        self.partial: Any = None
        self.completeness = 0.0

    def report(self, partial: Any, completeness: float) -> None:
        """Replace the partial result.

        Args:
            partial: of the type that the whole result has.
            completeness: share of the task that is done, 0 to 1.
        """
        self.partial, self.completeness = partial, completeness

    def beat(self) -> None:
        """Send a sign of life with the partial result, if there is one."""
        if self.partial is None:
            activity.heartbeat()
        else:
            activity.heartbeat(self.partial, self.completeness)


CURRENT: ContextVar[Pulse] = ContextVar("pulse")
"""The pulse of the activity that runs in this context."""


@asynccontextmanager
async def heartbeats() -> AsyncIterator[Pulse]:
    """Heartbeat once a second, so that a killed worker is noticed and a cancellation arrives."""
    pulse = Pulse()
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
