"""The governor: it delays calls so that a provider's rate limit is not met.

Three guards stand before a rate limit. The queue-wide limit of Temporal holds for all workers, but
someone has to set it; Temporal's retries wait as long as a refusal asks, but a refusal costs one of
four attempts. Between them stands this one, which knows what every answer tells of the limit.
"""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from math import inf, isinf

from caveat.adapters.claude.account import Account
from caveat.contracts.envelope import Usage

PATIENCE_S = 60.0
"""Longest wait for leave to send. Waiting here holds one of the worker's places but none of an
activity's four attempts. Limits are renewed within a minute, so who has to wait longer waits for a
provider that is closed and not merely busy: Temporal can do that, and the place serves another."""

_PATIENT_SHARE = 0.5
"""Of the time until a call's deadline, the most that it may wait: the answer needs the rest. An
analysis keeps 105 s of its 165, enough for 8,000 tokens at 80 a second."""

_LONGEST_S = 3_600.0
"""As for a server's own `Retry-After`."""

_TICK_S = 0.001
"""Shortest sleep: timers are no more precise, and an instant too early is before the renewal."""


class Busy(Exception):
    """A call was not sent: its turn would come too late.

    Args:
        retry_after_s: seconds until it may be sent if it is asked again.
    """

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(f"not before {retry_after_s:.0f} s")
        self.retry_after_s = retry_after_s


@dataclass
class Passage:
    """One call that may be sent now."""

    line: "_Line"
    usage: Usage | None = None
    _heard: bool = False

    def hear(self, status: int, headers: Mapping[str, str]) -> None:
        """Tell how its answer begins; only the first time counts."""
        if not self._heard:
            self._heard = True
            self.line.hear(status, headers)

    def leave(self) -> None:
        """End it, answered or not."""
        if not self._heard:
            self.line.account.unanswered()
        self.line.account.finish(self.usage)
        self.line.news.set()


@dataclass
class Governor:
    """Lets calls pass, one governor a process; each model has limits of its own.

    A server that says nothing of limits is never waited for.

    Attributes:
        clock: the time on this machine, aware of its zone.
    """

    clock: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC)
    _lines: dict[str, "_Line"] = field(default_factory=dict)

    @asynccontextmanager
    async def passage(self, model: str, deadline: float) -> AsyncIterator[Passage]:
        """Wait in order of arrival for leave to send a call, and give it a place while inside.

        Args:
            model: who is called.
            deadline: when the call gives up, on the clock of the event loop.

        Raises:
            Busy: its turn does not come in time.
        """
        line = self._lines.setdefault(model, _Line(self.clock))
        await line.enter(min(PATIENCE_S, _PATIENT_SHARE * (deadline - _now())))
        passage = Passage(line)
        try:
            yield passage
        finally:
            passage.leave()


@dataclass
class _Line:
    """Those who wait to call one model, and its account.

    Attributes:
        clock: as of the governor.
        account: what is known of the limits.
        turn: held by the first in line; asyncio gives it on in order of arrival.
        news: set when the account has changed.
        waiting: how many wait, the first one included.
        promised: when those who were sent away last were told to come back.
    """

    clock: Callable[[], dt.datetime]
    account: Account = field(default_factory=Account)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: int = 0
    promised: float = -inf

    async def enter(self, patience_s: float) -> None:
        expected_s = self._expected_s()
        if expected_s > patience_s:
            raise self._sent_away(expected_s)
        self.waiting += 1
        before = _now() + patience_s
        try:
            async with asyncio.timeout(patience_s), self.turn:
                await self._leave_to_send(before)
                self.account.send(_now())
        except TimeoutError:
            raise self._sent_away(self._expected_s()) from None
        finally:
            self.waiting -= 1

    def hear(self, status: int, headers: Mapping[str, str]) -> None:
        self.account.hear(status, headers, _now(), self.clock())
        self.news.set()

    async def _leave_to_send(self, before: float) -> None:
        while (wait_s := self.account.wait_s(_now())) > 0:
            if not isinf(wait_s) and _now() + wait_s > before:
                raise TimeoutError
            self.news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(None if isinf(wait_s) else max(wait_s, _TICK_S)):
                    await self.news.wait()

    def _expected_s(self) -> float:
        """Seconds until the turn of whoever comes now."""
        wait_s = self.account.wait_s(_now())
        ahead_s = self.waiting * self.account.spacing_s(_now())
        return (0.0 if isinf(wait_s) else wait_s) + ahead_s

    def _sent_away(self, expected_s: float) -> Busy:
        # Each is told another time, as far apart as the limit allows, so that they do not all come
        # back at once and are sent away again.
        now = _now()
        self.promised = max(self.promised + self.account.spacing_s(now), now + expected_s)
        return Busy(min(self.promised - now, _LONGEST_S))


def _now() -> float:
    return asyncio.get_running_loop().time()
