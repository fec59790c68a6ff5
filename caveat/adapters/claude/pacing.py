"""Pacing: calls are spaced by what each answer tells of a rate limit, so that it is not met.

Without it most of a long run is lost at a limit that refills little by little, as the real API's
does: a refusal costs one of a task's four attempts, and all who were refused come back at once.
docs/decisions/0010-pacing.md has the figures. It is a circuit breaker as well: a few calls find out
whether a model answers, and the rest waits for the head of an answer, not for all of it.
"""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from math import inf, isfinite, isinf

from caveat.adapters.claude.messages.failures import retry_after_s
from caveat.contracts.envelope import Usage

PATIENCE_S = 60.0
"""Longest wait for leave to send. Waiting here holds one of the worker's places but none of an
activity's four attempts. Limits are renewed within a minute, so who has to wait longer waits for a
provider that is closed and not merely busy: Temporal can do that, and the place serves another."""

_PATIENT_SHARE = 0.5
"""Of the time until a call's deadline, the most that it may wait: the answer needs the rest. An
analysis keeps 105 s of its 165, enough for 8,000 tokens at 80 a second."""

_LONGEST_S = 3_600.0  # as for a server's own `Retry-After`

_TICK_S = 0.001
"""Shortest sleep: timers are no more precise, and an instant too early is before the renewal."""

_AHEAD = 4
"""Calls at once to a model that has answered none yet. A head arrives a second or two after its
call, an analysis takes twelve: more at once would save no time that a person notices."""

_DOUBLINGS = 5  # of the second between calls to a model that refuses all: half of `PATIENCE_S`

_DENIALS = frozenset({401, 402, 403})  # of the key: who waits with it is denied as well

_OUTAGE_S = 900.0
"""Without one call let in, after which a refusal is that of all who wait: they are asked for half a
minute apart, so that 12 documents with 8 attempts each took 50 minutes to end, and 100 hours."""

_HEARS_S = 2.5
"""Seconds that the place of a cancelled call stays taken: a cancelled run's other calls wait behind
it, each hears of that with its next heartbeat, and one that was let in would be paid for."""

_MEMORY = 16
"""Calls that the mean of tokens looks back on: more than a fan-out brings at once, and few enough
to follow a run from its short calls to its long ones."""

_MINUTE_S = 60.0
"""The period that Anthropic states its limits for; a server's headers correct it with its first
answer."""

_REQUESTS, _INPUT, _OUTPUT = "requests", "input-tokens", "output-tokens"
"""What is limited, as the names of the headers say it."""


class Busy(Exception):
    """A call was not sent: its turn would come too late.

    Args:
        retry_after_s: seconds until it may be sent if it is asked again.
    """

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(f"not before {retry_after_s:.0f} s")
        self.retry_after_s = retry_after_s


@dataclass
class PacedCall:
    """One call that may be sent now."""

    line: "_Line"
    usage: Usage | None = None  # what it took, where that is known
    status: int | None = None  # of its answer; None before that begins

    def hear(self, status: int, headers: Mapping[str, str]) -> None:
        """Tell how its answer begins; only the first time counts."""
        if self.status is None:
            self.status = status
            self.line.hear(status, headers)

    def leave(self) -> None:
        """End it, answered or not."""
        self.line.leave(self.usage, heard=self.status is not None)


@dataclass
class Pacer:
    """Lets calls pass, one pacer a process; each model has limits of its own."""

    # A server that says nothing of limits is never waited for.

    # the time on this machine, aware of its zone
    clock: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC)
    _lines: dict[str, "_Line"] = field(default_factory=dict)

    @asynccontextmanager
    async def admit_call(self, model: str, deadline: float) -> AsyncIterator[PacedCall]:
        """Wait in order of arrival for leave to send a call, and give it a place while inside.

        Raises:
            Busy: it would have to wait for too long.
            Exception: what the server said to another call, when it refused the key meanwhile.
        """
        line = self._lines.setdefault(model, _Line(self.clock))
        await line.enter(min(PATIENCE_S, _PATIENT_SHARE * (deadline - _read_loop_time())))
        passage = PacedCall(line)
        try:
            yield passage
        except asyncio.CancelledError:
            asyncio.get_running_loop().call_later(_HEARS_S, passage.leave)
            raise
        except Exception as error:
            if passage.status in _DENIALS or line.is_down:
                line.denial = error
            passage.leave()
            raise
        else:
            passage.leave()


@dataclass(frozen=True)
class _Limit:
    """What one answer told of one limit."""

    # Headers do not say whether a limit is renewed all at once or little by little. Spreading what
    # remains over the time until all of it is there again holds under both: a window is used up at
    # its end and not before, and a bucket settles where it is drawn from as fast as it refills.

    limit: float
    remaining: float  # requests or tokens that were left, calls under way taken off
    reset: dt.datetime  # when all of it is there again, on the server's clock
    lasts_s: float  # seconds from the answer until then
    ends: float  # the same moment on the clock of the event loop

    def compute_due_time(self, sent: float, cost: float) -> float:
        """Return when a call may be sent that follows one that was sent at some moment."""
        if sent >= self.ends:
            # The first call after its end goes at once: its answer says what there is.
            return sent + self._compute_limit_gap_s(cost)
        if self.remaining < cost:
            return self.ends
        return min(self.ends, sent + self._compute_window_gap_s(cost))

    def compute_gap_s(self, now: float, cost: float) -> float:
        """Return the seconds between calls that take so much each, as fast as they may follow."""
        if now >= self.ends:
            return 0.0  # nobody knows before an answer says it
        if self.remaining < cost:
            return self._compute_limit_gap_s(cost)
        return min(self._compute_limit_gap_s(cost), self._compute_window_gap_s(cost))

    def _compute_limit_gap_s(self, cost: float) -> float:
        return _MINUTE_S * cost / max(self.limit, 1.0)

    def _compute_window_gap_s(self, cost: float) -> float:
        return self.lasts_s * cost / max(self.remaining, 1.0)


@dataclass
class _Line:
    """Those who wait to call one model, and what is known of its limits."""

    clock: Callable[[], dt.datetime]
    # held by the first in line; asyncio gives it on in order of arrival
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: int = 0  # how many wait, the first one included
    unheard: int = 0  # calls that are sent and not answered yet
    sent: float = -inf  # when the last call was sent
    closed_until: float = -inf  # no call is sent before, since a refusal says so
    answers: bool = False  # whether it has let a call in
    # refusals since it let one in: then one call goes ahead alone, and the rest follows it
    refused: int = 0
    # since when nothing was let in; infinite while something is
    refusing_since: float = inf
    denial: Exception | None = None  # the last answer that refused all who wait
    promised: float = -inf  # when those who were sent away last were told to come back
    _limits: dict[str, _Limit] = field(default_factory=dict)
    _tokens: dict[str, float] = field(default_factory=dict)
    _finished: int = 0

    async def enter(self, patience_s: float) -> None:
        if self.is_down and self.denial is not None and _read_loop_time() < self.closed_until:
            raise self.denial
        expected_s = self._estimate_wait_s()
        if expected_s > patience_s:
            raise self._reject_call(expected_s)
        self.waiting += 1
        before, denial = _read_loop_time() + patience_s, self.denial
        try:
            async with asyncio.timeout(patience_s), self.turn:
                await self._leave_to_send(before)
                if self.denial is not denial and self.denial is not None:
                    raise self.denial
                self.sent = _read_loop_time()
                self.unheard += 1
        except TimeoutError:
            raise self._reject_call(self._estimate_wait_s()) from None
        finally:
            self.waiting -= 1

    def hear(self, status: int, headers: Mapping[str, str]) -> None:
        self.unheard -= 1
        for name in (_REQUESTS, _INPUT, _OUTPUT):
            told = _parse_limit(headers, name, self.clock())
            if told is not None:
                limit, remaining, reset, lasts_s = told
                known = self._limits.get(name)
                if known is not None and reset < known.reset:
                    continue  # written before another that was heard first
                under_way = self.unheard * self._estimate_cost(name)
                left = max(0.0, remaining - under_way)
                self._limits[name] = _Limit(
                    limit, left, reset, lasts_s, _read_loop_time() + lasts_s
                )
        if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self.refused += 1
            self.refusing_since = min(self.refusing_since, _read_loop_time())
            self.closed_until = max(self.closed_until, _read_loop_time() + self._pause_s(headers))
        else:
            self.refused, self.refusing_since = 0, inf
            if status < HTTPStatus.BAD_REQUEST:  # what was refused before says nothing any more
                self.answers, self.denial = True, None
        self.news.set()

    @property
    def is_down(self) -> bool:
        """Whether it has let nothing in for so long that nobody need wait for it."""
        return _read_loop_time() - self.refusing_since > _OUTAGE_S

    def _pause_s(self, headers: Mapping[str, str]) -> float:
        """Seconds without a call after a refusal: what the server says, or ever more."""
        told = retry_after_s(headers)
        if told is not None or self.refused < _AHEAD:
            return told or 0.0
        return 2.0 ** min(self.refused - _AHEAD, _DOUBLINGS)

    def leave(self, usage: Usage | None, *, heard: bool) -> None:
        if not heard:
            self.unheard -= 1
        if usage is not None:
            self._finished = min(self._finished + 1, _MEMORY)
            for name, tokens in ((_INPUT, usage.input_tokens), (_OUTPUT, usage.output_tokens)):
                mean = self._tokens.get(name, 0.0)
                self._tokens[name] = mean + (tokens - mean) / self._finished
        self.news.set()

    async def _leave_to_send(self, before: float) -> None:
        while (wait_s := self._wait_s()) > 0:
            if not isinf(wait_s) and _read_loop_time() + wait_s > before:
                raise TimeoutError
            self.news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(None if isinf(wait_s) else max(wait_s, _TICK_S)):
                    await self.news.wait()

    def _wait_s(self) -> float:
        """Return the seconds until the next call may be sent; infinite while one is ahead alone."""
        now = _read_loop_time()
        if now < self.closed_until:
            return self.closed_until - now
        if self.unheard >= (1 if self.refused else inf if self.answers else _AHEAD):
            return inf
        due = (
            each.compute_due_time(self.sent, self._estimate_cost(name))
            for name, each in self._limits.items()
        )
        return max(0.0, max(due, default=now) - now)

    def _compute_gap_s(self) -> float:
        """Return the seconds between two calls, as fast as they may follow each other."""
        now = _read_loop_time()
        gaps = (
            each.compute_gap_s(now, self._estimate_cost(name))
            for name, each in self._limits.items()
        )
        return max(gaps, default=0.0)

    def _estimate_wait_s(self) -> float:
        """Seconds until the turn of whoever comes now."""
        wait_s = self._wait_s()
        return (0.0 if isinf(wait_s) else wait_s) + self.waiting * self._compute_gap_s()

    def _reject_call(self, expected_s: float) -> Busy:
        # Each is told another time, as far apart as the limit allows, so that they do not all come
        # back at once and are sent away again.
        now = _read_loop_time()
        self.promised = max(self.promised + self._compute_gap_s(), now + expected_s)
        return Busy(min(self.promised - now, _LONGEST_S))

    def _estimate_cost(self, name: str) -> float:
        """What a call takes: of tokens as many as the last ones took on average."""
        return 1.0 if name == _REQUESTS else self._tokens.get(name, 0.0)


def _parse_limit(
    headers: Mapping[str, str], name: str, received: dt.datetime
) -> tuple[float, float, dt.datetime, float] | None:
    """Read a limit, what is left, and when all is there and in how long; None where any is missing.

    Times are on the server's clock, and `received` counts only where it does not say its own.
    """
    prefix = f"anthropic-ratelimit-{name}"
    try:
        limit, remaining = (float(headers[f"{prefix}-{each}"]) for each in ("limit", "remaining"))
        reset = dt.datetime.fromisoformat(headers[f"{prefix}-reset"])
        lasts_s = (reset - (_parse_date(headers.get("date")) or received)).total_seconds()
    except (KeyError, TypeError, ValueError):  # a time without a zone is of no use
        return None
    # A time in whole seconds is cut off, so that the limit ends up to a second later.
    rounding = 0.0 if reset.microsecond else 1.0
    if not all(isfinite(each) and each >= 0 for each in (limit, remaining)):
        return None
    return limit, remaining, reset, max(0.0, lasts_s + rounding)


def _parse_date(written: str | None) -> dt.datetime | None:
    try:
        date = parsedate_to_datetime(written or "")
    except (ValueError, OverflowError):  # a year of twenty digits is a date to the parser
        return None
    return date if date.tzinfo else None


def _read_loop_time() -> float:
    return asyncio.get_running_loop().time()
