"""The Web UI's face of a run: `current_details` as Markdown tables."""

from collections.abc import Sequence

from caveat.contracts.contradiction import Contradiction, Rejection
from caveat.contracts.progress import AssignmentProgress, AssignmentState, Phase, Progress
from caveat.contracts.report import ReportedFailure
from caveat.rendering.amounts import spent_words, step_words
from caveat.rendering.backends import in_words
from caveat.rendering.commands import code, rule
from caveat.rendering.tables import cell, table
from caveat.rules.contradictions.choices import options
from caveat.rules.sources import unread_sentences

SHOWN = 10
"""The newest failures and rejections; all that are kept are in the `progress` query."""

STATES: dict[AssignmentState, str] = {
    AssignmentState.WAITING: "waiting",
    AssignmentState.SEARCHING: "searching",
    AssignmentState.READING: "reading",
    AssignmentState.DONE: "done",
    AssignmentState.NOTHING_FOUND: "nothing found",
    AssignmentState.FAILED: "failed",
}


def run_details(progress: Progress) -> str:
    """Draw a run as Markdown."""
    parts = (
        [f"### {cell(progress.topic) or 'Research'}"],
        [_headline(progress)],
        _backend(progress),
        [cell(left) for left in unread_sentences(progress.unread)],
        _assignments(progress.assignments),
        _contradictions(progress.contradictions),
        _rejections(progress.rejections, progress.rejected),
        _spent(progress),
        _failures(progress.failures),
    )
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _headline(progress: Progress) -> str:
    parts = [f"**{progress.phase.replace('_', ' ')}**"]
    if progress.documents is not None:
        parts.append(f"{progress.documents} documents")
    if progress.confidence is not None:
        parts.append(f"confidence {progress.confidence:.2f}")
    if progress.model_calls:
        parts.append(spent_words(progress))
    if progress.provisional_problem is not None and progress.phase is Phase.AWAITING_RULINGS:
        parts.append(cell(progress.provisional_problem))
    if progress.problem is not None:
        parts.append(cell(progress.problem))
    return " · ".join(parts)


def _spent(progress: Progress) -> list[str]:
    """What model calls took, by step."""
    return [f"- {line}" for line in step_words(progress.usage_by_step)]


def _backend(progress: Progress) -> list[str]:
    """Say who alone works on it; a run cannot see whether such a worker is there."""
    if progress.backend is None:
        return ["Taken up by the first worker for all runs: `caveat up`, or `caveat worker`."]
    words = cell(in_words(progress.backend))
    return [f"Worked on by {words} alone; without such a worker it waits for one."]


def _assignments(lines: Sequence[AssignmentProgress]) -> list[str]:
    if not lines:
        return []
    head = ("angle", "state", "found", "read", "claims", "failures", "note")
    return table(head, *map(_assignment, lines))


def _assignment(line: AssignmentProgress) -> tuple[str, ...]:
    read = f"{line.read}/{line.to_read}" if line.to_read else ""
    counts = (str(line.found), read, str(line.claims), str(line.failures))
    return (cell(line.title), STATES[line.state], *counts, cell(line.note))


def _contradictions(found: Sequence[Contradiction]) -> list[str]:
    if not found:
        return []
    lines = table(("contradiction", "what differs", "state"), *map(_contradiction, found))
    asked = [each for each in found if each.is_open and each.arbitration is not None]
    if asked:
        lines += ["", "**A person is asked**", ""]
        lines += [f"- {_until(each)}: {code(_command(each))}" for each in asked]
    return lines


def _contradiction(each: Contradiction) -> tuple[str, ...]:
    state = each.state.value
    if each.settled_by is not None:
        state += f" by {each.settled_by.replace('_', ' ')}"
    if each.ruling is not None:
        state += f": {each.ruling}"
    return each.id, cell(each.about), state


def _command(each: Contradiction) -> str:
    return rule(each.arbitration or "", options(len(each.claims)))


def _until(each: Contradiction) -> str:
    deadline = f" until {each.deadline:%Y-%m-%d %H:%M} UTC" if each.deadline else ""
    return f"{each.id}{deadline}"


def _rejections(latest: Sequence[Rejection], count: int) -> list[str]:
    if not count:
        return []
    lines = [f"**Answers that were not accepted: {count}**", ""]
    return lines + [f"- {cell(each.reason)} ({cell(each.given)})" for each in latest[-SHOWN:]]


def _failures(failures: Sequence[ReportedFailure]) -> list[str]:
    if not failures:
        return []
    return [
        "**Failures**",
        "",
        *(
            f"- {cell(failed.task_description)}: {cell(failed.failure.message)}"
            for failed in failures[-SHOWN:]
        ),
    ]
