"""Tables of runs, contradictions and failures; in a narrow terminal a block an entry."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from caveat.clients import run_description
from caveat.clients.run_description import RunLine, Waiting
from caveat.contracts.report import ReportedFailure
from caveat.rendering.progress import describe_phase
from caveat.rendering.visible import sanitize_line
from caveat.rules.run.recovery import may_work_now

_STYLES = {"running": "cyan", "completed": "green", "failed": "red"}

_LEAST = 24  # columns that a text which gives way needs to say anything: four or five words

_INDENT = "  "


@dataclass(frozen=True)
class Listing:
    """A table where there is room for it, else a block an entry."""

    headings: tuple[str, ...]
    gives_way: tuple[int, ...]  # the column that is cut or folded where there is too little room
    rows: Sequence[tuple[Text, ...]]  # a name first, which is never cut: it is typed again

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        # Columns that a table needs in which only a part of some columns is shown.
        unbounded, needed = options.update(max_width=10_000), 2 * (len(self.headings) - 1)
        for number, heading in enumerate(self.headings):
            cells = (Text(heading), *(row[number] for row in self.rows))
            widest = max(Measurement.get(console, unbounded, cell).maximum for cell in cells)
            needed += min(widest, _LEAST) if number in self.gives_way else widest
        if needed > options.max_width:
            yield from self._build_blocks(console, options.max_width)
            return
        table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
        for number, heading in enumerate(self.headings):
            table.add_column(heading, no_wrap=number not in self.gives_way)
        for row in self.rows:
            table.add_row(*row)
        yield table

    def _build_blocks(self, console: Console, width: int) -> Iterator[Text]:
        for name, *cells in self.rows:
            # The terminal breaks it where it must, and copies it whole.
            yield Text(name.plain, style="bold", no_wrap=True, overflow="ignore")
            facts, texts = [], []
            for number, cell in enumerate(cells, start=1):
                if cell and number in self.gives_way:
                    texts.append(Text(cell.plain))
                elif cell:
                    is_bare = cell.plain[0].isdigit() or cell.plain in {"yes", "no"}
                    facts.append(Text(f"{self.headings[number]} " if is_bare else "") + cell)
            for line in (Text(" · ").join(facts), *texts):
                for part in line.wrap(console, max(width - len(_INDENT), 1)):
                    part.rstrip()
                    yield Text(_INDENT) + part


def show(console: Console, listing: Listing) -> None:
    """Print a listing; names may be wider than the terminal, which breaks them."""
    console.print(listing, crop=False)


def build_run_table(lines: Sequence[RunLine]) -> Listing:
    rows = [
        (
            build_text(line.run_id),
            _cut(line.topic),
            Text(line.state, style=_STYLES.get(line.state, "yellow")),
            Text(_describe_line(line)),
            Text("" if line.confidence is None else f"{line.confidence:.2f}"),
            Text(format_local_time(line.started)),
        )
        for line in lines
    ]
    return Listing(("run", "topic", "status", "phase", "confidence", "started"), (1,), rows)


def _describe_line(line: RunLine) -> str:
    if not line.is_running:
        return "needs review" if line.needs_review else ""
    is_wedged = line.wedged and not line.paused
    return "wedged" if is_wedged else describe_phase(line.phase or "")


def build_inbox_table(lines: Sequence[Waiting]) -> Listing:
    """List open arbitrations, the same dispute of several runs as one entry."""
    rows = [
        (
            Text("\n").join(build_text(line.arbitration) for line in group),
            build_text(": ".join(filter(None, (group[0].subject, group[0].values)))),
            Text("\n").join(map(_cut, dict.fromkeys(line.topic for line in group))),
            Text(format_local_time(group[0].deadline)),  # the nearest
        )
        for group in run_description.group_disputes(lines)
    ]
    return Listing(("arbitration", "what differs", "topic", "answer until"), (1, 2), rows)


def build_failure_table(failures: Sequence[ReportedFailure]) -> Listing:
    rows = [
        (
            build_text(failed.task_id),
            build_text(failed.task_description),
            build_text(failed.failure.message),
            Text(f"{failed.failure.failure_type} ({failed.failure.category})"),
            Text(str(failed.attempts)),
            Text("recovered" if failed.recovered else _YES_NO[may_work_now(failed.failure)]),
            Text("" if failed.failed_at is None else format_local_time(failed.failed_at)),
        )
        for failed in failures
    ]
    headings = ("task", "what", "why", "kind", "attempts", "worth retrying", "failed at")
    return Listing(headings, (1, 2), rows)


_YES_NO = {True: "yes", False: "no"}


def build_text(text: str) -> Text:
    return Text(sanitize_line(text), overflow="fold")


def _cut(text: str) -> Text:
    return Text(sanitize_line(text), overflow="ellipsis", no_wrap=True)


def format_local_time(when: dt.datetime) -> str:
    """Write a moment in the time of this machine, to the minute."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"
