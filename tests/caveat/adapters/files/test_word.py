"""A report as a Word document says what the report says, and can be known again."""

import re
import zipfile
from io import BytesIO

import pytest
from docx import Document

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaded import DocumentFormat, Unreadable
from caveat.adapters.documents.reader import read
from caveat.adapters.documents.word import load_word
from caveat.adapters.files.word import compose_word
from caveat.contracts.report import Report
from caveat.rendering.edition import Edition
from caveat.rendering.layout import build_parts
from tests.fakes.reports import AWAITED, FIGURES, a_disputed_report, a_report


@pytest.mark.parametrize("report", [a_report(), a_disputed_report()])
def test_everything_that_a_report_says_stands_in_it(report: Report) -> None:
    composer = Composer()
    load_word(composer, compose_word(report))
    text = " ".join(composer.finish().text.split())
    at = [text.find(part.title) for part in build_parts(Edition(report))]
    assert -1 not in at
    assert "Answer" in text
    for found in report.contradictions:
        for side in found.sides:
            claim = next(each for each in report.claims if each.id == side.claim)
            assert claim.quote in text


def test_it_is_known_as_a_report_of_ours() -> None:
    written = compose_word(a_report())
    with pytest.raises(Unreadable, match="report of Caveat's own"):
        read(DocumentFormat.WORD, written)
    assert Document(BytesIO(written)).core_properties.title == a_report().topic


def test_every_link_inside_it_leads_somewhere() -> None:
    with zipfile.ZipFile(BytesIO(compose_word(a_disputed_report()))) as archive:
        inside = archive.read("word/document.xml").decode()
    aims = set(re.findall(r'w:anchor="([^"]+)"', inside))
    assert aims
    assert aims <= set(re.findall(r'w:bookmarkStart w:id="\d+" w:name="([^"]+)"', inside))


def test_the_columns_of_a_table_are_as_wide_as_what_they_say_is_long() -> None:
    for table in Document(BytesIO(compose_word(a_report()))).tables:
        said = [max(len(cell.text) for cell in column.cells) for column in table.columns]
        widths = [column.width or 0 for column in table.columns]
        assert widths[said.index(max(said))] == max(widths)


def test_it_has_a_plot_and_numbered_pages_and_no_command() -> None:
    report = a_disputed_report(AWAITED)
    sides = tuple(
        side.model_copy(update={"claim": figure.claim_id, "value": figure.value})
        for side, figure in zip(AWAITED.sides, FIGURES, strict=False)
    )
    asked = AWAITED.model_copy(update={"sides": sides})
    changes = {"stated": FIGURES[:4], "contradictions": (asked,), "disputed": (asked.id,)}
    written = Document(BytesIO(compose_word(report.model_copy(update=changes))))
    plotted = written.tables[0]
    assert len(plotted.rows) == 5
    for row in plotted.rows:
        assert row.cells[2]._tc.xpath(".//w:drawing")
    assert "PAGE" in written.sections[0].footer._element.xml
    text = " ".join(each.text for each in written.paragraphs)
    assert "caveat rule" not in text
    assert "See contradiction 1." in written.element.xml
    assert text.count(report.run_id) == 1
