"""`caveat rule`: a person's answer to a contradiction, in time or late."""

from caveat.contracts.contradiction import (
    Contradiction,
    ContradictionState,
    LateRuling,
)
from caveat.rendering.amounts import counted
from caveat.rules.contradictions.choices import held
from clients.arbitrations import Arbitrations
from clients.cli.conclusion import tell_open
from clients.cli.console import say, stderr
from clients.cli.hearings import person
from clients.cli.order import Order, carry_out, folder_of
from clients.cli.output import Output
from clients.folders import require_writable
from clients.follow_ups import backend_of
from clients.naming import Names
from clients.problems import BadInput
from clients.publishing import report_folder
from clients.requests import apart, new_run_id
from clients.routing import routed_like
from clients.runs import Runs, RunStatus
from clients.typed import arbitration_beginning, ruling_of
from workers.settings import load


def rule(  # each is an option
    typed: str,
    choice: str,
    *,
    because: str,
    decided_by: str | None,
    out: str | None,
    as_json: bool,
) -> int:
    """Carry the command out and return its exit code."""
    settings = load()
    arbitration_beginning(typed)
    ruling = ruling_of(choice, because, decided_by or person())
    if out is not None:
        require_writable(report_folder(out, typed))

    async def settled(runs: Runs) -> Order | None:
        arbitration = await Names(runs.client, settings).arbitration(typed)
        run_id, _, contradiction_id = arbitration.rpartition("/")
        arbitrations = Arbitrations(runs.client, runs.signer)
        if not await arbitrations.is_open(arbitration):
            ended = await arbitrations.outcome(arbitration)
            _require_unsettled(ended)
            known = len(ended.claims) if ended else None
            kept = ruling_of(choice, because, ruling.decided_by, known)
            late = LateRuling(
                contradiction_id=contradiction_id, ruling=arbitrations.signed(arbitration, kept)
            )
            return await _revised(runs, run_id, late, Output(settings), out)
        settled = await arbitrations.rule(arbitration, ruling)
        accepted = held(settled.ruling or ruling.ruling, len(settled.claims))
        say(stderr(), f"Accepted: {accepted} ({contradiction_id}).")
        return await _continued(runs, run_id, contradiction_id, out)

    return carry_out(settled, settings, as_json=as_json)


async def _continued(runs: Runs, run_id: str, ruled_on: str, out: str | None) -> Order | None:
    """Follow the run to its report where this was its last open contradiction."""
    progress = await runs.progress(run_id)
    others = [
        each
        for each in (progress.contradictions if progress else ())
        if each.is_open and each.id != ruled_on
    ]
    if others:
        waits = f"{run_id} still waits for {counted(len(others), 'other contradiction')}:"
        say(stderr(), waits)
        tell_open(stderr(), others)
        return None
    request = await runs.request(run_id)
    folder = await folder_of(runs, run_id, out)
    say(stderr(), f"Nothing else is open: the report of {run_id} is written to {folder}.")
    return Order(run_id, request, folder, started=True, may_be_left=True, ruled=(ruled_on,))


async def _revised(
    runs: Runs, run_id: str, late: LateRuling, output: Output, out: str | None
) -> Order | None:
    """Start a revision with a ruling that came too late, or have the run start it when it ends."""
    if (await runs.line(run_id)).status is RunStatus.RUNNING:
        say(stderr(), await Arbitrations(runs.client).rule_late(run_id, late))
        return None
    request = (await runs.request(run_id)).model_copy(
        update={"follow_up_of": run_id, "rulings": (late,)}
    )
    new_id = new_run_id(request.topic)
    request, said = routed_like(
        request, await backend_of(runs, output.settings, run_id), output.settings
    )
    folder = output.folder(out, new_id, request)
    say(stderr(), "The deadline has passed: the ruling is kept and the report is revised.")
    if said is not None:
        say(stderr(), said)
    return Order(new_id, apart(request, folder), folder)


def _require_unsettled(found: Contradiction | None) -> None:
    """Refuse what somebody has answered already; what was ended from outside is unsettled."""
    if found is None or found.state is not ContradictionState.RESOLVED:
        return
    what = held(found.ruling, len(found.claims)) if found.ruling else "settled"
    when = f" on {found.decided:%Y-%m-%d %H:%M} UTC" if found.decided else ""
    raise BadInput(f"{found.id} was ruled on by {found.decided_by}{when}: {what}.")
