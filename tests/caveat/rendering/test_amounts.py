from datetime import timedelta

import pytest

from caveat.rendering.amounts import format_money, format_span


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
