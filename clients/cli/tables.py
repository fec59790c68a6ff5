"""Tables of runs and failures."""

import datetime as dt
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from caveat.contracts.report import ReportedFailure
from caveat.rules.following_up import may_work_now
from clients.arbitrations import Waiting
from clients.cli.console import visible
from clients.progress import phase_words
from clients.runs import RunLine, RunStatus

_STYLES = {
    RunStatus.RUNNING: "cyan",
    RunStatus.COMPLETED: "green",
    RunStatus.FAILED: "red",
}


def run_table(lines: Sequence[RunLine]) -> Table:
    """Draw runs, a line each."""
    table = _table("run", "topic", "status", "phase", "confidence", "started")
    table.columns[1].no_wrap = True  # the topic gives way
    for line in lines:
        table.add_row(
            _whole(line.run_id),
            _cell(line.topic),
            Text(line.status.replace("_", " "), style=_STYLES.get(line.status, "yellow")),
            phase_words(line.phase or ""),
            "" if line.confidence is None else f"{line.confidence:.2f}",
            _local(line.started),
        )
    return table


def inbox_table(lines: Sequence[Waiting]) -> Table:
    """Draw open arbitrations, a line each."""
    table = _table("arbitration", "what differs", "topic", "answer until")
    for line in lines:
        table.add_row(
            _whole(line.arbitration), _whole(line.about), _cell(line.topic), _local(line.deadline)
        )
    return table


def failure_table(failures: Sequence[ReportedFailure]) -> Table:
    """Draw failures, a line each."""
    table = _table("task", "what", "why", "kind", "attempts", "worth retrying")
    for failed in failures:
        table.add_row(
            _cell(failed.task_id),
            _cell(failed.task_description),
            _cell(failed.failure.message),
            f"{failed.failure.failure_type} ({failed.failure.category})",
            str(failed.attempts),
            _worth_retrying(failed),
        )
    return table


def _worth_retrying(failed: ReportedFailure) -> str:
    if failed.recovered:
        return "recovered"
    return "yes" if may_work_now(failed.failure) else "no"


def _table(*headings: str) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for heading in headings:
        table.add_column(heading)
    return table


def _whole(text: str) -> Text:
    """A cell that is folded where it does not fit: an id that is cut cannot be typed again."""
    return Text(visible(text), overflow="fold")


def _cell(text: str) -> Text:
    return Text(visible(text), overflow="ellipsis")


def _local(when: dt.datetime) -> str:
    return f"{when.astimezone():%Y-%m-%d %H:%M}"
