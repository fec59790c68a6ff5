"""One rate limit, as far as it is known: what is left of it, spread evenly until it is renewed.

Headers do not say whether a limit is renewed all at once, when its window ends, or little by
little, as a token bucket is. Spreading what remains over the time until all of it is there again
holds under both: a window is used up at its end and not before, and a bucket settles half full,
where it is drawn from exactly as fast as it refills.
"""

import datetime as dt
from dataclasses import dataclass

from caveat.adapters.claude.ratelimits import Told

MINUTE_S = 60.0
"""The period that Anthropic states its limits for; a server's headers correct it with its first
answer."""


@dataclass
class Allowance:
    """One limit, on the clock of the event loop.

    Attributes:
        limit: what a period allows.
        remaining: what is left of it; what is sent is taken off before any answer says so.
        ends: when it is renewed.
        reset: the same as the server told it.
        is_told: whether `ends` is the server's word, or an assumption since its word ran out.
        sent: when the last call was sent.
        took: what that call took.
    """

    limit: float
    remaining: float
    ends: float
    reset: dt.datetime
    is_told: bool = True
    sent: float = 0.0
    took: float = 0.0

    @classmethod
    def first(cls, told: Told, now: float, pending: float) -> "Allowance":
        """Begin with the first that is heard of a limit."""
        remaining = max(0.0, told.remaining - pending)
        return cls(told.limit, remaining, now + told.lasts_s, told.reset)

    def wait_s(self, now: float, cost: float) -> float:
        """Return the seconds until a call may be sent that takes so much."""
        self._renew(now)
        if self.remaining < min(cost, self.limit):
            return self.ends - now
        return max(0.0, self._due() - now)

    def spacing_s(self, now: float, cost: float) -> float:
        """Return the seconds between calls that take so much each, as fast as they may follow."""
        self._renew(now)
        by_limit = MINUTE_S * cost / max(self.limit, 1.0)
        if self.remaining < cost:
            return by_limit
        return min(by_limit, (self.ends - now) * cost / max(self.remaining, 1.0))

    def take(self, now: float, cost: float) -> None:
        """Book a call that is being sent."""
        self.remaining = max(0.0, self.remaining - cost)
        self.sent, self.took = now, cost

    def hear(self, told: Told, now: float, pending: float) -> None:
        """Take in what an answer says; answers may come in another order than they were written.

        Args:
            told: what it says.
            now: when it was heard.
            pending: what calls will take that are sent and that it may not count yet.
        """
        remaining = max(0.0, told.remaining - pending)
        if told.reset > self.reset:
            self.limit, self.remaining, self.reset = told.limit, remaining, told.reset
            self.ends, self.is_told = now + told.lasts_s, True
        elif told.reset == self.reset and self.is_told:
            self.remaining = min(self.remaining, remaining)

    def end_early(self, moment: float, cost: float) -> None:
        """Be renewed at a moment that the server names, where nothing is left until then."""
        if self.remaining < cost:
            self.ends = min(self.ends, moment)

    def _renew(self, now: float) -> None:
        if now >= self.ends:
            self.remaining, self.ends, self.is_told = self.limit, now + MINUTE_S, False
            # The first call after that goes at once: its answer says how long the period is.
            self.took = 0.0

    def _due(self) -> float:
        """When the next call is sent if what remains is to last until the end."""
        if self.took == 0:
            return self.sent
        return self.sent + (self.ends - self.sent) * self.took / (self.remaining + self.took)
