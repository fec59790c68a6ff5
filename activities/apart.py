"""Work for the processor, apart from the event loop and one piece at a time.

Python runs one thread at once: every further one that computes takes its share from the loop, on
which the signs of life of all tasks depend, and makes nothing faster.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_ONE = ThreadPoolExecutor(max_workers=1, thread_name_prefix="caveat-apart")


async def apart(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do a piece of work of some milliseconds, when those before it are done."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_ONE, lambda: work(*args, **kwargs))
