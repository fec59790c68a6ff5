"""`caveat rule`: a person's answer to a contradiction, in time or late."""

from caveat.clients.cli.conclusion import tell_open
from caveat.clients.cli.console import say, stderr
from caveat.clients.cli.order import Order, carry_out, folder_of
from caveat.clients.cli.output import Output
from caveat.clients.folders import require_writable
from caveat.clients.naming import Names
from caveat.clients.publishing import report_folder
from caveat.clients.requests import apart
from caveat.clients.ruling import InTime, KeptForRevision, Reopening, Rulings
from caveat.clients.runs import Runs
from caveat.clients.typed import arbitration_beginning, person, ruling_of
from caveat.rendering.amounts import counted
from caveat.rules.contradictions.choices import held
from caveat.workers.settings import load


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
        match await Rulings(runs, settings).rule(arbitration, ruling):
            case InTime(contradiction=found):
                accepted = held(found.ruling or ruling.ruling, len(found.claims))
                say(stderr(), f"Accepted: {accepted} ({contradiction_id}).")
                return await _continued(runs, run_id, contradiction_id, out)
            case KeptForRevision(sentence=follows):
                say(stderr(), follows)
                return None
            case Reopening() as revision:
                return _revised(revision, Output(settings), out)

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


def _revised(revision: Reopening, output: Output, out: str | None) -> Order:
    """Start a revision with a ruling that came too late."""
    folder = output.folder(out, revision.run_id, revision.request)
    say(stderr(), "The deadline has passed: the ruling is kept and the report is revised.")
    if revision.remark is not None:
        say(stderr(), revision.remark)
    return Order(revision.run_id, apart(revision.request, folder), folder)
