"""Work of some milliseconds, and waits for a disk, off the event loop."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# Python runs one thread at once: every further one that computes takes its share from the event
# loop, on which the signs of life of all tasks depend, and makes nothing faster.
_ONE = ThreadPoolExecutor(max_workers=1, thread_name_prefix="caveat-work")


async def run_in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do a piece of work on a thread, when those before it are done."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_ONE, lambda: work(*args, **kwargs))


def wait_in_thread(work: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Make a function that waits for a disk one that is awaited."""

    @wraps(work)
    async def wait(*args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(work, *args, **kwargs)

    return wait
