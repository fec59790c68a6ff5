"""A value of one period never contradicts one of another, wherever the period is said."""

import pytest

from tests.fakes.quotes import Quote, found

NAMES = ("The waiting list has 31 names.", "The waiting list has 27 names.")
ASKED = "How many names are on the waiting list?"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Quote(NAMES[0], title="Minutes 2023"), Quote(NAMES[1], title="Minutes 2024")),
        (
            Quote(NAMES[0], heading="Minutes of 14 February 2023"),
            Quote(NAMES[1], heading="Minutes of 14 March 2023"),
        ),
        (Quote(NAMES[0], title="Minutes 2023-02"), Quote(NAMES[1], title="Minutes Q2 2023")),
    ],
)
def test_values_of_two_periods_are_a_series(one: Quote, other: Quote) -> None:
    assert not found(one, other, topic=ASKED)
    assert found(Quote(one.text), Quote(other.text), topic=ASKED)


def test_a_year_holds_its_months() -> None:
    one, other = Quote(NAMES[0], title="2023"), Quote(NAMES[1], heading="March 2023")
    assert found(one, other, topic=ASKED)


def test_sentences_that_differ_in_one_place_are_of_their_titles_year() -> None:
    one, other = (f"Staff are entitled to {n} days of annual leave." for n in (25, 27))
    assert found(one, other, topic=one)
    assert not found(
        Quote(one, title="Handbook 2021"), Quote(other, title="Handbook 2022"), topic=one
    )


@pytest.mark.parametrize(
    ("titles", "is_found"),
    [
        (("Minutes of the board, 3 March 2026", "Newsletter, May 2026"), True),
        (("Newsletter, March 2026", "Newsletter, May 2026"), False),  # a series
        (("Minutes of the board, 3 March 2025", "Newsletter, May 2026"), False),
    ],
)
def test_other_documents_days_are_when_written(titles: tuple[str, str], is_found: bool) -> None:
    one, other = (
        Quote(text, title=title, heading=title) for text, title in zip(NAMES, titles, strict=True)
    )
    assert bool(found(one, other, topic=ASKED)) is is_found
