"""How a run ends by name."""

from caveat.contracts.envelope import R, SubagentResult
from caveat.contracts.notice import LONGEST, NoticeKind
from caveat.contracts.outcome import Artifact, Ending

NO_FAILURE = frozenset(
    {
        Ending.INVALID_REQUEST,
        Ending.CORPUS_UNUSABLE,
        Ending.BUDGET_TOO_SMALL,
        Ending.PLAN_NOT_APPROVED,
        Ending.NOTHING_TO_FOLLOW_UP,
        Ending.INSUFFICIENT_EVIDENCE,
        Ending.CANCELLED,
    }
)
"""Ends in which all was done that could be: it lay with what was asked, or there was nothing to be
found. Rates of failing runs leave them out; in the others something could not be done."""


class RunEnded(Exception):
    """A step of the run found that it cannot go on.

    Args:
        subject: whom or what the name is about, where it says more than the name alone.
    """

    def __init__(self, ending: Ending, message: str, subject: str | None = None) -> None:
        super().__init__(message)
        self.ending = ending
        self.message = message
        self.subject = subject


def require_result(envelope: SubagentResult[R], ending: Ending) -> R:
    """Take the result without which the run cannot go on."""
    if envelope.result is None:
        raise RunEnded(ending, envelope.failure.message if envelope.failure else "Nothing came.")
    return envelope.result


def describe_end(run_id: str, ended: RunEnded, evidence: Artifact | None) -> tuple[NoticeKind, str]:
    """Say how a run ended that has no report, and where its evidence lies."""
    is_cancelled = ended.ending is Ending.CANCELLED
    kept = f" What it found is in {evidence.path}" if evidence else ""
    words = "was cancelled." if is_cancelled else f"ended as {ended.ending}: {ended.message}"
    kind = NoticeKind.CANCELLED if is_cancelled else NoticeKind.FAILED
    return kind, f"{run_id} {words}{kept}"[:LONGEST]
