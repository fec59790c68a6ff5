"""Running until done, or until a signal says stop."""

import asyncio
import gc
import os
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

from clients.cli.exits import Stopped

T = TypeVar("T")

_STOPS = (signal.SIGINT, signal.SIGTERM)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine; the first signal cancels it, the second ends this process at once.

    Ending at once is safe, because whatever a run needs is on the server.

    Raises:
        Stopped: a signal came before it was done.
    """
    gc.freeze()
    gc.enable()  # which the command's first lines had switched off
    return asyncio.run(_until_told(main))


async def _until_told(main: Coroutine[Any, Any, T]) -> T:
    loop = asyncio.get_running_loop()
    task = loop.create_task(main)
    told: list[int] = []

    def stop(number: int) -> None:
        if told:
            os._exit(128 + number)
        told.append(number)
        task.cancel()

    for number in _STOPS:
        # Not removed at the end: closing the loop waits for threads, and must be interruptible.
        loop.add_signal_handler(number, stop, number)
    await asyncio.wait({task})
    if told and (task.cancelled() or task.exception() is not None):
        raise Stopped(told[0])
    return task.result()
