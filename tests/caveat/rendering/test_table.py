"""The table of documents: what each says to each question, and why some say nothing."""

import csv
import io
import re

from caveat.contracts.claim import ClaimState
from caveat.contracts.envelope import AgentType
from caveat.contracts.report import Report
from caveat.failures import invalid
from caveat.rendering.markdown import render_documents
from caveat.rendering.table import Cell, build_table, render_csv
from caveat.rules.sources import is_own_report
from tests.fakes.reports import a_disputed_report, a_report, reported

ANGLES = [section.title for section in a_report().sections]


def cells_of(report: Report, source_id: str) -> dict[str, Cell]:
    """Return the row of a document, by its heads."""
    table = build_table(report)
    row = next(each for each in table.rows if each.source.id == source_id)
    return dict(zip(table.heads, row.cells, strict=True))


def rows_of(report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render_csv(report).removeprefix("\ufeff"))))


def test_each_document_has_its_best_sentence_for_each_angle() -> None:
    report = a_report()
    table = build_table(report)
    assert [each.source for each in table.rows] == list(report.sources)
    for claim in report.claims:
        title = next(s.title for s in report.sections if s.assignment_id == claim.assignment_id)
        cell = next(
            c for head, c in cells_of(report, claim.source_id).items() if head[:40] == title[:40]
        )
        assert [each.claim.source_id for each in cell.entries] == [claim.source_id]
        assert not cell.absence


def test_what_a_report_does_not_use_stands_in_its_table() -> None:
    report = a_report()
    uncited = next(each for each in report.sources if each.number is None and each.admitted)
    assert {each.absence for each in cells_of(report, uncited.id).values()} == {"not cited from it"}
    more = report.claims[0].model_copy(update={"id": "c99", "source_id": uncited.id})
    cells = cells_of(report.model_copy(update={"unused": (more,)}), uncited.id)
    assert [each.claim for each in cells[ANGLES[0]].entries] == [more]
    assert {each.absence for each in cells.values()} == {"", "not found in it"}


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


def test_a_document_that_was_not_read_says_so() -> None:
    report = a_report()
    aside = next(each for each in report.sources if not each.admitted)
    first = report.sources[0]
    failed = reported(
        invalid("No answer.", resource="it"),
        AgentType.ANALYST,
        task_id=f"analyse-{first.id}-2",
        recovered=False,
    )
    known = report.model_copy(update={"unused": (), "failures": (failed,)})
    assert {each.absence for each in cells_of(known, aside.id).values()} == {"not read"}
    assert f"{aside.title} (9 January 2018) (not read: {aside.reason})" in render_csv(known)
    assert {each.absence for each in cells_of(known, first.id).values()} == {
        "",
        "not looked through",
    }


def test_values_that_are_disputed_are_a_column_with_every_side() -> None:
    report = a_disputed_report()
    table = build_table(report)
    assert len(table.heads) == len(report.contradictions) + len(report.sections)
    entries = [each for row in table.rows for each in row.cells[0].entries]
    assert {each.claim.id for each in entries} == {
        name for side in report.contradictions[0].sides for name in side.claims
    }
    assert {each.caution for each in entries} == {"contested"}
    assert "(contested" in rows_of(report)[0][table.heads[0]]
    settled = [each.model_copy(update={"state": ClaimState.SCOPED}) for each in report.claims]
    ruled = report.model_copy(update={"claims": tuple(settled)})
    assert "(in its own scope" in rows_of(ruled)[0][table.heads[0]]


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


def test_a_table_in_markdown_has_a_row_for_each_document() -> None:
    report = a_disputed_report()
    lines = [each for each in render_documents(report).splitlines() if each.startswith("|")]
    assert len(lines) == 2 + len(report.sources)
    assert {len(re.findall(r"(?<!\\)\|", each)) for each in lines} == {
        2 + len(build_table(report).heads)
    }
