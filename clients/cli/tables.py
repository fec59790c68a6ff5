"""Lists of runs, contradictions and failures, a block an entry."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console
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
class Entry:
    names: Sequence[str]  # which are never cut: they are typed again
    facts: Sequence[str | Text]  # in a line; empty ones are left out
    texts: Sequence[str] = ()  # as wide as the terminal


def show(console: Console, entries: Iterable[Entry]) -> None:
    """Print a list; names may be wider than the terminal, which breaks them."""
    for entry in entries:
        for name in entry.names:
            whole = Text(sanitize_line(name), style="bold", no_wrap=True, overflow="ignore")
            console.print(whole, crop=False)
        facts = [
            Text(sanitize_line(fact)) if isinstance(fact, str) else fact
            for fact in entry.facts
            if fact
        ]
        texts = [Text(sanitize_line(text)) for text in entry.texts]
        for line in filter(None, (Text(" · ").join(facts), *texts)):
            for part in line.wrap(console, max(console.width - len(_INDENT), 1)):
                part.rstrip()
                console.print(Text(_INDENT) + part)


def build_run_table(lines: Sequence[RunLine]) -> list[Entry]:
    return [
        Entry(
            (line.run_id,),
            (
                Text(line.state, style=_STYLES.get(line.state, "yellow")),
                _describe_line(line),
                "" if line.confidence is None else f"confidence {line.confidence:.2f}",
                f"started {format_local_time(line.started)}",
            ),
            (line.topic,),
        )
        for line in lines
    ]


def _describe_line(line: RunLine) -> str:
    if not line.is_running:
        return "needs review" if line.needs_review else ""
    is_wedged = line.wedged and not line.paused
    return "wedged" if is_wedged else describe_phase(line.phase or "")


def build_inbox_table(lines: Sequence[Waiting]) -> list[Entry]:
    """List open arbitrations, the same dispute of several runs as one entry."""
    return [
        Entry(
            [line.arbitration for line in group],
            (f"answer until {format_local_time(group[0].deadline)}",),  # the nearest
            (
                ": ".join(filter(None, (group[0].subject, group[0].values))),
                *dict.fromkeys(line.topic for line in group),
            ),
        )
        for group in run_description.group_disputes(lines)
    ]


def build_failure_table(failures: Sequence[ReportedFailure]) -> list[Entry]:
    return [
        Entry(
            (failed.task_id,),
            (
                f"{failed.failure.failure_type} ({failed.failure.category})",
                f"attempts {failed.attempts}",
                "recovered" if failed.recovered else _WORTH[may_work_now(failed.failure)],
                f"failed at {format_local_time(failed.failed_at)}" if failed.failed_at else "",
            ),
            (failed.task_description, failed.failure.message),
        )
        for failed in failures
    ]


_WORTH = {True: "worth retrying yes", False: "worth retrying no"}


def format_local_time(when: dt.datetime) -> str:
    """Write a moment in the time of this machine, to the minute."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"
