"""Follow-ups: what an earlier run was asked, and whether trying again makes sense."""

from caveat.clients.lookup import standing
from caveat.clients.problems import NoResult, NoSuchRun
from caveat.clients.publishing import kept_evidence
from caveat.clients.requests import new_run_id
from caveat.clients.routing import routed_like
from caveat.clients.runs import Runs
from caveat.clients.standings import Broken, Standing, scope_of
from caveat.contracts.backend import Backend
from caveat.contracts.failure import FailureType
from caveat.contracts.outcome import RunRecord
from caveat.contracts.plan import ResearchRequest
from caveat.failures import PortFailure
from caveat.rendering.commands import command
from caveat.rules.run.following_up import Scope
from caveat.workers.keys import keyring
from caveat.workers.settings import Settings


async def follow_up_request(
    runs: Runs, settings: Settings, run_id: str, *, everything: bool = False
) -> tuple[ResearchRequest, Scope]:
    """Ask for what an earlier run was asked, with its failures tried again.

    Args:
        runs: where it ran.
        settings: where its evidence may be.
        run_id: the earlier run.
        everything: whether also that is tried which is not likely to work now.

    Returns:
        The request, and what it tries again and leaves out.

    Raises:
        NoSuchRun: nobody knows the run.
        NoResult: it goes on, nothing in it is worth trying again, or what it found is not here.
    """
    stands = await standing(runs, settings, run_id)
    _require_ended(stands, run_id)
    chosen = scope_of(stands, everything=everything)
    if chosen.is_empty:
        raise NoResult(_nothing(run_id, chosen, everything=everything))
    if isinstance(stands, RunRecord):
        request = await _remembered_request(settings, run_id)
    else:
        request = await runs.request(run_id)
    # It waits for all that it takes up; answers that the earlier run was given are settled there.
    anew = {"follow_up_of": run_id, "deadline": None, "rulings": (), "retry_all": everything}
    return request.model_copy(update=anew), chosen


def _nothing(run_id: str, chosen: Scope, *, everything: bool) -> str:
    if not chosen.left_out:
        return f"Nothing failed in {run_id} that was not made good: there is nothing to try again."
    again = command("follow-up", run_id, options="--all")
    remedy = "" if everything else f", and `{again}` tries it all the same"
    return (
        f"Nothing that failed in {run_id} is worth trying again: "
        f"`{command('failures', run_id)}` says what failed and why{remedy}."
    )


async def taken_up(
    runs: Runs, settings: Settings, run_id: str, request: ResearchRequest
) -> tuple[str, ResearchRequest, str | None]:
    """Name a run that takes up an earlier one, and have it worked on as that one was.

    Returns:
        Its id, its request, and a sentence on who works on it where that is not what a new run
        would have.

    Raises:
        BadInput: who worked on the earlier run cannot be had here.
    """
    earlier = await _backend_of(runs, settings, run_id)
    request, remark = routed_like(request, earlier, settings)
    return new_run_id(request.topic, keyring(settings.keys_file)), request, remark


async def _backend_of(runs: Runs, settings: Settings, run_id: str) -> Backend | None:
    """Say who worked on an earlier run; None where neither the server nor its evidence knows."""
    try:
        known = (await runs.route(run_id)).backend
    except NoSuchRun:
        known = None
    if known is not None:
        return known
    try:
        return (await kept_evidence(settings, run_id)).backend
    except PortFailure:
        return None


def _require_ended(stands: Standing | RunRecord, run_id: str) -> None:
    if isinstance(stands, RunRecord):
        return
    if stands.closed is None:
        raise NoResult(
            f"{run_id} still goes on: follow it up once it has ended; "
            f"`{command('status', run_id)}` shows where it is."
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
