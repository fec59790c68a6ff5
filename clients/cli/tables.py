"""Tables of runs, contradictions and failures; in a narrow terminal a block an entry."""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from caveat.clients.run_description import (
    RunLine,
    RunStatus,
    Waiting,
    describe_phase,
    group_disputes,
)
from caveat.contracts.report import ReportedFailure
from caveat.rendering.amounts import format_count
from caveat.rendering.visible import sanitize_line
from caveat.rules.run.recovery import may_work_now

if TYPE_CHECKING:  # what it is found with imports Temporal
    from caveat.adapters.claude.checking import CapabilityFinding

_STYLES = {RunStatus.RUNNING: "cyan", RunStatus.COMPLETED: "green", RunStatus.FAILED: "red"}

_LEAST = 24  # columns that a text which gives way needs to say anything: four or five words

_INDENT = "  "


@dataclass(frozen=True)
class _Entry:
    cells: tuple[Text, ...]  # as columns of a table; the one that gives way is cut
    name: Text  # what it is called, which is never cut: a name that is cut cannot be typed again
    lines: tuple[Text, ...]  # the rest as a block below its name


@dataclass(frozen=True)
class Listing:
    """A table where there is room for it, else a block an entry."""

    headings: tuple[str, ...]
    gives_way: tuple[int, ...]  # the column that is cut or folded where there is too little room
    entries: tuple[_Entry, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self._measure_least_width(console, options) <= options.max_width:
            table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
            for number, heading in enumerate(self.headings):
                table.add_column(heading, no_wrap=number not in self.gives_way)
            for entry in self.entries:
                table.add_row(*entry.cells)
            yield table
        else:
            yield from self._build_blocks(console, options.max_width)

    def _measure_least_width(self, console: Console, options: ConsoleOptions) -> int:
        """Columns that a table needs in which only a part of some columns is shown."""
        unbounded = options.update(max_width=10_000)
        needed = 0
        for number, heading in enumerate(self.headings):
            cells = (Text(heading), *(each.cells[number] for each in self.entries))
            widest = max(Measurement.get(console, unbounded, cell).maximum for cell in cells)
            needed += min(widest, _LEAST) if number in self.gives_way else widest
        return needed + 2 * (len(self.headings) - 1)

    def _build_blocks(self, console: Console, width: int) -> Iterator[Text]:
        for entry in self.entries:
            # The terminal breaks it where it must, and copies it whole.
            yield Text(entry.name.plain, style="bold", no_wrap=True, overflow="ignore")
            for line in entry.lines:
                for part in line.wrap(console, max(width - len(_INDENT), 1)):
                    part.rstrip()
                    yield Text(_INDENT) + part


def show(console: Console, listing: Listing) -> None:
    """Print a listing; names may be wider than the terminal, which breaks them."""
    console.print(listing, crop=False)


def build_run_table(lines: Sequence[RunLine]) -> Listing:
    return Listing(
        ("run", "topic", "status", "phase", "confidence", "started"),
        (1,),
        tuple(map(_build_run_entry, lines)),
    )


def build_plain_table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
    """List what people look at seldom: each column is folded where there is too little room."""
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*map(sanitize_line, row))
    return table


def build_finding_table(findings: Sequence[tuple["CapabilityFinding", str]]) -> Listing:
    """List what a server can do, each with what follows where it cannot."""
    return Listing(
        ("feature", "has", "seen", "without it"), (2, 3), tuple(map(_build_finding_entry, findings))
    )


def _build_finding_entry(found: tuple["CapabilityFinding", str]) -> _Entry:
    finding, without = found
    name = Text(finding.feature.replace("_", " "))
    has = Text("yes" if finding.has else "no", style="green" if finding.has else "yellow")
    seen, then = Text(sanitize_line(finding.said)), Text(without)
    return _Entry((name, has, seen, then), name, (Text(f"{has.plain}: {seen.plain}"), then))


def _build_run_entry(line: RunLine) -> _Entry:
    status = Text(line.status_words, style=_STYLES.get(line.status, "yellow"))
    stands_still = line.standstill and not line.paused
    phase = "wedged" if stands_still else describe_phase(line.phase or "")
    if line.needs_review and line.status is not RunStatus.RUNNING:
        phase = "needs review"
    confidence = "" if line.confidence is None else f"{line.confidence:.2f}"
    is_done = line.status is not RunStatus.RUNNING and not line.needs_review
    rest = ["" if is_done else phase, format_local_time(line.started)]
    if confidence:
        rest.insert(1, f"confidence {confidence}")
    return _Entry(
        cells=(
            _build_text(line.run_id), _cut(line.topic), status, Text(phase), Text(confidence),
            Text(format_local_time(line.started)),
        ),
        name=_build_text(line.run_id),
        lines=(
            Text(" · ").join([status, *(Text(each) for each in rest if each)]),
            _build_text(line.topic),
        ),
    )  # fmt: skip


def build_inbox_table(lines: Sequence[Waiting]) -> Listing:
    """List open arbitrations, the same dispute of several runs as one entry."""
    return Listing(
        ("arbitration", "what differs", "topic", "answer until"),
        (1, 2),
        tuple(map(_build_waiting_entry, group_disputes(lines))),
    )


def _build_waiting_entry(group: Sequence[Waiting]) -> _Entry:
    line = group[0]  # the nearest deadline
    names = Text("\n").join(_build_text(each.arbitration) for each in group)
    topics = dict.fromkeys(each.topic for each in group)
    until = format_local_time(line.deadline)
    about = _build_text(": ".join(filter(None, (line.subject, line.values))))
    return _Entry(
        cells=(names, about, Text("\n").join(map(_cut, topics)), Text(until)),
        name=names,
        lines=(Text(f"answer until {until}"), about, *map(_build_text, topics)),
    )


def build_failure_table(failures: Sequence[ReportedFailure]) -> Listing:
    return Listing(
        ("task", "what", "why", "kind", "attempts", "worth retrying", "failed at"),
        (1, 2),
        tuple(map(_build_failure_entry, failures)),
    )


def _build_failure_entry(failed: ReportedFailure) -> _Entry:
    kind = f"{failed.failure.failure_type} ({failed.failure.category})"
    worth = "yes" if may_work_now(failed.failure) else "no"
    worth = "recovered" if failed.recovered else worth
    tried = format_count(failed.attempts, "attempt")
    outcome = worth if failed.recovered else f"worth retrying: {worth}"
    when = "" if failed.failed_at is None else format_local_time(failed.failed_at)
    return _Entry(
        cells=(
            _build_text(failed.task_id), _build_text(failed.task_description),
            _build_text(failed.failure.message), Text(kind), Text(str(failed.attempts)),
            Text(worth), Text(when),
        ),
        name=_build_text(failed.task_id),
        lines=(
            _build_text(failed.task_description), _build_text(failed.failure.message),
            Text(" · ".join(filter(None, (kind, tried, outcome, when)))),
        ),
    )  # fmt: skip


def _build_text(text: str) -> Text:
    return Text(sanitize_line(text), overflow="fold")


def _cut(text: str) -> Text:
    return Text(sanitize_line(text), overflow="ellipsis", no_wrap=True)


def format_local_time(when: dt.datetime) -> str:
    """Write a moment in the time of this machine, to the minute."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"
