"""Answers of participants, figures that claims name, and who stands between values, are shown."""

import pypdfium2 as pdfium
import pytest

from caveat.adapters.files.typst.compositor import compose
from caveat.contracts.claim import FigureKind, StatedFigure
from caveat.contracts.report import Report
from caveat.rendering.html.document import render_document
from caveat.rendering.markdown import render
from tests.fakes.disputes import sides_of
from tests.fakes.reports import AWAITED, a_disputed_report


def printed(report: Report) -> str:
    pdf = pdfium.PdfDocument(compose(report))
    try:
        return " ".join(page.get_textpage().get_text_bounded() for page in pdf)
    finally:
        pdf.close()


FACES = pytest.mark.parametrize(
    "face", [render, render_document, printed], ids=["md", "html", "pdf"]
)


def typed() -> Report:
    report = a_disputed_report()
    figure = StatedFigure(kind=FigureKind.MULTIPLE, written="67.4", start=0)
    first, *others = report.claims
    at = figure.model_copy(update={"start": first.quote.index(figure.written)})
    claims = (first.model_copy(update={"figures": (at,)}), *others)
    return report.model_copy(update={"claims": claims})


def words_of(face: object, report: Report) -> str:
    shown = face(report)  # type: ignore[operator]  # one of the three above
    return " ".join(str(shown).split())


@FACES
def test_remarks_name_who_speaks_and_for_which_side(face: object) -> None:
    said = words_of(face, a_disputed_report())
    assert "Advocate, for:" in said
    assert said.index("One independent source says the same.") < said.index("Sceptic, against:")


@FACES
def test_who_stands_between_values_is_named(face: object) -> None:
    names = ("c17", "c2")
    between = AWAITED.model_copy(update={"sides": sides_of(AWAITED.claims, between=(names, names))})
    report = a_disputed_report(between)
    # A PDF breaks a word at the end of a line, and marks where.
    said = words_of(face, report).replace("\x02", "")
    second = "Planck 2018 results. VI. Cosmological parameters"
    assert f"” and “{second}” agree with several of these values" in said
    assert "agree with several" not in words_of(face, a_disputed_report(AWAITED))


@FACES
def test_figures_are_shown_with_their_kind(face: object) -> None:
    plain, named = words_of(face, a_disputed_report()), words_of(face, typed())
    assert "multiple" not in plain
    assert "multiple" in named
