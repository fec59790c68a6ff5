"""Follow-ups: what an earlier run was asked, and whether trying again makes sense."""

from caveat.contracts.failure import FailureType
from caveat.contracts.outcome import NamedEnd, Outcome, RunRecord
from caveat.contracts.plan import ResearchRequest
from caveat.failures import PortFailure
from caveat.rules.following_up import is_worth_following_up
from clients.problems import NoResult
from clients.publishing import kept_evidence
from clients.runs import Broken, Runs
from clients.standing import Standing, standing
from workers.settings import Settings


def invites_follow_up(stands: Standing | RunRecord) -> bool:
    """Say whether a run has ended in a way that a follow-up may mend."""
    if isinstance(stands, RunRecord):
        return is_worth_following_up(stands.ending, stands.failures)
    match stands.closed:
        case Outcome(report=report):
            return is_worth_following_up(None, report.failures)
        case NamedEnd() as end:
            return is_worth_following_up(end.ending, end.failures)
        case _:
            return False


async def follow_up_request(runs: Runs, settings: Settings, run_id: str) -> ResearchRequest:
    """Ask for what an earlier run was asked, with its failures tried again.

    Raises:
        NoSuchRun: nobody knows the run.
        NoResult: it goes on, nothing in it is worth trying again, or what it found is not here.
    """
    stands = await standing(runs, settings, run_id)
    _require_ended(stands, run_id)
    if not invites_follow_up(stands):
        raise NoResult(
            f"Nothing that failed in {run_id} is worth trying again: "
            f"`caveat failures {run_id}` says what failed and why."
        )
    if isinstance(stands, RunRecord):
        request = await _remembered_request(settings, run_id)
    else:
        request = await runs.request(run_id)
    # It waits for all that it takes up; answers that the earlier run was given are settled there.
    anew = {"follow_up_of": run_id, "deadline": None, "rulings": ()}
    return request.model_copy(update=anew)


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
