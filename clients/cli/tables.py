"""Lists of runs, contradictions and failures, a block an entry."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from caveat.clients import run_description
from caveat.clients.run_description import RunLine, Waiting
from caveat.contracts.report import ReportedFailure
from caveat.rendering.progress import describe_phase
from caveat.rendering.visible import sanitize_line
from caveat.rules.run.recovery import may_work_now

_STYLES = {"running": "cyan", "completed": "green", "failed": "red"}

_INDENT = "  "


@dataclass(frozen=True)
class Listing:
    """Entries, a block each: a name, what is known in a line, and texts as wide as the terminal."""

    headings: tuple[str, ...]
    texts: tuple[int, ...]  # the columns that stand in lines of their own
    rows: Sequence[tuple[Text, ...]]  # a name first, which is never cut: it is typed again

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for name, *cells in self.rows:
            # The terminal breaks it where it must, and copies it whole.
            yield Text(name.plain, style="bold", no_wrap=True, overflow="ignore")
            facts, texts = [], []
            for number, cell in enumerate(cells, start=1):
                if cell and number in self.texts:
                    texts.append(Text(cell.plain))
                elif cell:
                    is_bare = cell.plain[0].isdigit() or cell.plain in {"yes", "no"}
                    facts.append(Text(f"{self.headings[number]} " if is_bare else "") + cell)
            for line in (Text(" · ").join(facts), *texts):
                for part in line.wrap(console, max(options.max_width - len(_INDENT), 1)):
                    part.rstrip()
                    yield Text(_INDENT) + part


def show(console: Console, listing: Listing) -> None:
    """Print a listing; names may be wider than the terminal, which breaks them."""
    console.print(listing, crop=False)


def build_run_table(lines: Sequence[RunLine]) -> Listing:
    rows = [
        (
            build_text(line.run_id),
            build_text(line.topic),
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
            Text("\n").join(map(build_text, dict.fromkeys(line.topic for line in group))),
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


def format_local_time(when: dt.datetime) -> str:
    """Write a moment in the time of this machine, to the minute."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"
