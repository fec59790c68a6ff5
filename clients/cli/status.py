"""`caveat status`: where a run is."""

from typing import Any

from rich.console import Console

from caveat.contracts.outcome import NamedEnd, Outcome, RunRecord
from caveat.contracts.progress import Progress
from caveat.rendering.backends import in_words
from caveat.rendering.words import confidence
from caveat.rules.unread import sentences
from clients.cli.conclusion import tell_open, tell_record, tell_spent
from clients.cli.console import print_json, say, stdout
from clients.cli.exits import ExitCode
from clients.cli.looking import look_up
from clients.progress import assignment_words, counted, headline, phase_words
from clients.standings import Standing
from clients.typed import command
from workers.settings import load


def status(typed: str, *, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    found = look_up(typed, load())
    if isinstance(found.stands, RunRecord):
        _tell_remembered(found.stands, as_json=as_json)
    elif as_json:
        print_json(_facts(found.stands, found.url))
    else:
        # Only for a person's eyes with the token: what is written as JSON is passed on.
        _tell(stdout(), found.stands, found.link)
    return ExitCode.DONE


def _tell_remembered(record: RunRecord, *, as_json: bool) -> None:
    if as_json:
        print_json({"status": "remembered", **record.model_dump(mode="json")})
    else:
        tell_record(stdout(), record)


def _tell(console: Console, stands: Standing, url: str | None) -> None:
    line = stands.line
    say(console, f"{line.run_id}: {line.status.replace('_', ' ')}", "bold")
    if line.topic:
        say(console, line.topic)
    if stands.progress is not None:
        _tell_progress(console, stands.progress)
    elif stands.closed is None:
        say(console, f"{phase_words(line.phase or 'not begun')} · no worker answers for it now")
    if stands.waits is not None:
        say(console, stands.waits, "yellow")
    _tell_closed(console, stands)
    if url is not None:
        say(console, f"Web UI {url} (while `caveat up` runs)")


def _tell_progress(console: Console, progress: Progress) -> None:
    say(console, headline(progress))
    tell_spent(console, progress, progress.usage_by_step)
    if progress.backend is not None:
        say(console, f"Worked on by {in_words(progress.backend)} alone")
    for left in sentences(progress.unread):
        say(console, left)
    for line in progress.assignments:
        say(console, f"  {line.id} {line.title}: {assignment_words(line)}")
    if progress.provisional_problem is not None:
        say(console, progress.provisional_problem, "red")
    tell_open(console, [each for each in progress.contradictions if each.is_open])
    if progress.failures:
        say(console, counted(len(progress.failures), "failure"))


def _tell_closed(console: Console, stands: Standing) -> None:
    match stands.closed:
        case Outcome(report=report):
            say(console, f"Confidence {confidence(report.confidence.value)}")
            say(console, f"`{command('report', stands.line.run_id)}` writes its report")
        case NamedEnd() as end:
            say(console, f"{end.ending.replace('_', ' ').capitalize()}: {end.message}", "red")
            if stands.progress is None:
                tell_spent(console, end, end.usage_by_step)
        case None:
            return
        case broken:
            say(console, broken.message, "red")


def _facts(stands: Standing, url: str | None) -> dict[str, Any]:
    facts = {**stands.line.model_dump(mode="json"), "ui_url": url}
    facts["progress"] = stands.progress.model_dump(mode="json") if stands.progress else None
    facts["problem"] = _problem(stands)
    facts["waits_for"] = stands.waits
    return facts


def _problem(stands: Standing) -> str | None:
    if stands.closed is None or isinstance(stands.closed, Outcome):
        return None
    return stands.closed.message
