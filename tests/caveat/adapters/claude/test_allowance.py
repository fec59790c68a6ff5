"""What is left of a limit, as answers tell it."""

import datetime as dt

import pytest

from caveat.adapters.claude.account import Account
from caveat.adapters.claude.allowance import MINUTE_S, Allowance
from caveat.adapters.claude.ratelimits import Measure, Told, told
from caveat.contracts.envelope import Usage

NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)


def says(remaining: float, lasts_s: float, limit: float = 50) -> Told:
    return Told(limit, remaining, NOON + dt.timedelta(seconds=lasts_s), lasts_s)


def headers(measure: Measure = Measure.REQUESTS, **values: str) -> dict[str, str]:
    return {f"anthropic-ratelimit-{measure}-{name}": value for name, value in values.items()}


def test_what_remains_is_spread_over_what_is_left_of_the_period() -> None:
    allowance = Allowance.first(says(remaining=20, lasts_s=10), now=100, pending=0)
    sent = []
    now = 100.0
    for _ in range(20):
        now += allowance.wait_s(now, cost=1)
        allowance.take(now, cost=1)
        sent.append(now)
    assert sent == pytest.approx([100 + number / 2 for number in range(20)])
    assert now + allowance.wait_s(now, cost=1) == pytest.approx(110)


def test_what_is_under_way_is_taken_off_what_an_answer_tells() -> None:
    allowance = Allowance.first(says(remaining=3, lasts_s=10), now=100, pending=3)
    assert allowance.remaining == 0
    allowance.hear(says(remaining=3, lasts_s=11), now=100, pending=2)
    assert allowance.remaining == 1


def test_an_answer_that_comes_late_brings_nothing_back() -> None:
    allowance = Allowance.first(says(remaining=3, lasts_s=10), now=100, pending=0)
    allowance.hear(says(remaining=5, lasts_s=10), now=100, pending=0)
    assert allowance.remaining == 3  # the same period
    allowance.hear(says(remaining=2, lasts_s=10), now=100, pending=0)
    assert allowance.remaining == 2
    allowance.hear(says(remaining=0, lasts_s=9), now=100, pending=0)
    assert allowance.remaining == 2  # an earlier one


def test_a_period_that_is_over_is_followed_by_a_whole_one() -> None:
    allowance = Allowance.first(says(remaining=0, lasts_s=10), now=100, pending=0)
    assert allowance.wait_s(now=101, cost=1) == 9
    assert allowance.wait_s(now=110, cost=1) == 0
    assert (allowance.remaining, allowance.ends) == (50, 110 + MINUTE_S)
    allowance.hear(says(remaining=0, lasts_s=10), now=110, pending=0)
    assert allowance.remaining == 50  # that was said of the period before


def test_a_call_that_takes_more_than_a_whole_period_allows_waits_for_one_and_no_longer() -> None:
    allowance = Allowance.first(says(remaining=10, lasts_s=10), now=100, pending=0)
    assert allowance.wait_s(now=100, cost=80) == 10
    assert allowance.wait_s(now=110, cost=80) == 0


def test_a_refusal_says_better_than_a_reset_when_something_is_there_again() -> None:
    account = Account()
    account.send(now=100)
    reset = (NOON + dt.timedelta(seconds=60)).isoformat()
    left = headers(limit="50", remaining="0", reset=reset)
    account.hear(429, {**left, "retry-after": "2"}, now=100, received=NOON)
    assert account.wait_s(now=100) == 2
    assert account.wait_s(now=102) == 0


def test_what_answers_will_write_is_taken_off_until_they_are_written() -> None:
    account = Account()
    for _ in range(3):
        account.send(now=100)
    account.unanswered()
    account.finish(Usage(model_calls=1, input_tokens=900, output_tokens=100))
    reset = (NOON + dt.timedelta(seconds=60)).isoformat()
    left = {"limit": "1000", "remaining": "500", "reset": reset}
    both = headers(Measure.INPUT_TOKENS, **left) | headers(Measure.OUTPUT_TOKENS, **left)
    account.hear(200, both, now=100, received=NOON)
    # One call is sent and not answered, two are not written to their end.
    assert account.allowances[Measure.INPUT_TOKENS].remaining == 0
    assert account.allowances[Measure.OUTPUT_TOKENS].remaining == 300


def test_tokens_are_expected_as_the_last_calls_took_them() -> None:
    account = Account()
    for tokens in [1_000] * 20 + [5_000] * 60:
        account.send(now=0)
        account.finish(Usage(model_calls=1, input_tokens=tokens))
    reset = (NOON + dt.timedelta(seconds=60)).isoformat()
    left = headers(Measure.INPUT_TOKENS, limit="60000", remaining="60000", reset=reset)
    account.unheard = 1
    account.hear(200, left, now=0, received=NOON)
    assert account.spacing_s(now=0) == pytest.approx(5, rel=0.05)


@pytest.mark.parametrize(
    ("reset", "date", "lasts_s"),
    [
        ("2026-01-01T12:00:30.5Z", None, 30.5),
        ("2026-01-01T13:00:30.5+01:00", None, 30.5),
        # Whole seconds are cut off, so that it may be a second more.
        ("2026-01-01T12:00:30Z", None, 31),
        # The server's clock is five minutes ahead of this machine's.
        ("2026-01-01T12:05:30.5Z", "Thu, 01 Jan 2026 12:05:00 GMT", 30.5),
        ("2026-01-01T12:00:30.5Z", "today", 30.5),
        # Everything was there again before the answer came.
        ("2026-01-01T11:59:00.5Z", None, 0),
    ],
)
def test_how_long_a_period_lasts(reset: str, date: str | None, lasts_s: float) -> None:
    given = headers(limit="50", remaining="7", reset=reset)
    if date is not None:
        given["date"] = date
    news = told(given, Measure.REQUESTS, received=NOON)
    assert news is not None
    assert (news.limit, news.remaining) == (50, 7)
    assert news.lasts_s == pytest.approx(lasts_s)
