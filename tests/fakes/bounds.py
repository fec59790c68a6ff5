"""Bounds within which every fixture and every test ends, whatever it waits for."""

import asyncio
import faulthandler
import functools
import inspect
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

import pytest

PATIENT_S = 180.0
"""Seconds after which an async test is cancelled, and fails with the line at which it waited."""

LASTS_S = 300.0
"""Seconds after which a fixture, a test or the end of one is interrupted. Its failure is its own:
the others go on, but for those that need that fixture."""

LEAVES_S = 60.0  # seconds that the run has to end once its last test has


class TookTooLong(Exception):
    """A fixture or a test lasted longer than any may."""


class Bounds:
    """The plugin; what never comes back to Python is ended by pytest's own (pyproject.toml)."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        with self._bound(f"The fixture {fixturedef.argname}"):
            return (yield)  # a hook hands on what it was given

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
            item.obj = self._patiently(item.obj)
        with self._bound("It"):
            return (yield)  # as above

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Iterator[None]:
        with self._bound("The end of a fixture"):
            return (yield)  # as above

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Bound the end of the run: a thread that never ends would keep it."""
        if not hasattr(session.config, "workerinput"):  # a worker waits here for the others to end
            faulthandler.dump_traceback_later(LEAVES_S, exit=True)

    @contextmanager
    def _bound(self, what: str) -> Iterator[None]:
        """Interrupt what lasts too long; what is asked for within it has time of its own."""

        def interrupt(number: int, frame: FrameType | None) -> NoReturn:
            raise TookTooLong(f"{what} took longer than {LASTS_S:.0f} s.")

        before = signal.signal(signal.SIGALRM, interrupt)
        left, _ = signal.setitimer(signal.ITIMER_REAL, LASTS_S)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, left)
            signal.signal(signal.SIGALRM, before)

    def _patiently(self, test: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        @functools.wraps(test)
        async def bounded(*args: Any, **fixtures: Any) -> None:
            async with asyncio.timeout(PATIENT_S):
                await test(*args, **fixtures)

        return bounded
