"""The commands that list runs and what waits for people, and those that show one run."""

# ruff: noqa: PLC0415  # what asks a server is loaded only where files do not suffice

import html
import os
import re
import socket
import sys
import webbrowser
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Console

from caveat import atomic
from caveat.clients import run_description
from caveat.clients.cli import conclusion
from caveat.clients.cli.console import get_stderr, get_stdout, is_seen, print_json, say
from caveat.clients.cli.tables import build_inbox_table, build_run_table, show
from caveat.clients.options import OPTIONS
from caveat.clients.parsing import parse_formats, parse_prefix
from caveat.clients.publishing import build_file, choose_report_folder
from caveat.clients.run_description import Closed, RunDescription
from caveat.clients.servers import build_ui_path, names_own_server
from caveat.contracts.outcome import Artifact, NamedEnd, Outcome, Progress
from caveat.contracts.plan import Format
from caveat.problem import BadInput, ExitCode, NoResult, OutOfReach
from caveat.rendering.amounts import format_count
from caveat.rendering.backends import describe_backend
from caveat.rendering.commands import format_command
from caveat.rendering.links import build_run_path
from caveat.rendering.progress import describe_assignment, describe_phase, describe_progress
from caveat.rendering.visible import sanitize_text
from caveat.rendering.words import format_confidence, list_rulings
from caveat.workers.settings import Settings, load
from caveat.workers.signing import load_token

if TYPE_CHECKING:
    from caveat.clients.service import Service

T = TypeVar("T")


def _ask(question: "Callable[[Service], Awaitable[T]]", settings: Settings) -> T:
    from caveat.clients.cli.session import ask_server
    from caveat.clients.service import Service

    return ask_server(lambda connection: question(Service(connection, settings)), settings)


def runs(*, limit: int, as_json: bool) -> None:
    listed = _ask(lambda service: service.runs.list_latest(limit + 1), load())
    lines = listed[:limit]
    if as_json:
        print_json([line.model_dump(mode="json") for line in lines])
    elif lines:
        show(get_stdout(), build_run_table(lines))
        for line in lines:
            if line.standstill is not None:
                say(get_stderr(), line.standstill, "yellow")
        if any(line.needs_review for line in lines):
            say(get_stderr(), "`caveat inbox` lists what needs review, and how to rule on it late.")
    else:
        say(get_stderr(), "There are no runs yet: `caveat research TOPIC --corpus DIR` starts one.")
    if len(listed) > limit:
        say(get_stderr(), f"There are more runs: `caveat runs --limit {2 * limit}` lists them.")


def inbox(*, as_json: bool) -> None:
    lines, unsettled = _ask(lambda service: service.list_unsettled(), load())
    if as_json:
        print_json(run_description.describe_unsettled(lines, unsettled))
        return
    if lines:
        show(get_stdout(), build_inbox_table(lines))
        say(get_stderr(), "`caveat rule ARBITRATION a|b|both|neither --because TEXT` answers one;")
        say(get_stderr(), "with more than two values: a letter, several (a,c), all or none.")
    else:
        say(get_stderr(), "Nothing waits for a person.")
    if unsettled:
        review = "Needs review: the run has ended, and a ruling revises its report."
        say(get_stdout(), review, "bold")
        for group in run_description.group_disputes(unsettled):
            say(get_stdout(), f"  {group[0].about}")
            for line in group:
                say(get_stdout(), f"    {line.arbitration}  {line.topic}")
        say(get_stderr(), "`caveat rule ARBITRATION …` takes a late ruling on one as well.")


def look_up(typed: str, settings: Settings) -> RunDescription:
    run_id = parse_prefix(typed).strip()
    state = run_description.read_kept_state(settings, run_id)
    if state is not None:
        return state

    async def find_run(service: "Service") -> RunDescription:
        run_id = await service.find_run(typed)
        stands = await service.find_detailed_state(run_id)
        path = build_ui_path(service.connection, run_id)
        return replace(stands, url=path and f"{settings.web_address}{path}")

    return _ask(find_run, settings)


def status(typed: str, *, as_json: bool) -> None:
    stands, console = look_up(typed, load()), get_stdout()
    line = stands.line
    if as_json:
        print_json(_build_facts(stands))
        return
    say(console, f"{line.run_id}: {line.state}", "bold")
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
    if stands.url:
        say(console, f"Web UI {stands.url} (while `caveat up` runs)")
    _tell_failures(console, stands)


def _tell_progress(console: Console, progress: Progress) -> None:
    say(console, describe_progress(progress))
    conclusion.tell_spent(console, progress)
    if progress.backend is not None:
        say(console, f"Worked on by {describe_backend(progress.backend)} alone")
    conclusion.tell_unread(console, progress.unread)
    for line in progress.assignments:
        say(console, f"  {line.id} {line.title}: {describe_assignment(line)}")
    if progress.provisional_problem is not None:
        say(console, progress.provisional_problem, "red")
    conclusion.tell_pending(console, progress.contradictions)
    for rejection in progress.rejections:
        say(console, f"Not accepted: {rejection.reason} ({rejection.given})", "yellow")


def _tell_closed(console: Console, stands: RunDescription) -> None:
    match stands.closed:
        case Outcome(report=report):
            if report.reasoner.uses_language_model:
                say(console, f"Confidence {format_confidence(report.confidence.value)}")
            conclusion.tell_amounts(console, report)
            conclusion.tell_spent(console, report.metrics)
            if stands.line.needs_review:
                conclusion.tell_pending(console, report.contradictions)
            say(console, f"`{format_command('report', stands.line.run_id)}` shows its report")
            conclusion.tell_revisions(console, stands.revised_by)
        case NamedEnd() as end:
            say(console, run_description.describe_end(end), "red")
            if stands.progress is None:
                conclusion.tell_spent(console, end)
        case run_description.Broken() as broken:
            say(console, broken.message, "red")


def _build_facts(stands: RunDescription) -> dict[str, Any]:
    return {
        **stands.line.model_dump(mode="json"),
        "ui_url": stands.url,
        "progress": stands.progress.model_dump(mode="json") if stands.progress else None,
        "problem": getattr(stands.closed, "message", None),
        "waits_for": stands.waits,
        "revised_by": stands.revised_by,
        "failures": [failed.model_dump(mode="json") for failed in stands.course.failures],
    }


_MARKDOWN = frozenset({Format.MARKDOWN, Format.TABLE})
_BINARY = frozenset({Format.PDF, Format.WORD})

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_FOLD = re.compile("<details><summary>(.*?)</summary>")
_INNER_LINK = re.compile(r"\[(?:\\\[)?((?:\\[^\[\]]|[^\[\]\\])*)(?:\\\])?\]\(#(source-)?[^)\s]*\)")
"""A link inside the report, which leads nowhere on a terminal."""


def _print_file(content: bytes, chosen: Format) -> None:
    if chosen in _MARKDOWN and is_seen(get_stdout()):
        from rich.markdown import Markdown  # it is slow to load, and rarely wanted

        text = _FRONT_MATTER.sub("", sanitize_text(content.decode()))
        text = _FOLD.sub(r"**\1**", text).partition("\n## Appendix\n")[0]  # it ends at the sources
        text = _INNER_LINK.sub(lambda link: f"\\[{link[1]}\\]" if link[2] else link[1], text)
        os.environ.setdefault("LESS", "-RF")  # colours, and no pager for what fits on a screen
        with get_stdout().pager(styles=True):
            get_stdout().print(Markdown(text, hyperlinks=False))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def report(typed: str, *, formats: str | None, out: str | None, as_json: bool) -> int:
    settings = load()
    is_printed = out is None and not as_json
    usual = Format.MARKDOWN if out is None else OPTIONS["formats"].default  # what a run writes
    chosen = parse_formats(formats or usual or "")
    if is_printed and len(chosen) > 1:
        raise BadInput("Standard output takes one format: name one, or a folder with --out.")
    if is_printed and chosen[0] in _BINARY and sys.stdout.isatty():
        raise BadInput(
            f"A terminal cannot show {chosen[0].upper()}: name a folder with --out, or redirect "
            "the output."
        )
    folder = None if out is None else choose_report_folder(out, typed)
    stands = look_up(typed, settings)
    closed = require_result(stands)
    if not isinstance(closed, Outcome):
        return conclusion.tell_end(get_stdout(), stands.run_id, closed, as_json=as_json)
    files: tuple[Artifact, ...] = ()
    if folder is not None:
        files = conclusion.write_report(closed.report, chosen, folder, settings)
    if as_json:
        print_json(closed.report.model_dump(mode="json"))
    elif is_printed:
        _print_file(build_file(closed.report, chosen[0], settings), chosen[0])
        conclusion.tell_afterwards(get_stderr(), closed.failures)
        conclusion.tell_pending(get_stderr(), closed.report.contradictions)
    else:
        conclusion.tell_conclusion(get_stdout(), get_stderr(), closed, files, settings.web_address)
    if not as_json:
        conclusion.tell_revisions(get_stderr(), stands.revised_by)
    return ExitCode.FAILED if 0 < len(files) < len(chosen) else ExitCode.DONE


def require_result(stands: RunDescription) -> Closed:
    """Say how a run ended, or give the report that is there while people think."""
    if stands.closed is not None:
        return stands.closed
    if stands.report is not None:
        return Outcome(report=stands.report)
    if stands.progress is not None and stands.progress.provisional_problem is not None:
        raise NoResult(
            f"{stands.progress.provisional_problem} {conclusion.explain_resume(stands.run_id)}"
        )
    before = ""
    if stands.line.revises:
        earlier = format_command("report", stands.line.revises)
        before = f" `{earlier}` reads the report that it revises."
    raise NoResult(
        f"{stands.run_id} is still running: `{format_command('status', stands.run_id)}` shows "
        f"where it is, and `caveat up` serves it if no worker does.{before}"
    )


def _tell_failures(console: Console, stands: RunDescription) -> None:
    failed = stands.course.failures
    conclusion.tell_failures(console, failed)
    settled = stands.closed.report if isinstance(stands.closed, Outcome) else stands.progress
    for contradiction in settled.contradictions if settled else ():
        if contradiction.rulings:
            say(console, f"{contradiction.id}: {contradiction.about}", "bold")
        for line in list_rulings(contradiction.rulings, len(contradiction.sides)):
            say(console, f"  {line}")
    if failed and not stands.find_scope().is_empty:
        again = format_command("follow-up", stands.line.run_id)
        say(console, f"`{again}` tries again what is worth it.")


def open_page(typed: str | None) -> int:
    settings = load()
    place = "/" if typed is None else build_run_path(look_up(typed, settings).run_id)
    address = f"{settings.web_address}{place}"
    try:
        with socket.create_connection((settings.web_host, settings.web_port), timeout=1.0):
            pass
    except OSError:
        serves = "up --page-only" if names_own_server() else "up"
        raise OutOfReach(
            f"Nothing answers at {settings.web_address}: `caveat {serves}` serves the page."
        ) from None
    say(get_stdout(), address)
    # Write a file for this user alone that leads to the page, token included; return its URL.
    # Everybody on this machine may see how a browser was called.
    token = load_token(settings)
    target = html.escape(f"{address}?token={token}")
    way_in = settings.state_dir / "open.html"
    atomic.write(way_in, f'<meta http-equiv="refresh" content="0; url={target}">\n'.encode(), 0o600)
    if not webbrowser.open(way_in.as_uri()):
        raise NoResult("No browser can be opened here: open that address.")
    return ExitCode.DONE
