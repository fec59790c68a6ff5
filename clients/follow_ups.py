"""Follow-ups: what an earlier run was asked, and whether trying again makes sense."""

from collections.abc import Sequence

from caveat.contracts.envelope import AgentType
from caveat.contracts.failure import FailureType
from caveat.contracts.outcome import RunRecord
from caveat.contracts.plan import ResearchRequest
from caveat.contracts.report import ReportedFailure
from caveat.failures import PortFailure
from clients.problems import NoResult
from clients.publishing import kept_evidence
from clients.runs import Broken, Runs
from clients.standing import Standing, standing
from workers.settings import Settings

_TAKEN_UP = frozenset({AgentType.SEARCHER, AgentType.READER, AgentType.ANALYST})
"""Roles whose failed work a follow-up takes up again; everything else it does anew anyway."""


def is_worth_following_up(failures: Sequence[ReportedFailure]) -> bool:
    """Say whether anything that failed for good may work now."""
    return any(
        failed.agent_type in _TAKEN_UP and failed.failure.retry_recommended and not failed.recovered
        for failed in failures
    )


async def follow_up_request(runs: Runs, settings: Settings, run_id: str) -> ResearchRequest:
    """Ask for what an earlier run was asked, with its failures tried again.

    Raises:
        NoSuchRun: nobody knows the run.
        NoResult: it goes on, nothing in it is worth trying again, or what it found is not here.
    """
    stands = await standing(runs, settings, run_id)
    _require_ended(stands, run_id)
    failures = stands.failures if isinstance(stands, RunRecord) else stands.failures()
    if not is_worth_following_up(failures):
        raise NoResult(
            f"No search, reading or analysis of {run_id} is worth trying again: "
            f"`caveat failures {run_id}` says what failed and why."
        )
    if isinstance(stands, RunRecord):
        request = await _remembered_request(settings, run_id)
    else:
        request = await runs.request(run_id)
    return request.model_copy(update={"follow_up_of": run_id})


def _require_ended(stands: Standing | RunRecord, run_id: str) -> None:
    if isinstance(stands, RunRecord):
        return
    if stands.closed is None:
        raise NoResult(
            f"{run_id} still goes on: follow it up once it has ended; `caveat status {run_id}` "
            "shows where it is."
        )
    if isinstance(stands.closed, Broken):
        raise NoResult(
            f"{run_id} left no evidence to go on with: research its topic anew. "
            f"{stands.closed.message}"
        )


async def _remembered_request(settings: Settings, run_id: str) -> ResearchRequest:
    try:
        return (await kept_evidence(settings, run_id)).request
    except PortFailure as missing:
        if missing.failure.failure_type is not FailureType.NOT_FOUND:
            raise
        raise NoResult(
            f"The server has forgotten {run_id}, and its evidence is not on this machine: "
            "research its topic anew."
        ) from None
