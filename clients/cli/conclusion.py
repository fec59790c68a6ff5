"""How a run ended, for people and for machines."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from caveat.adapters.files.artifacts import build_folder_name, write_artifact
from caveat.clients.cli.console import get_stderr, is_seen, print_json, say
from caveat.clients.cli.tables import build_failure_table, format_local_time, show
from caveat.clients.parsing import LATEST
from caveat.clients.publishing import build_file, choose_free_folder, note
from caveat.clients.run_description import Broken, RunStatus, describe_end
from caveat.clients.servers import names_own_server
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.envelope import AgentType
from caveat.contracts.outcome import Artifact, Ending, NamedEnd, Outcome
from caveat.contracts.phase import Spending
from caveat.contracts.plan import Format
from caveat.contracts.report import Report, ReportedFailure, ReportStatus
from caveat.contracts.source import Unread
from caveat.failures import PortFailure
from caveat.problem import ExitCode
from caveat.rendering import words
from caveat.rendering.amounts import format_count, format_spending
from caveat.rendering.commands import format_command, format_ruling_command
from caveat.rendering.links import build_run_path
from caveat.rendering.visible import sanitize_line
from caveat.rules.contradictions.choices import name_values
from caveat.rules.lines import join_names, shorten
from caveat.rules.report.limitations import NAMED
from caveat.rules.run.recovery import build_scope
from caveat.rules.sources.unread import list_unread_sentences
from caveat.workers.settings import Settings

if TYPE_CHECKING:
    from caveat.rendering.gist import Dispute, Gist


def write_report(
    report: Report, formats: Sequence[Format], wanted: Path, settings: Settings
) -> tuple[Artifact, ...]:
    """Write a report where it replaces nothing but earlier files of its own."""
    notes, folder = settings.written_folder, wanted
    # Typed in the state folder, as in a container, it is where the run keeps the same.
    if wanted != settings.reports_folder.resolve() / build_folder_name(report.run_id):
        owners = (*([report.revision.of] if report.revision else ()), report.run_id)
        folder = choose_free_folder(wanted, owners, notes)
    if folder != wanted:
        other = "a report of another run, or one that was changed since it was written"
        goes = f"nothing in it is replaced, and this report goes to {folder}"
        say(get_stderr(), f"{wanted} holds {other}: {goes}.", "yellow")
    # A format that cannot be written costs no other: it is named, and missing in the answer.
    files, problems = [], []
    for chosen in dict.fromkeys(formats):
        try:
            content = build_file(report, chosen, settings)
            file = write_artifact(folder / f"report.{chosen}", chosen, content)
        except PortFailure as failed:
            problems.append(failed)
            continue
        # At once: what a full disk has room for is no other run's, either.
        note(notes, report.run_id, {file.path: file.sha256})
        files.append(file)
    if not files:
        raise problems[0]
    for problem in problems:
        say(get_stderr(), str(problem), "yellow")
    return tuple(files)


def tell_conclusion(
    out: Console,
    err: Console,
    closed: Outcome,
    files: Sequence[Artifact],
    address: str,
    *,
    is_latest: bool = False,
) -> None:
    from caveat.rendering.gist import build_gist  # noqa: PLC0415  # loads every rule of reports

    report, gist = closed.report, build_gist(closed.report)
    name = LATEST if is_latest and is_seen(err) else report.run_id
    if not is_seen(out):
        _tell_gist(out, report, gist)
    tell_amounts(out, report)
    tell_spent(out, report.metrics)
    if report.revision is not None:
        say(out, words.describe_revision(report.revision))
        for change in report.revision.changes:
            say(out, f"  {change}")
    here, paths = Path.cwd(), [Path(file.path) for file in files]
    shown = [str(path.relative_to(here) if path.is_relative_to(here) else path) for path in paths]
    if is_seen(out) and len(shown) > 1:  # those of one report on one line
        shown = [f"{Path(shown[0]).parent}: {', '.join(path.name for path in paths)}"]
    for line in shown:
        say(out, line)
    tell_afterwards(out, closed.failures)
    _tell_next(err, report, address, name)
    if is_seen(out):  # what stands last is seen
        _tell_gist(out, report, gist)
    rulable = _select_rulable(report.contradictions)
    if len(rulable) > 1:
        say(err, "  caveat inbox  lists the contradictions to rule on")
    for first in rulable[:1]:
        asked_in = (first.arbitration or "").replace(report.run_id, name, 1)
        # A late ruling revises the newest report, not the one that first asked.
        arbitration = f"{name}/{first.id}" if first.needs_review else asked_in
        say(err, f"  {format_ruling_command(arbitration, len(first.sides))}")


def _tell_gist(console: Console, report: Report, gist: "Gist") -> None:
    # What disagrees stands where it is read first: above in a file, below at a terminal.
    is_shown = is_seen(console)
    for dispute in () if is_shown else gist.disputes:
        _tell_dispute(console, dispute)
    if gist.verdict:
        say(console, gist.verdict, "bold red" if report.answered is False else "bold")
    width = min(console.width, _COLUMNS) if is_shown else 0
    rows: list[Text] = []
    for passage in gist.passages:
        text = Text(sanitize_line(passage.text))
        text.highlight_words([sanitize_line(passage.marked)] if passage.marked else (), "bold")
        hanging = "  " if passage.text.startswith("• ") else ""
        lines = text.wrap(console, width - len(hanging)) if width else [text]
        rows += [Text(hanging if at else "") + line for at, line in enumerate(lines)]
    if width and gist.is_answer and len(rows) > _ANSWER_LINES:
        rows = [*rows[: _ANSWER_LINES - 1], Text(f"{rows[_ANSWER_LINES - 1].plain[: width - 2]} …")]
    for row in rows:
        console.print(row, soft_wrap=not width)
    for line in filter(None, (*gist.settled, gist.standing, gist.compared)):
        say(console, line, "bold" if gist.is_answer and line == gist.standing else "")
    for source in gist.sources:
        _cut(console, source)
    for dispute in gist.disputes if is_shown else ():
        _tell_dispute(console, dispute)


_ANSWER_LINES = 8  # lines of an answer that leave room on a small screen: the report has the rest
_COLUMNS = 100  # the widest line that is read with ease


def _tell_dispute(console: Console, dispute: "Dispute") -> None:
    say(console, dispute.title, "bold yellow")
    for line in dispute.sides:
        _cut(console, f"  {line}", _COLOURS.get(line[0], ""))
    if dispute.plot is None:
        return
    for point in dispute.plot.points:
        bar = [" "] * _BAR
        low, centre, high = (round(at * (_BAR - 1)) for at in (point.low, point.centre, point.high))
        bar[low : high + 1] = "─" * (high + 1 - low)
        bar[centre] = "●" if point.side else "○"
        label = shorten(point.label, _LABEL)
        row = f"  {point.side or ' '} {label:<{_LABEL}} {''.join(bar)} {point.value}"
        _cut(console, row, _COLOURS.get(point.side, "dim"))


_BAR = 24  # columns of the plot's axis
_LABEL = 22  # columns of who states a value
_COLOURS = {"A": "cyan", "B": "magenta", "C": "green", "D": "blue"}


def _cut(console: Console, sentence: str, style: str = "") -> None:
    """Print one line, cut at the edge of a terminal."""
    console.print(Text(sanitize_line(sentence), style=style), no_wrap=True, overflow="ellipsis")


def tell_amounts(console: Console, report: Report) -> None:
    metrics = report.metrics
    disputes = len(report.contradictions)
    amounts = (
        format_count(metrics.sources_read, "source") + " read",
        format_count(len(report.claims), "claim") + " used",  # of those that were found
        disputes and format_count(disputes, "contradiction"),
        report.missing and format_count(len(report.missing), "part") + " missing",
        format_count(len(report.gaps), "gap"),
        format_count(len(report.limitations), "limitation"),
    )
    say(console, " · ".join(str(amount) for amount in amounts if amount))
    readers = (AgentType.LIBRARIAN, AgentType.READER)
    failed = (each for each in report.failures if each.agent_type in readers and not each.recovered)
    if lost := [*dict.fromkeys(each.task_description.removeprefix("Read ") for each in failed)]:
        more = [format_count(len(lost) - NAMED, "other")] if len(lost) > NAMED else []
        say(console, f"Could not be read: {join_names([*lost[:NAMED], *more])}.", "yellow")
    tell_unread(console, report.unread, "yellow")


def _tell_next(console: Console, report: Report, address: str, name: str) -> None:
    is_provisional = report.status is ReportStatus.PROVISIONAL
    if is_provisional:
        say(console, "Provisional: the final report follows the last ruling.", "yellow")
    say(console, f"  {format_command('report', name)}  reads it here")
    if is_provisional:
        waiting = format_command("resume", name, options="--wait")
        say(console, f"  {waiting}  waits for the final report")
    serves = "up --page-only" if names_own_server() else "up"
    say(console, f"  caveat {serves}  shows it at {address}{build_run_path(name)}/report")
    if not build_scope(None, report.failures).is_empty and not is_provisional:
        say(console, f"  {format_command('follow-up', name)}  tries again what failed")


def tell_unread(console: Console, unread: Sequence[Unread], style: str = "") -> None:
    if unread:
        for sentence in list_unread_sentences(unread):
            say(console, sentence, style)


def tell_spent(console: Console, spent: Spending) -> None:
    if spent.model_calls:
        say(console, format_spending(spent))


def tell_pending(console: Console, contradictions: Iterable[Contradiction]) -> None:
    for dispute in _select_rulable(contradictions):
        until = f" until {format_local_time(dispute.deadline)}" if dispute.deadline else ""
        stands = "needs review"
        if dispute.is_awaited:
            stands = f"waits for a person{until}"
        elif dispute.is_open:
            stands = "is open, and the answer does not depend on it"
        say(console, f"{dispute.id} {stands}: {dispute.about}", "yellow")
        say(console, f"  {' or '.join(name_values(dispute))}")
        say(console, f"  {format_ruling_command(dispute.arbitration or '', len(dispute.sides))}")


def _select_rulable(contradictions: Iterable[Contradiction]) -> list[Contradiction]:
    unsettled = (each for each in contradictions if each.is_open or each.needs_review)
    return [each for each in unsettled if each.arbitration]


def tell_revisions(console: Console, revised_by: Sequence[str]) -> None:
    if revised_by:
        newest = format_command("report", revised_by[-1])
        say(console, f"Revised by {join_names(revised_by)}: `{newest}` reads the newest.", "yellow")


def explain_resume(run_id: str) -> str:
    return (
        "The last ruling with `caveat rule` writes the final report; "
        f"`{format_command('resume', run_id, options='--wait')}` waits for it."
    )


def tell_afterwards(console: Console, failures: Sequence[ReportedFailure]) -> None:
    if failures:
        say(console, f"{format_count(len(failures), 'task')} failed after that:", "yellow")
        tell_failures(console, failures)


def tell_end(console: Console, run_id: str, end: NamedEnd | Broken, *, as_json: bool) -> int:
    """Print how a run ended that has no report, and return the exit code."""
    if as_json:
        is_cancelled = isinstance(end, NamedEnd) and end.ending is Ending.CANCELLED
        status = RunStatus.CANCELLED if is_cancelled else RunStatus.FAILED
        print_json({"run_id": run_id, "status": status, **end.model_dump(mode="json")})
        return ExitCode.FAILED
    if isinstance(end, Broken):
        say(console, f"{run_id} has no report. {end.message}")
        return ExitCode.FAILED
    say(console, describe_end(end), "bold red")
    if end.evidence is not None:
        say(console, f"The evidence is kept in {end.evidence.path}")
    tell_spent(console, end)
    tell_failures(console, end.failures)
    return ExitCode.FAILED


def tell_failures(console: Console, failures: Sequence[ReportedFailure]) -> None:
    if failures:
        show(console, build_failure_table(failures))
