"""Work of some milliseconds off the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# Python runs one thread at once: every further one that computes takes its share from the event
# loop, on which the signs of life of all tasks depend, and makes nothing faster.
_ONE = ThreadPoolExecutor(max_workers=1, thread_name_prefix="caveat-work")


async def run_in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do a piece of work on a thread, when those before it are done."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_ONE, lambda: work(*args, **kwargs))
