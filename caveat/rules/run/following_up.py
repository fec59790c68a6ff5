"""Following up: which failures of an ended run are tried again, and what came of that."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from caveat.contracts.base import Contract
from caveat.contracts.envelope import AgentType
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.outcome import Ending
from caveat.contracts.report import ReportedFailure

FIELDWORKERS = frozenset(
    {AgentType.PLANNER, AgentType.SEARCHER, AgentType.READER, AgentType.ANALYST, AgentType.OUTSIDE}
)
"""Whose failed work a follow-up takes over, piece by piece; a run that has no plan is done anew."""

COMPARERS = frozenset({AgentType.DETECTOR, AgentType.DEBATER, AgentType.RESPONDENT})
"""Whose work a follow-up does anew, and whose failure a report therefore need not keep."""

REDONE = COMPARERS | {AgentType.WRITER}
"""Whose work a follow-up does anew where the earlier run has failed at it."""

GATHERED = frozenset(
    {
        *(Ending.SYNTHESIS_FAILED, Ending.AUDIT_FAILED, Ending.PUBLICATION_FAILED),
        *(Ending.COMPARISON_FAILED, Ending.CANCELLED),
    }
)
"""Ends of runs that had what they needed, or were not let: a follow-up writes the report."""

WRITERS = frozenset({AgentType.SYNTHESISER, AgentType.AUDITOR, AgentType.PUBLISHER})
"""Who makes a report of what was gathered, and of whom a run that lacks one lacked somebody."""

MENDABLE = frozenset({FailureCategory.PERMISSION, FailureCategory.BUSINESS})
"""What people settle with a provider between two runs: a key, a bill, a limit."""


class NotRetried(NamedTuple):
    """A failure that a follow-up does not try again, and why not."""

    failed: ReportedFailure
    why: str


class Scope(Contract):
    """What a follow-up does.

    Attributes:
        retried: failures that it tries again.
        left_out: failures that it leaves as they are.
        writes: whether it writes the report that the earlier run lacks.
    """

    retried: tuple[ReportedFailure, ...] = ()
    left_out: tuple[NotRetried, ...] = ()
    writes: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.retried and not self.writes


def scope(
    ending: Ending | None, failures: Iterable[ReportedFailure], *, everything: bool = False
) -> Scope:
    """Say what a follow-up of a run does; what was made good is done.

    Args:
        ending: how the run ended; None when it has a report.
        failures: everything that failed in it.
        everything: whether also that is tried which is not likely to work now.
    """
    lost = [failed for failed in failures if not failed.recovered]
    again = [failed for failed in lost if _is_tried(failed, everything=everything)]
    writes = ending in GATHERED
    rest = tuple(
        NotRetried(failed, _why_not(failed))
        for failed in lost
        if failed not in again and not (writes and failed.agent_type in WRITERS)
    )
    return Scope(retried=tuple(again), left_out=rest, writes=writes)


def may_work_now(failure: Failure) -> bool:
    """Say whether the same may work in a later run: after some time, or after somebody mended it.

    A provider that refused a key or wanted money may serve whoever has settled that with it; what
    was not there is not expected to have come back.
    """
    return failure.retry_recommended or is_mendable(failure)


def is_mendable(failure: Failure) -> bool:
    """Say whether a provider refused for a reason that people can settle with it."""
    return (
        failure.provider is not None
        and failure.category in MENDABLE
        and failure.failure_type is not FailureType.NOT_FOUND
    )


def made_good(followed: Scope, now: Sequence[ReportedFailure]) -> int:
    """Count the failures that a follow-up tried again and that are none any more.

    Args:
        followed: what it tried again.
        now: the failures of the follow-up; those of fieldwork keep their names in it.
    """
    states = {each.task_id: each.recovered for each in now if each.agent_type in FIELDWORKERS}
    fieldwork = [each for each in followed.retried if each.agent_type in FIELDWORKERS]
    good = sum(states.get(each.task_id, False) for each in fieldwork)
    for agent in sorted(REDONE):
        before = sum(each.agent_type is agent for each in followed.retried)
        left = sum(each.agent_type is agent and not each.recovered for each in now)
        good += max(0, before - left)
    return good


def _is_tried(failed: ReportedFailure, *, everything: bool) -> bool:
    is_done_again = failed.agent_type in FIELDWORKERS | REDONE
    return is_done_again and (everything or may_work_now(failed.failure))


def _why_not(failed: ReportedFailure) -> str:
    if failed.agent_type not in FIELDWORKERS | REDONE:
        return "a follow-up does not do this again, or does it in any case"
    if failed.failure.failure_type is FailureType.NOT_FOUND:
        return "it was not there"
    if failed.failure.category is FailureCategory.UNKNOWN:
        return "nobody foresaw it"
    return "it is not likely to work now either"
