"""The table of documents: what each says to each question of a run, with its quote and place."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Self

from caveat.contracts.report import Report, ReportedSource
from caveat.contracts.source import Claim, ClaimState
from caveat.rendering import words
from caveat.rendering.visible import sanitize_text
from caveat.rules.contradictions.choices import extract_subject
from caveat.rules.contradictions.contest import list_overruled_sides
from caveat.rules.lines import collapse_spaces, shorten
from caveat.rules.report.answering import DIRECT
from caveat.rules.report.closest import format_pinpoint
from caveat.rules.sources.own_reports import TABLE_MARK

_LONGEST = 80  # characters of a head

_FORMULAS = tuple("=+-@＝＋－＠")  # what begins one in a spreadsheet


class Entry(NamedTuple):
    value: str  # a value, a sentence, or the quote itself
    claim: Claim

    @property
    def quote(self) -> str:
        return collapse_spaces(self.claim.quote)

    @property
    def shown(self) -> str:
        """The value, with what became of it."""
        return f"{self.value} ({self.caution})" if self.caution else self.value

    @property
    def place(self) -> str:
        return format_pinpoint(self.claim.location) or ""

    @property
    def caution(self) -> str:
        """What became of it, where others disagree."""
        plain = {ClaimState.ACCEPTED: "", ClaimState.SCOPED: "in its own scope"}
        return plain.get(self.claim.state, self.claim.state.value)


class Cell(NamedTuple):
    entries: tuple[Entry, ...]
    absence: str  # why there is none; empty where there are some


class Row(NamedTuple):
    source: ReportedSource
    name: str  # with its number in the report, and with why it was not read
    cells: tuple[Cell, ...]


class Table(NamedTuple):
    heads: tuple[str, ...]  # without that of the documents
    runs: tuple[str, ...]  # by column: the run that keeps its claims
    rows: tuple[Row, ...]


class _Column(NamedTuple):
    report: Report
    head: str
    entries: dict[str, tuple[Entry, ...]]  # by source

    @classmethod
    def collect(cls, report: Report, head: str, entries: Iterable[Entry]) -> Self:
        """Sort what documents say by document; the same value counts once."""
        by_source: dict[str, dict[str, Entry]] = {}
        for each in entries:
            by_source.setdefault(each.claim.source_id, {}).setdefault(each.value, each)
        own = {name: tuple(values.values()) for name, values in by_source.items()}
        return cls(report, shorten(head, _LONGEST), own)

    def fill(self, source_id: str) -> Cell:
        """Say what a document says, or why there is nothing."""
        entries = self.entries.get(source_id, ())
        if entries:
            return Cell(entries, "")
        source = next((each for each in self.report.sources if each.id == source_id), None)
        if source and source.snapshot_sha256 is None:
            return Cell((), "not read")
        lost = [each.task_id for each in self.report.failures if not each.recovered]
        is_whole = not any(each.startswith(f"analyse-{source_id}") for each in lost)
        if source and is_whole:
            return Cell((), "not found in it")
        return Cell((), "not looked through")


def build_table(report: Report, questions: Sequence[Report] = ()) -> Table:
    """Make the table of all documents, cited ones first; each further question is a column."""
    columns = [each for each in _list_columns(report) if each.entries]
    sources = {each.id: each for each in report.sources}
    for asked in questions:
        columns.append(_collect_best(asked, asked.topic, _list_claims(asked)))
        for each in asked.sources:  # a number is one of its own report
            sources.setdefault(each.id, each.model_copy(update={"number": None}))
    rows = (
        Row(source, _name_document(source), tuple(each.fill(source.id) for each in columns))
        for source in sources.values()
    )
    heads, runs = [each.head for each in columns], [each.report.run_id for each in columns]
    return Table(tuple(heads), tuple(runs), tuple(rows))


def _name_document(source: ReportedSource) -> str:
    number = f"[{source.number}] " if source.number else ""
    if source.snapshot_sha256 is not None:
        return f"{number}{words.name_source(source)}"
    reason = "it could not be read" if source.admitted else source.reason
    return f"{words.name_source(source)} (not read: {reason})"


def _list_columns(report: Report) -> Iterator[_Column]:
    """The values that are disputed, the figures that specialists look for, and the angles."""
    claims = {each.id: each for each in report.claims}
    for contradiction in report.contradictions:
        stated = {each.claim_id: each.value for each in report.stated}
        values = {name: side.value for side in contradiction.sides for name in side.claims}
        if values.keys() & stated.keys():
            values |= stated
        # A claim that says more than what fell is used; its value is not.
        fell = {"state": ClaimState.OVERRULED}
        lost = {name for side in list_overruled_sides([contradiction]) for name in side.claims}
        told = [
            (values[name], claims[name].model_copy(update=fell if name in lost else {}))
            for name in values
            if name in claims
        ]
        entries = (Entry(value if value in each.quote else "", each) for value, each in told)
        head = extract_subject(contradiction.about).rstrip(".")
        yield _Column.collect(report, head, map(_fill, entries))
    every = _list_claims(report)
    for section in report.sections:
        own = [each for each in every if each.assignment_id == section.assignment_id]
        yield _collect_best(report, report.topic if section.title == DIRECT else section.title, own)


def _list_claims(report: Report) -> tuple[Claim, ...]:
    return (*report.claims, *report.unused)


def _collect_best(report: Report, head: str, claims: Iterable[Claim]) -> _Column:
    best: dict[str, Claim] = {}
    for claim in sorted(claims, key=lambda each: -each.relevance):
        best.setdefault(claim.source_id, claim)
    return _Column.collect(report, head, (_fill(Entry("", each)) for each in best.values()))


def _fill(entry: Entry) -> Entry:
    """Have a claim's sentence stand where no value is known."""
    return entry if entry.value else Entry(collapse_spaces(entry.claim.text), entry.claim)


def render_csv(report: Report, questions: Sequence[Report] = ()) -> str:
    """Render the table as CSV: a value, its quote and its place for each question."""
    table, out = build_table(report, questions), io.StringIO()
    heads = [f"{head}{part}" for head in table.heads for part in ("", ": quote", ": place")]
    lines = [["Document", "Published", "Address", *heads, TABLE_MARK]]
    for row in table.rows:
        cells: list[str] = []
        for entries, absence in row.cells:
            cells.append("; ".join(each.shown for each in entries) or absence)
            cells.append("; ".join(each.quote for each in entries))
            cells.append("; ".join(each.claim.location or "" for each in entries))
        published = words.format_publication_date(row.source)
        address = row.source.path or row.source.url or ""
        lines.append([row.name, published, address, *cells, report.run_id])
    writer = csv.writer(out)
    writer.writerows([_defuse(each) for each in line] for line in lines)
    return f"\ufeff{out.getvalue()}"  # by this mark spreadsheets know UTF-8


def _defuse(text: str) -> str:
    """Keep a spreadsheet from calculating what a source says."""
    shown = sanitize_text(text).strip()
    return f"'{shown}" if shown.startswith(_FORMULAS) else shown
