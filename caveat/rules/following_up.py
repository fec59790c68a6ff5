"""Following up: whether trying an ended run again can change anything."""

from collections.abc import Iterable

from caveat.contracts.envelope import AgentType
from caveat.contracts.outcome import Ending
from caveat.contracts.report import ReportedFailure

FIELDWORKERS = frozenset({AgentType.SEARCHER, AgentType.READER, AgentType.ANALYST})
"""Whose failed work a follow-up takes over, piece by piece."""

COMPARERS = frozenset({AgentType.DETECTOR, AgentType.DEBATER})
"""Whose work a follow-up does anew, and whose failure a report therefore need not keep."""

GATHERED = frozenset({Ending.SYNTHESIS_FAILED, Ending.AUDIT_FAILED, Ending.PUBLICATION_FAILED})
"""Ends of runs that had what they needed: a follow-up writes the report that they lack."""


def is_worth_following_up(ending: Ending | None, failures: Iterable[ReportedFailure]) -> bool:
    """Say whether a follow-up may bring what a run lacks.

    Args:
        ending: how the run ended; None when it has a report.
        failures: everything that failed in it.
    """
    return ending in GATHERED or any(
        failed.agent_type in FIELDWORKERS | COMPARERS
        and failed.failure.retry_recommended
        and not failed.recovered
        for failed in failures
    )
