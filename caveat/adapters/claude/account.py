"""What is known of one model's rate limits, and the calls that are on their way to it."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from caveat.adapters.claude.allowance import Allowance
from caveat.adapters.claude.ratelimits import Measure, told
from caveat.adapters.claude.waits import retry_after_s
from caveat.contracts.envelope import Usage

_REFUSALS = frozenset({429, 529})
"""Too many requests, and overloaded."""

_MEMORY = 16
"""Calls that the mean of tokens looks back on: more than a fan-out brings at once, and few enough
to follow a run from its short calls to its long ones."""


@dataclass
class Account:
    """One model's limits, shared by all of this process' calls of it; times are the event loop's.

    Attributes:
        allowances: what is known of each limit; nothing where a server does not speak of it.
        unheard: calls that are sent and not answered yet.
        unfinished: calls that are sent and whose answer has not ended yet.
        closed_until: no call is sent before.
        is_wary: whether the last answer was a refusal: then one call goes ahead alone, and the
            rest follows when it was let in.
    """

    allowances: dict[Measure, Allowance] = field(default_factory=dict)
    unheard: int = 0
    unfinished: int = 0
    closed_until: float = 0.0
    is_wary: bool = False
    _finished: int = 0
    _tokens: dict[Measure, float] = field(default_factory=dict)

    def wait_s(self, now: float) -> float:
        """Return the seconds until the next call may be sent; infinite while one is ahead alone."""
        if now < self.closed_until:
            return self.closed_until - now
        if self.is_wary and self.unheard:
            return inf
        waits = (each.wait_s(now, self._cost(name)) for name, each in self.allowances.items())
        return max(waits, default=0.0)

    def spacing_s(self, now: float) -> float:
        """Return the seconds between two calls, as fast as they may follow each other."""
        gaps = (each.spacing_s(now, self._cost(name)) for name, each in self.allowances.items())
        return max(gaps, default=0.0)

    def send(self, now: float) -> None:
        """Book a call that is being sent."""
        self.unheard += 1
        self.unfinished += 1
        for name, each in self.allowances.items():
            each.take(now, self._cost(name))

    def hear(
        self, status: int, headers: Mapping[str, str], now: float, received: dt.datetime
    ) -> None:
        """Take in how an answer begins; `received` is `now` on the clock of this machine."""
        self.unheard -= 1
        for name in Measure:
            news = told(headers, name, received)
            if news is None:
                continue
            if name in self.allowances:
                self.allowances[name].hear(news, now, self._pending(name))
            else:
                self.allowances[name] = Allowance.first(news, now, self._pending(name))
        self.is_wary = status in _REFUSALS
        wait_s = retry_after_s(headers) if self.is_wary else None
        if wait_s is not None:
            self._close(now + wait_s)

    def unanswered(self) -> None:
        """Book that no answer came to a call."""
        self.unheard -= 1

    def finish(self, usage: Usage | None) -> None:
        """Book that a call is over, and what it took where that is known."""
        self.unfinished -= 1
        if usage is None:
            return
        self._finished = min(self._finished + 1, _MEMORY)
        for name, tokens in (
            (Measure.INPUT_TOKENS, usage.input_tokens),
            (Measure.OUTPUT_TOKENS, usage.output_tokens),
        ):
            mean = self._tokens.get(name, 0.0)
            self._tokens[name] = mean + (tokens - mean) / self._finished

    def _close(self, moment: float) -> None:
        self.closed_until = max(self.closed_until, moment)
        for name, each in self.allowances.items():
            each.end_early(self.closed_until, self._cost(name))

    def _cost(self, name: Measure) -> float:
        """What a call takes: of tokens as many as the last ones took on average."""
        return 1.0 if name is Measure.REQUESTS else self._tokens.get(name, 0.0)

    def _pending(self, name: Measure) -> float:
        # What is written is counted while it is written; the rest when a call is let in.
        calls = self.unfinished if name is Measure.OUTPUT_TOKENS else self.unheard
        return calls * self._cost(name)
