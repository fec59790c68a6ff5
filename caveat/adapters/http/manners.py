"""Politeness: one request at a time to a host, a pause between them, and none while it asks so."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from caveat.adapters.http.meanings import BUSY, RefusalError

_HOSTS = 1000  # hosts that are remembered before those that nobody waits for are forgotten


class HostBusyError(RefusalError):
    """The queue for a host is too long, or the host asked for a pause.

    Args:
        wait_s: seconds until a retry makes sense.
    """

    def __init__(self, wait_s: float) -> None:
        super().__init__("has to wait: it gets or wants no more requests now", BUSY)
        self.wait_s = wait_s


@dataclass
class _Line:
    """The queue for one host, in seconds of the monotonic clock."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0
    delay_s: float = 0.0
    open_at: float = 0.0
    rests_until: float = 0.0


@dataclass(frozen=True)
class Manners:
    """Paces the requests of one process to each host."""

    # seconds between the end of one request to a host and the next; what crawlers commonly leave,
    # and slower than a person who clicks
    interval_s: float = 1.0
    _lines: dict[str, _Line] = field(default_factory=dict)

    @asynccontextmanager
    async def turn(self, host: str, patience_s: float) -> AsyncIterator[None]:
        """Wait for a turn with a host, and hold it.

        Args:
            patience_s: longest wait, in seconds.
        """
        line = self._get_line(host)
        rest = line.rests_until - time.monotonic()
        if rest > patience_s:
            raise HostBusyError(rest)
        line.waiting += 1
        try:
            await self._wait_for_turn(line, patience_s)
            try:
                yield
            finally:
                line.open_at = time.monotonic() + self._pause(line)
                line.turn.release()
        finally:
            line.waiting -= 1

    def slow_down(self, host: str, delay_s: float) -> None:
        """Lengthen the pause between requests to a host."""
        self._get_line(host).delay_s = delay_s

    def rest(self, host: str, seconds: float) -> None:
        line = self._get_line(host)
        line.rests_until = max(line.rests_until, time.monotonic() + seconds)

    async def _wait_for_turn(self, line: _Line, patience_s: float) -> None:
        try:
            async with asyncio.timeout(patience_s):
                await line.turn.acquire()
                try:
                    opens = max(line.open_at, line.rests_until)
                    await asyncio.sleep(max(0.0, opens - time.monotonic()))
                except asyncio.CancelledError:
                    line.turn.release()
                    raise
        except TimeoutError:
            # Everybody in the line takes at least a pause.
            raise HostBusyError(self._pause(line) * line.waiting) from None

    def _pause(self, line: _Line) -> float:
        return max(self.interval_s, line.delay_s)

    def _get_line(self, host: str) -> _Line:
        if len(self._lines) >= _HOSTS and host not in self._lines:
            now = time.monotonic()
            for name, line in tuple(self._lines.items()):
                if not line.waiting and now >= max(line.open_at, line.rests_until):
                    del self._lines[name]
        return self._lines.setdefault(host, _Line())
