"""The form of each kind of figure in texts on companies; a reader says of which kind one is."""

from caveat.contracts.claim import FigureKind, StatedFigure
from caveat.quantities.numerals import find_numerals
from caveat.quantities.reading import find_quantities
from caveat.quantities.units import Kind

_FORMS = {
    FigureKind.REVENUE: Kind.MONEY,
    FigureKind.MARGIN: Kind.PERCENT,
    FigureKind.GROWTH: Kind.PERCENT,
    FigureKind.DATE: Kind.DATE,
}


def has_form(text: str, kind: FigureKind) -> bool:
    """Whether a text states what a kind wants: money, per cent, a date, of a multiple a number."""
    form = _FORMS.get(kind)
    if form is None:
        return bool(find_numerals(text))
    # "15% a year" is per cent as well.
    return any(
        form is (Kind.PERCENT if each.unit.startswith("%") else each.kind)
        for each in find_quantities(text)
    )


def find_figure_fault(figure: StatedFigure, quote: str) -> str | None:
    """Say what is wrong with a figure of a quote; None where nothing is."""
    end = figure.start + len(figure.written)
    if quote[figure.start : end] != figure.written:
        return "is not in the quote"
    return None if has_form(figure.written, figure.kind) else f"has not the form of a {figure.kind}"
