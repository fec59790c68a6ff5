"""Signs of life, sent while an activity works."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from temporalio import activity

INTERVAL_S = 1.0
"""Five in the heartbeat timeout of 5 s, so that one late beat does not cost an attempt."""


@asynccontextmanager
async def heartbeats() -> AsyncIterator[None]:
    """Heartbeat once a second, so that a killed worker is noticed and a cancellation arrives."""
    beating = asyncio.create_task(_beat())
    try:
        yield
    finally:
        beating.cancel()
        with suppress(asyncio.CancelledError):
            await beating


async def _beat() -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(INTERVAL_S)
