from datetime import timedelta

import pytest

from caveat.contracts.audit import Audit
from caveat.rendering.amounts import format_duration, format_money, format_span, list_checked


@pytest.mark.parametrize(
    ("dollars", "written"),
    [
        (0.0, "$0.00"),
        (0.000_1, "less than $0.01"),
        (0.01, "$0.01"),
        (2.756, "$2.76"),
        (1_234.5, "$1,234.50"),
    ],
)
def test_no_amount_is_written_as_nothing_that_is_not(dollars: float, written: str) -> None:
    assert format_money(dollars) == written


HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (6 * HOUR, "6 h"),
        (24 * HOUR, "1 day"),
        (49 * HOUR, "2 days 1 h"),
        (timedelta(milliseconds=1), "1 s"),
    ],
)
def test_spans_in_words(span: timedelta, words: str) -> None:
    assert format_span(span) == words


def test_what_took_less_than_a_minute_is_written_to_the_tenth() -> None:
    assert [format_duration(each) for each in (0.04, 59.94, 200.4)] == [
        "0.0 s",
        "59.9 s",
        "3 min 20 s",
    ]


def test_an_audit_lists_no_kind_of_which_there_was_none() -> None:
    nothing = Audit(coverage=1, quotes=0, citations=0, numbers=0, steps=0)
    assert list_checked(nothing) == "nothing"
    some = nothing.model_copy(update={"quotes": 2, "numbers": 1})
    assert list_checked(some) == "2 quotes and 1 number"
