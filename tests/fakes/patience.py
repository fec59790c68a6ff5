"""How long a test waits for what must come."""

import asyncio
import inspect
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
