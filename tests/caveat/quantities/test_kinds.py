"""Kinds of figures: what is named stands in its quote and has the form of its kind."""

import pytest

from caveat.contracts.claim import FigureKind, StatedFigure
from caveat.quantities.kinds import find_figure_fault

REVENUE, MARGIN, GROWTH, MULTIPLE, DATE = FigureKind


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
