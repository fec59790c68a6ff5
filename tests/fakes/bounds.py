"""Bounds within which every fixture and every test ends, whatever it waits for."""

import asyncio
import faulthandler
import functools
import inspect
import math
import os
import signal
import threading
import time
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

HANGS_S = 420.0
"""Seconds after which what cannot be interrupted, because it never comes back to Python, takes its
process along, having printed where every thread stood; pytest-xdist names the test and ends the
run."""

LEAVES_S = 60.0  # seconds that the run has to end once its last test has
_LOOK_S = 5.0  # seconds between two looks at the clock


class TookTooLong(Exception):
    """A fixture or a test lasted longer than any may."""


class _Watch(threading.Thread):
    """Ends this process when a bound has passed, having said where every thread stood.

    Not with a timer for each test: starting and joining one takes a busy machine 10 ms.
    """

    def __init__(self) -> None:
        super().__init__(name="watch", daemon=True)
        self.until = math.inf
        # While tests run, pytest holds back what is written to the terminal.
        self._terminal = os.dup(2)

    def run(self) -> None:
        while time.monotonic() < self.until:
            time.sleep(_LOOK_S)
        faulthandler.dump_traceback(file=self._terminal)
        os._exit(1)


class Bounds:
    """The plugin.

    Attributes:
        patient_s: as `PATIENT_S`.
        lasts_s: as `LASTS_S`.
    """

    def __init__(self, patient_s: float = PATIENT_S, lasts_s: float = LASTS_S) -> None:
        self.patient_s = patient_s
        self.lasts_s = lasts_s
        self._watch = _Watch()
        self._watch.start()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        with self._bound(f"The fixture {fixturedef.argname}"):
            return (yield)  # a hook hands on what it was given

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        self._watch.until = time.monotonic() + HANGS_S

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        self._watch.until = time.monotonic() + HANGS_S
        if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
            item.obj = self._patiently(item.obj)
        with self._bound("It"):
            return (yield)  # as above

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Iterator[None]:
        """Bound the end of fixtures, and not the time that a process waits for its next test."""
        self._watch.until = time.monotonic() + HANGS_S
        try:
            with self._bound("The end of a fixture"):
                return (yield)  # as above
        finally:
            self._watch.until = math.inf

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Bound the end of the run: a thread that never ends would keep it."""
        if not hasattr(session.config, "workerinput"):  # a worker waits here for the others to end
            self._watch.until = time.monotonic() + LEAVES_S

    @contextmanager
    def _bound(self, what: str) -> Iterator[None]:
        """Interrupt what lasts too long; what is asked for within it has time of its own."""

        def interrupt(number: int, frame: FrameType | None) -> NoReturn:
            raise TookTooLong(f"{what} took longer than {self.lasts_s:.0f} s.")

        before = signal.signal(signal.SIGALRM, interrupt)
        left, _ = signal.setitimer(signal.ITIMER_REAL, self.lasts_s)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, left)
            signal.signal(signal.SIGALRM, before)

    def _patiently(self, test: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        @functools.wraps(test)
        async def bounded(*args: Any, **fixtures: Any) -> None:
            async with asyncio.timeout(self.patient_s):
                await test(*args, **fixtures)

        return bounded
