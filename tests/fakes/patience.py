"""How long a test waits for what must come, and how fast this machine is now."""

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import Any

PATIENCE_S = 120.0
"""Seconds after which what a process or a run was to do is taken for undone. A test that passes
waits for none of them: what takes one on an idle machine takes twenty beside ten other jobs, and
every test is cancelled after 180 (tests/conftest.py)."""

LOOK_S = 0.05


async def until(holds: Callable[[], Any]) -> Any:
    """Look until something holds that tells nobody, and return it."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            found = holds()
            if inspect.isawaitable(found):
                found = await found
            if found:
                return found
            await asyncio.sleep(LOOK_S)


ROUNDS = 420_000
REFERENCE_S = 0.19
"""What `_work` takes where the bounds were set: on one of two idle x86 cores, with Python 3.11."""


def slowness() -> float:
    """Say how many times longer than there the same work takes here and now; at least 1."""
    return max(1.0, max(_work() for _ in range(3)) / REFERENCE_S)


def _work() -> float:
    began = time.process_time()
    total = 0
    words: dict[str, int] = {}
    for number in range(ROUNDS):
        word = f"w{number % 977}"
        words[word] = words.get(word, 0) + number
        total += len(word)
    return time.process_time() - began
