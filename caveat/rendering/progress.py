"""Where a run is, in words: its steps, its phases and their times, and its assignments."""

import datetime as dt
from collections.abc import Iterator, Sequence

from caveat.contracts.outcome import AssignmentProgress, AssignmentState, Progress
from caveat.contracts.phase import Entered, Phase
from caveat.contracts.source import UnreadSort
from caveat.rendering.amounts import format_count, format_duration
from caveat.rendering.backends import describe_provider_wait

STEP_OF = {
    Phase.TAKING_STOCK: 1,
    Phase.PLANNING: 2,
    Phase.AWAITING_APPROVAL: 2,
    Phase.INVESTIGATING: 3,
    Phase.COMPARING: 4,
    Phase.SETTLING: 5,
    Phase.DEBATING: 6,
    Phase.SYNTHESISING: 6,
    Phase.AUDITING: 7,
    Phase.PUBLISHING: 8,
}
"""A debate goes on while the report is written."""

STEPS = max(STEP_OF.values())  # steps of a run; waiting for people follows a first publication

_WORDS = {
    Phase.INVESTIGATING: "searching and reading",
    Phase.AWAITING_APPROVAL: "waiting for approval",
    Phase.AWAITING_RULINGS: "waiting for a ruling",
    Phase.AWAITING_PROVIDER: "waiting for the provider",
    Phase.SYNTHESISING: "synthesis and verification",
}
"""Phases by whose name a newcomer would not know them."""


def describe_phase(phase: str) -> str:
    """Say a phase, for example `taking stock`."""
    return _WORDS.get(Phase(phase), phase.replace("_", " ")) if phase in set(Phase) else phase


ENDS = frozenset({Phase.DONE, Phase.FAILED, Phase.CANCELLED})


def list_phase_times(
    phases: Sequence[Entered], closed: dt.datetime | None
) -> Iterator[tuple[str, str | None]]:
    """Say how long a run was in each phase, but those that would read “0.0 s”."""
    until = (*(each.at for each in phases[1:]), closed)
    for entered, end in zip(phases, until, strict=False):
        seconds = (end - entered.at).total_seconds() if end else None
        if entered.phase not in ENDS and (seconds is None or seconds >= 0.1):
            took = None if seconds is None else format_duration(seconds)
            yield describe_phase(entered.phase), took


def describe_progress(progress: Progress) -> str:
    """Say where the run is: its step, and what it works on."""
    number = STEP_OF.get(progress.phase)
    step = f"step {number} of {STEPS}: " if number else ""
    words = f"{step}{describe_phase(progress.phase)}"
    if progress.provider_wait is not None:
        words += f" · {describe_provider_wait(progress.provider_wait)}"
    if progress.documents is None:
        return words
    words += f" · {format_count(progress.documents, 'document')}"
    apart = {UnreadSort.OWN_REPORT, UnreadSort.PART}
    left = sum(each.count for each in progress.unread if each.sort not in apart)
    return f"{words}, {left:,} not looked at" if left else words


def describe_assignment(line: AssignmentProgress) -> str:
    """Say where one assignment is, for example `reading 5 of 8` or `12 claims found`."""
    match line.state:
        case AssignmentState.FAILED:
            return f"failed: {line.note}" if line.note else "failed"
        case AssignmentState.READING if line.to_read:
            words = f"reading {line.read} of {line.to_read}"
        case AssignmentState.READING:  # its first searches found nothing good enough
            words = "searching"
        case AssignmentState.DONE:
            words = f"{format_count(line.claims, 'claim')} found"
        case state:
            words = state.replace("_", " ")
    return f"{words}, {format_count(line.failures, 'failure')}" if line.failures else words
