"""What would make a failing piece of work work, and which attempts at it are wasted."""

import datetime as dt
from typing import Any

import pytest

from benchmarks.truth import Attempt, Configuration, Detail, Keys, Means, Piece
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from tests.benchmarks.pieces import piece

NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)


def tried(at_work: Piece, *, elsewhere: str = "", start: float = 0.0, after_s: float = 0.0) -> bool:
    attempt = Attempt(elsewhere, start, NOON + dt.timedelta(seconds=after_s))
    return at_work.attempted(attempt) is None


def test_what_clears_works_at_the_next_attempt_and_wastes_none() -> None:
    blip = piece("blip", clears_after=2)
    assert [tried(blip) for _ in range(3)] == [False, False, True]
    assert (blip.means, blip.wasted) == (Means.RETRY, 0)


def test_a_rate_limit_holds_until_its_time() -> None:
    limited = piece("asked to wait", retry_after_s=30)
    assert [tried(limited, after_s=after) for after in (0, 29, 30)] == [False, False, True]
    assert limited.wasted == 0


def test_what_is_gone_never_works_and_only_the_first_attempt_is_not_wasted() -> None:
    gone = piece("gone")
    assert [tried(gone) for _ in range(3)] == [False, False, False]
    assert (gone.means, gone.wasted) == (None, 2)


def test_an_alternative_works_or_is_a_waste() -> None:
    moved, lost = piece("moved"), piece("moved, and gone there too")
    assert (tried(moved), tried(lost)) == (False, False)
    assert (tried(moved, elsewhere="x"), tried(lost, elsewhere="x")) == (True, False)
    assert (moved.means, moved.wasted) == (Means.ALTERNATIVE, 0)
    assert (lost.means, lost.wasted) == (None, 1)


def test_our_own_copy_works_whatever_became_of_the_page() -> None:
    gone = piece("gone")
    assert not tried(gone, elsewhere="https://elsewhere.test/")
    assert tried(gone, elsewhere="cached:https://moons.test/")


def test_a_key_is_found_out_once_for_all_that_need_it() -> None:
    keys = Keys()
    first, second = (piece("publisher's key expired", provider="acme", keys=keys) for _ in range(2))
    assert (tried(first), tried(second)) == (False, False)
    assert (first.wasted, second.wasted) == (0, 1)
    keys.refreshed.add("acme")
    assert tried(second)
    assert second.means is Means.REFRESH


WHOLE = Failure(
    category=FailureCategory.TRANSIENT,
    failure_type=FailureType.RATE_LIMITED,
    message="Slow down.",
    retry_recommended=True,
    retry_after_s=7,
    alternatives=("elsewhere",),
    provider="acme",
)


@pytest.mark.parametrize("missing", [Detail.ALTERNATIVES, Detail.ADVICE, Detail.PROVIDER])
def test_what_a_configuration_does_not_report_is_left_out(missing: Detail) -> None:
    told = Configuration("most", frozenset(Detail) - {missing}).told(WHOLE)
    choices: dict[Detail, dict[str, Any]] = {
        Detail.ALTERNATIVES: {"alternatives": ()},
        Detail.ADVICE: {"retry_recommended": False, "retry_after_s": None},
        Detail.PROVIDER: {"provider": None},
    }
    assert told == WHOLE.model_copy(update=choices[missing])
