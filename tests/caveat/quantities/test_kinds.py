"""Kinds of figures: the number is read as everywhere, its kind by the words around it."""

import pytest

from caveat.contracts.claim import FigureKind, StatedFigure
from caveat.quantities.kinds import find_figure_fault, find_figures, find_figures_of_kinds

REVENUE, MARGIN, GROWTH, MULTIPLE, DATE = FigureKind


def read(text: str) -> list[tuple[FigureKind, str]]:
    return [(each.kind, each.written) for each in find_figures(text)]


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("Turnover slipped to €212 million.", REVENUE, "€212 million"),
        ("The bakeries took in £4.3 million.", REVENUE, "£4.3 million"),
        ("Gross margin rose to 41.5%.", MARGIN, "41.5%"),
        ("It earned an EBIT margin of around 18%.", MARGIN, "around 18%"),
        ("Volumes shrank 3%.", GROWTH, "3%"),
        ("It compounded its revenue at 15% a year.", GROWTH, "15% a year"),
        ("You pay 19 times earnings.", MULTIPLE, "19 times"),
        ("It changes hands at 5.2x EBITDA.", MULTIPLE, "5.2x"),
        ("A P/E of 12 is cheap.", MULTIPLE, "12"),
        ("Both boards signed on 17 July 2025.", DATE, "17 July 2025"),
    ],
)
def test_a_figure_is_of_its_kind(text: str, kind: FigureKind, words: str) -> None:
    assert read(text) == [(kind, words)]


@pytest.mark.parametrize(
    "text",
    [
        "Net debt fell to €95 million.",
        "The ovens cost £310,000.",
        "Its shares lost 41% that day.",
        "Its tax rate was 21%.",
        "Customers wait four times longer in December.",
        "It was founded in May 1998 and opened nothing since.",
        "Revenue is what a company lives of.",
        "",
    ],
)
def test_other_numbers_are_of_no_kind(text: str) -> None:
    assert read(text) == []


def test_places_are_those_of_the_whole_text() -> None:
    text = "Nothing yet. Revenue was $5 million. Sales rose 7%."
    for each in find_figures(text):
        assert text[each.start : each.start + len(each.written)] == each.written
    assert len(find_figures(text)) == 2
    assert [each.kind for each in find_figures_of_kinds(text, {GROWTH})] == [GROWTH]
    assert find_figures_of_kinds(text, ()) == ()


@pytest.mark.parametrize(
    ("kind", "written", "start", "problem"),
    [
        (MARGIN, "7%", 6, None),
        (GROWTH, "7%", 6, None),
        (REVENUE, "7%", 6, "has not the form of a revenue"),
        (MULTIPLE, "7%", 6, None),
        (DATE, "7%", 6, "has not the form of a date"),
        (MARGIN, "7%", 5, "is not in the quote"),
        (MARGIN, "8%", 6, "is not in the quote"),
        (MULTIPLE, "It is", 0, "has not the form of a multiple"),
    ],
)
def test_words_must_stand_there_in_the_form_of_their_kind(
    kind: FigureKind, written: str, start: int, problem: str | None
) -> None:
    assert (
        find_figure_fault(StatedFigure(kind=kind, written=written, start=start), "It is 7%.")
        == problem
    )
