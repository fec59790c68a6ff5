"""Cancelling: ending a task of a run that goes on without it."""

import asyncio
from typing import Any

from temporalio.exceptions import ActivityError, is_cancelled_exception


async def cancelled(task: "asyncio.Task[Any]") -> None:
    """Cancel a task and wait until it has ended.

    Raises:
        ActivityError: it failed on its own account before the cancellation came.
    """
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass
    except ActivityError as error:
        if not is_cancelled_exception(error):
            raise
