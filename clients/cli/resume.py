"""`caveat resume`: follow a run again that was left, and write its report."""

from clients.beginnings import run_beginning
from clients.cli.order import Order, carry_out, folder_of
from clients.cli.patience import Patience
from clients.folders import require_writable
from clients.naming import Names
from clients.publishing import report_folder
from clients.runs import Runs
from workers.settings import load


def resume(typed: str, *, out: str | None, patience: Patience, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    settings = load()
    run_beginning(typed)
    if out is not None:
        require_writable(report_folder(out, typed))

    async def settled(runs: Runs) -> Order:
        run_id = await Names(runs.client, settings).run(typed)
        request = await runs.request(run_id)
        folder = await folder_of(runs, run_id, out)
        return Order(run_id, request, folder, started=True, patience=patience)

    return carry_out(settled, settings, as_json=as_json)
