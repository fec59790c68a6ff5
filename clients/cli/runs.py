"""The commands that show what there is: runs, how they stand, reports, failures, questions."""

# ruff: noqa: PLC0415  # what asks a server is loaded only where files do not suffice

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from caveat.clients.cli.conclusion import (
    explain_resume,
    tell_afterwards,
    tell_end,
    tell_failures,
    tell_next,
    tell_pending,
    tell_record,
    tell_report,
    tell_revisions,
    tell_rulings,
    tell_spent,
    tell_unread,
)
from caveat.clients.cli.console import get_stderr, get_stdout, is_seen, print_json, say
from caveat.clients.cli.printing import PRINTED, print_file, require_printable
from caveat.clients.cli.tables import build_inbox_table, build_run_table, show
from caveat.clients.folders import require_writable
from caveat.clients.parsing import parse_formats, parse_run_prefix
from caveat.clients.problems import NoResult
from caveat.clients.publishing import Promises, build_file, choose_report_folder, locate_kept_files
from caveat.clients.run_description import (
    Broken,
    Closed,
    FoundRun,
    RunDescription,
    RunLine,
    describe_assignment,
    describe_end,
    describe_missing,
    describe_phase,
    describe_progress,
    invites_follow_up,
    read_kept_state,
)
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.outcome import Artifact, NamedEnd, Outcome, RunRecord
from caveat.contracts.plan import Format
from caveat.contracts.progress import Progress
from caveat.problem import ExitCode
from caveat.rendering.amounts import format_count
from caveat.rendering.backends import describe_backend
from caveat.rendering.commands import format_command
from caveat.rendering.words import format_confidence
from caveat.workers.settings import Settings, load


def look_up(typed: str, settings: Settings, *, provisionally: bool = False) -> FoundRun:
    """Find a run by what was typed for it.

    Args:
        provisionally: whether a run that goes on is asked for its report, and not for its progress.
    """
    run_id = parse_run_prefix(typed).strip()
    kept = read_kept_state(settings, run_id)
    if kept is not None:
        if Promises(settings.promises_folder).open():
            from caveat.clients.cli.output import FinalReports

            FinalReports(settings, get_stderr()).deliver_from_files()
        return FoundRun(run_id, kept)
    from caveat.clients.cli.asking import find_on_server

    return find_on_server(typed, settings, provisionally=provisionally)


def runs(*, limit: int, as_json: bool) -> None:
    """Carry the command out."""
    settings = load()
    from caveat.clients.cli.asking import list_latest_runs

    found = list_latest_runs(limit + 1, settings)
    lines, rest = found[:limit], found[limit:]
    if as_json:
        print_json([line.model_dump(mode="json") for line in lines])
    elif lines:
        show(get_stdout(), build_run_table(lines))
        _tell_what_waits(lines)
        if any(line.needs_review for line in lines):
            say(get_stderr(), "`caveat inbox` lists what needs review, and how to rule on it late.")
    else:
        say(get_stderr(), "There are no runs yet: `caveat research TOPIC --corpus DIR` starts one.")
    if rest:
        say(get_stderr(), f"There are more runs: `caveat runs --limit {2 * limit}` lists them.")


def _tell_what_waits(lines: Sequence[RunLine]) -> None:
    """Say what runs stand still for, a sentence once however many runs it holds for."""
    waiting: dict[str, list[str]] = {}
    for line in lines:
        if line.standstill is not None:
            say(get_stderr(), line.standstill, "yellow")
        elif line.waits_for is not None:
            waiting.setdefault(line.waits_for, []).append(line.run_id)
    for sentence, runs in waiting.items():
        others = f" and {format_count(len(runs) - 1, 'other run')}" if len(runs) > 1 else ""
        say(get_stderr(), f"{runs[0]}{others}: {sentence}", "yellow")


def inbox(*, as_json: bool) -> None:
    """Carry the command out."""
    settings = load()
    from caveat.clients.cli.asking import list_open_arbitrations

    lines, unsettled = list_open_arbitrations(settings)
    if as_json:
        needs = [{**each.model_dump(mode="json"), "needs_review": True} for each in unsettled]
        print_json([*(line.model_dump(mode="json") for line in lines), *needs])
        return
    if lines:
        show(get_stdout(), build_inbox_table(lines))
        say(get_stderr(), "`caveat rule ARBITRATION a|b|both|neither --because TEXT` answers one;")
        say(get_stderr(), "with more than two values: a letter, several (a,c), all or none.")
    else:
        say(get_stderr(), "Nothing waits for a person.")
    if unsettled:
        say(
            get_stdout(),
            "Needs review: the run has ended, and a ruling revises its report.",
            "bold",
        )
        for each in unsettled:
            say(get_stdout(), f"  {each.arbitration}  {each.about} ({each.topic})")
        say(get_stderr(), "`caveat rule ARBITRATION …` takes a late ruling on one as well.")


def status(typed: str, *, as_json: bool) -> None:
    """Carry the command out."""
    found = look_up(typed, load())
    stands = found.description
    if isinstance(record := stands.closed, RunRecord):
        if as_json:
            print_json({"status": "remembered", **record.model_dump(mode="json")})
        else:
            tell_record(get_stdout(), record)
    elif as_json:
        print_json(_build_facts(stands, found.url))
    else:
        # Only for a person's eyes with the token: what is written to files or as JSON is passed on.
        shown = get_stdout()
        _tell(shown, stands, found.link if is_seen(shown) else found.url)


def _tell(console: Console, stands: RunDescription, url: str | None) -> None:
    line = stands.line
    say(console, f"{line.run_id}: {line.status_words}", "bold")
    if line.topic:
        say(console, line.topic)
    if stands.progress is not None:
        _tell_progress(console, stands.progress)
    elif stands.closed is None:
        silent = "" if line.paused else " · no worker answers for it now"
        say(console, f"{describe_phase(line.phase or 'not begun')}{silent}")
        if line.open_contradictions:
            waits = format_count(line.open_contradictions, "contradiction")
            say(console, f"`caveat inbox` lists {waits} for a person to rule on.", "yellow")
    if stands.waits is not None:
        say(console, stands.waits, "yellow")
    _tell_closed(console, stands)
    if url is not None:
        say(console, f"Web UI {url} (while `caveat up` runs)")


def _tell_progress(console: Console, progress: Progress) -> None:
    say(console, describe_progress(progress))
    tell_spent(console, progress, progress.usage_by_step)
    if progress.backend is not None:
        say(console, f"Worked on by {describe_backend(progress.backend)} alone")
    tell_unread(console, progress.unread)
    for line in progress.assignments:
        say(console, f"  {line.id} {line.title}: {describe_assignment(line)}")
    if progress.provisional_problem is not None:
        say(console, progress.provisional_problem, "red")
    tell_pending(console, progress.contradictions)
    if progress.failures:
        say(console, format_count(len(progress.failures), "failure"))


def _tell_closed(console: Console, stands: RunDescription) -> None:
    match stands.closed:
        case Outcome(report=report):
            say(console, f"Confidence {format_confidence(report.confidence.value)}")
            if stands.line.needs_review:
                tell_pending(console, report.contradictions)
            say(console, f"`{format_command('report', stands.line.run_id)}` shows its report")
            tell_revisions(console, stands.revised_by)
        case NamedEnd() as end:
            say(console, describe_end(end), "red")
            if stands.progress is None:
                tell_spent(console, end, end.usage_by_step)
        case RunRecord() | None:
            return
        case broken:
            say(console, broken.message, "red")


def _build_facts(stands: RunDescription, url: str | None) -> dict[str, Any]:
    closed = stands.closed
    return {
        **stands.line.model_dump(mode="json"),
        "ui_url": url,
        "progress": stands.progress.model_dump(mode="json") if stands.progress else None,
        "problem": closed.message if isinstance(closed, NamedEnd | Broken) else None,
        "waits_for": stands.waits,
        "revised_by": stands.revised_by,
    }


USUAL = ",".join((Format.MARKDOWN, Format.PDF, Format.JSON))
"""What a run writes where nobody says which formats: files asked for later are the same."""


def report(typed: str, *, formats: str | None, brief: bool, out: str | None, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    settings = load()
    formats = ",".join(filter(None, (formats, Format.BRIEF if brief else None))) or None
    is_written = out is not None and out != PRINTED
    chosen = parse_formats(formats or (USUAL if is_written else Format.MARKDOWN))
    is_printed = out == PRINTED or (out is None and formats in {None, Format.BRIEF.value})
    if is_printed and not as_json:
        require_printable(chosen)
    elif is_written:
        require_writable(choose_report_folder(out, typed))
    found = look_up(typed, settings, provisionally=True)
    closed = require_result(found, settings)
    if not isinstance(closed, Outcome):
        return tell_end(get_stdout(), found.run_id, closed, as_json=as_json)
    files: tuple[Artifact, ...] = ()
    if not is_printed and (out is not None or not as_json):
        folder = choose_report_folder(out, found.run_id)
        require_writable(folder)
        from caveat.clients.cli.output import Output

        files = Output(settings).write(closed.report, chosen, folder, closed.artifacts)
    if as_json:
        print_json(closed.report.model_dump(mode="json"))
    elif is_printed:
        print_file(build_file(closed.report, chosen[0], settings, closed.artifacts), chosen[0])
        tell_afterwards(get_stderr(), closed.failures)
    else:
        tell_report(get_stdout(), closed.report, files)
        tell_afterwards(get_stdout(), closed.failures)
        tell_next(get_stderr(), closed.report, settings.web_address, is_written=bool(files))
    if not as_json:
        tell_revisions(get_stderr(), found.description.revised_by)
    return ExitCode.DONE


def require_result(found: FoundRun, settings: Settings) -> Closed:
    """Say how a run ended, or give the report that is there while people think."""
    stands = found.description
    if isinstance(stands.closed, RunRecord):
        kept = locate_kept_files(settings, found.run_id)
        where = f"its files are in {kept}" if kept else "its files are not here"
        raise NoResult(
            f"The server has forgotten {found.run_id}, which memory still knows: {where}."
        )
    if stands.closed is not None:
        return stands.closed
    if stands.report is not None:
        files = stands.progress.provisional_files if stands.progress else ()
        return Outcome(report=stands.report, artifacts=files)
    if stands.progress is not None and stands.progress.provisional_problem is not None:
        raise NoResult(f"{stands.progress.provisional_problem} {explain_resume(found.run_id)}")
    revised = stands.line.revises
    before = (
        f" `{format_command('report', revised)}` reads the report that it revises."
        if revised
        else ""
    )
    raise NoResult(
        f"{found.run_id} still goes on: `{format_command('status', found.run_id)}` shows where it "
        f"is, and `caveat up` serves it if no worker does.{before}"
    )


def failures(typed: str, *, as_json: bool) -> None:
    """Carry the command out."""
    found = look_up(typed, load())
    stands = found.description
    failed = stands.list_failures()
    if as_json:
        print_json([each.model_dump(mode="json") for each in failed])
    elif failed:
        tell_failures(get_stdout(), failed)
    if not as_json:
        tell_rulings(get_stdout(), _list_contradictions(stands))
        _tell_rest(describe_missing(stands), nothing_failed=not failed)
        spent = stands.find_spending()
        tell_spent(get_stdout(), spent, spent.usage_by_step)
    if failed and not as_json and invites_follow_up(stands):
        again = format_command("follow-up", found.run_id)
        say(get_stdout(), f"`{again}` tries again what is worth it.")


def _list_contradictions(stands: RunDescription) -> tuple[Contradiction, ...]:
    if isinstance(stands.closed, Outcome):
        return stands.closed.report.contradictions
    return stands.progress.contradictions if stands.progress else ()


def _tell_rest(missing: Sequence[str], *, nothing_failed: bool) -> None:
    """Say what a run lacks although no task failed for it, such as what its budget left out."""
    if missing:
        say(
            get_stdout(), "No task failed, and yet:" if nothing_failed else "Beside these failures:"
        )
        for each in missing:
            say(get_stdout(), f"  {each}")
    elif nothing_failed:
        say(get_stderr(), "Nothing failed.")
