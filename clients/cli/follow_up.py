"""`caveat follow-up`: try again what failed in a run, and write a revision of its report."""

from clients.beginnings import run_beginning
from clients.cli.console import say, stderr
from clients.cli.order import Order, carry_out
from clients.cli.output import Output
from clients.cli.patience import Patience
from clients.cli.scoping import tell_scope
from clients.folders import require_writable
from clients.follow_ups import backend_of, follow_up_request
from clients.names import new_run_id
from clients.naming import Names
from clients.publishing import report_folder
from clients.requests import apart, formats_of
from clients.routing import routed_like
from clients.runs import Runs
from workers.settings import load


def follow_up(
    typed: str,
    *,
    everything: bool,
    formats: str | None,
    out: str | None,
    patience: Patience,
    as_json: bool,
) -> int:
    """Carry the command out and return its exit code."""
    settings = load()
    run_beginning(typed)
    chosen = None if formats is None else formats_of(formats)
    if out is not None:
        require_writable(report_folder(out, typed))

    async def settled(runs: Runs) -> Order:
        run_id = await Names(runs.client, settings).run(typed)
        request, scope = await follow_up_request(runs, settings, run_id, everything=everything)
        if chosen is not None:
            request = request.model_copy(update={"formats": chosen})
        request, said = routed_like(request, await backend_of(runs, settings, run_id), settings)
        if said is not None:
            say(stderr(), said)
        new_id = new_run_id(request.topic)
        folder = Output(settings).folder(out, new_id, request)
        tell_scope(stderr(), run_id, scope)
        return Order(new_id, apart(request, folder), folder, patience=patience)

    return carry_out(settled, settings, as_json=as_json)
