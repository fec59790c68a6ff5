"""The table of documents: what each says to each question, and why some say nothing."""

import csv
import io

from caveat.contracts.report import Report
from caveat.rendering.markdown import render_documents
from caveat.rendering.table import build_table, render_csv
from caveat.rules.sources import is_own_report
from tests.fakes.reports import a_report


def rows_of(report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render_csv(report).removeprefix("\ufeff"))))


def test_a_question_that_was_asked_on_is_a_column() -> None:
    report = a_report()
    first, second = report.sources[:2]
    claim = report.claims[0].model_copy(update={"id": "c77", "source_id": first.id})
    new = second.model_copy(update={"id": "found-later"})
    found = {"claims": (claim,), "sources": (first, second, new), "unused": ()}
    asked = report.model_copy(update={"run_id": "later", "topic": "Since when?", **found})
    table = build_table(report, [asked])
    assert (table.heads[-1], table.runs[-1]) == ("Since when?", "later")
    assert table.rows[0].cells[-1].entries[0].claim == claim
    assert [each.cells[-1].absence for each in table.rows[1:3]] == [
        "not found in it",
        "not looked through",
    ]
    assert (table.rows[-1].source.id, table.rows[-1].source.number) == (new.id, None)
    assert "Since when?" in render_csv(report, [asked])
    assert "Since when?" in render_documents(report, [asked])


def test_a_spreadsheet_calculates_nothing_of_a_source() -> None:
    for evil in ("=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\u200b=1", "＝1"):
        report = a_report()
        said = report.claims[0].model_copy(update={"text": evil, "quote": evil, "location": evil})
        titled = report.sources[0].model_copy(update={"title": evil, "path": evil, "number": None})
        sources = (titled, *report.sources[1:])
        rows = rows_of(report.model_copy(update={"claims": (said,), "sources": sources}))
        cells = [cell for row in rows for cell in row.values()]
        assert sum(cell.startswith("'") for cell in cells) >= 4, evil
        assert not [cell for cell in cells if cell.lstrip()[:1] in set("=+-@＝")]


def test_a_table_is_never_a_source() -> None:
    report = a_report()
    assert is_own_report(render_csv(report))
    assert is_own_report(render_documents(report))
    assert not is_own_report(render_csv(report).replace("Caveat run", "Run"))
