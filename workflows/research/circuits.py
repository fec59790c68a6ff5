"""Circuit breakers: the first tasks of a kind go ahead, the rest follows when one succeeds."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, field

from temporalio import workflow

from caveat.contracts.envelope import R, SubagentResult
from caveat.contracts.failure import Failure
from caveat.rules.run.recovery import PROBES, is_systemic, opens


@dataclass
class Circuit:
    """The breaker of one kind of task, or of one service."""

    # It is closed once a task has succeeded, and opens when as many in a row as go ahead fail
    # alike. Then one task alone is recovered: if that succeeds it closes, else nothing more is
    # started.

    places: int = PROBES  # tasks that go ahead while nothing has succeeded
    _is_half_open: bool = False
    _is_known: bool = False
    _out: int = 0
    _is_proven: bool = False
    _failures: list[Failure] = field(default_factory=list)
    _hopes: int = 0  # tasks that failed alike and are to be recovered
    _is_lost: bool = False  # whether one was, and failed again
    _alone: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def is_open(self) -> bool:
        """Whether what was tried last failed alike."""
        return opens(self._failures, self._limit, is_known=self._is_known)

    @property
    def _has_tried(self) -> bool:
        return len(self._failures) >= min(self._limit, PROBES)

    @property
    def _limit(self) -> int:
        return 1 if self._is_half_open else self.places

    @property
    def refusal(self) -> Failure | None:
        """The failure for which nothing is started any more; None while something may work."""
        is_hopeless = self._is_lost or self._hopes == 0
        return self._failures[0] if self.is_open and is_hopeless else None

    async def enter(self, places: int, *, is_known: bool) -> Failure | None:
        """Wait until a task may start, and take its place.

        Args:
            places: tasks that may go ahead of the others.
            is_known: whether all of its tasks are of one provider.

        Returns:
            None to start it, or the failure for which it must not be started.
        """
        self.places, self._is_known = places, is_known

        def may_go() -> bool:
            has_place = self._is_proven or self._out + len(self._failures) < self._limit
            return not self.is_open and has_place

        # Again after every wait: whoever woke first may have taken the last place.
        while not may_go():
            if self.refusal is not None:
                return self.refusal
            await workflow.wait_condition(lambda: may_go() or self.refusal is not None)
        self._out += 1
        return None

    def leave(self, failure: Failure | None, *, is_tried_again: bool = False) -> None:
        """Give a place back and note how a task ended.

        Args:
            failure: why it failed; None where it did not.
            is_tried_again: whether it will be, once, with a changed input.
        """
        self._out -= 1
        if failure is None:
            self._close()
        else:
            self._failures.append(failure)
            # As many as go ahead have failed, and not alike: it says nothing of the next ones.
            self._is_proven = self._is_proven or (self._has_tried and not self.is_open)
            self._hopes += is_tried_again and is_systemic(failure)

    def withdraw(self) -> None:
        """Give a place back of a task that ended without a word on whether its kind works."""
        self._out -= 1

    async def recover(
        self, failure: Failure, attempt: Callable[[], Awaitable[SubagentResult[R] | None]]
    ) -> SubagentResult[R] | None:
        """Have a task that failed tried once more; None where it must not be."""
        if not is_systemic(failure):
            return self._learn(await attempt())
        try:
            await workflow.wait_condition(lambda: self._is_proven or not self._out or self.is_open)
            finds_out = self.is_open
            async with self._alone if finds_out else nullcontext():
                if self._is_lost:
                    return None
                again = self._learn(await attempt())
                self._is_lost = self._is_lost or (finds_out and self.is_open)
                return again
        finally:
            self._hopes -= 1

    def _learn(self, again: SubagentResult[R] | None) -> SubagentResult[R] | None:
        if again is not None and again.failure is None:
            self._close()
        return again

    def half_open(self) -> None:
        """Let one task alone find out whether its kind works by now, where it did not."""
        if self.is_open:
            self._failures.clear()
            self._is_half_open = True
            self._is_lost = False

    def _close(self) -> None:
        self._is_proven = True
        self._is_half_open = False
        self._is_lost = False
        self._failures.clear()
