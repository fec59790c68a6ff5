"""A rate limit as a provider enforces it, with the headers that tell of it."""

import asyncio
import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass
class RateLimit:
    """What is allowed in a window; a request beyond it is refused."""

    limits: Mapping[str, float]  # requests, tokens, by the names of their headers
    window_s: float = 60.0  # seconds; a minute at the real API
    # whether it is refilled little by little, as the real API's limits are, or all at once when its
    # window ends
    is_bucket: bool = False
    # the time that headers are written in
    clock: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC)
    # when requests were let in, in seconds since the first one came
    let_in: list[float] = field(default_factory=list)
    refused: int = 0  # requests that were not let in
    _left: dict[str, float] = field(default_factory=dict)
    _began: tuple[float, dt.datetime] | None = None
    _seen: float = 0.0

    def admit(self, costs: Mapping[str, float]) -> tuple[dict[str, str], bool]:
        """Book a request; return the headers of its answer, and whether it is let in."""
        now = self._now()
        self._refill(now)
        lacking = [name for name, left in self._left.items() if left < costs[name]]
        if lacking:
            self.refused += 1
            wait_s = max(self._enough_in(name, costs[name], now) for name in lacking)
            return {**self._headers(now), "retry-after-ms": f"{wait_s * 1_000:.0f}"}, False
        self.let_in.append(now)
        for name in self._left:
            self._left[name] -= costs[name]
        return self._headers(now), True

    def _now(self) -> float:
        """Seconds since the first request."""
        now = asyncio.get_running_loop().time()
        if self._began is None:
            self._began = now, self.clock()
        return now - self._began[0]

    def _window(self, now: float) -> int:
        return int(now // self.window_s)

    def _refill(self, now: float) -> None:
        for name, limit in self.limits.items():
            left = self._left.get(name, limit)
            if self.is_bucket:
                left = min(limit, left + (now - self._seen) * limit / self.window_s)
            elif self._window(now) > self._window(self._seen):
                left = limit
            self._left[name] = left
        self._seen = now

    def _enough_in(self, name: str, cost: float, now: float) -> float:
        if self.is_bucket:
            return (cost - self._left[name]) * self.window_s / self.limits[name]
        return self._end(now) - now

    def _end(self, now: float) -> float:
        return (self._window(now) + 1) * self.window_s

    def _headers(self, now: float) -> dict[str, str]:
        headers = {}
        assert self._began is not None
        for name, limit in self.limits.items():
            left = self._left[name]
            full = now + (limit - left) * self.window_s / limit
            reset = self._began[1] + dt.timedelta(
                seconds=full if self.is_bucket else self._end(now)
            )
            prefix = f"anthropic-ratelimit-{name}"
            headers[f"{prefix}-limit"] = f"{limit:.0f}"
            headers[f"{prefix}-remaining"] = f"{int(left)}"
            headers[f"{prefix}-reset"] = reset.isoformat().replace("+00:00", "Z")
        return headers
