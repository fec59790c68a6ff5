"""A run's progress in words."""

from caveat.contracts.progress import AssignmentProgress, AssignmentState, Progress
from caveat.contracts.source import UnreadSort
from caveat.rendering.amounts import counted


def phase_words(phase: str) -> str:
    """Say a phase, for example `taking stock`."""
    return phase.replace("_", " ")


def headline(progress: Progress) -> str:
    """Say where the run is: its phase and what it works on."""
    words = phase_words(progress.phase)
    if progress.documents is None:
        return words
    words += f" · {counted(progress.documents, 'document')}"
    left = sum(each.count for each in progress.unread if each.sort is not UnreadSort.OWN_REPORT)
    return f"{words}, {left:,} not looked at" if left else words


def assignment_words(line: AssignmentProgress) -> str:
    """Say where one assignment is, for example `reading 5 of 8` or `12 claims`."""
    words = _state_words(line)
    if line.failures and line.state is not AssignmentState.FAILED:
        words += f", {counted(line.failures, 'failure')}"
    return words


def _state_words(line: AssignmentProgress) -> str:
    match line.state:
        case AssignmentState.WAITING:
            return "waiting"
        case AssignmentState.SEARCHING:
            return "searching"
        case AssignmentState.READING:
            # Nothing to read yet means that its first searches found nothing good enough.
            return f"reading {line.read} of {line.to_read}" if line.to_read else "searching"
        case AssignmentState.DONE:
            return counted(line.claims, "claim")
        case AssignmentState.NOTHING_FOUND:
            return "nothing found"
        case AssignmentState.FAILED:
            return f"failed: {line.note}" if line.note else "failed"
