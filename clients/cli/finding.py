"""Asking a server where the run stands that somebody named."""

from dataclasses import replace

from caveat.contracts.outcome import RunRecord
from clients.addresses import run_link, run_url
from clients.cli.asking import ask
from clients.cli.looking import Found
from clients.kept import kept_report
from clients.naming import Names
from clients.runs import Runs
from clients.standing import standing, standing_in_detail
from clients.standings import Standing
from workers.connection import Connection
from workers.settings import Settings


def found_on_server(typed: str, settings: Settings, *, provisionally: bool) -> Found:
    """Find out which run is meant, and where it stands.

    Raises:
        NoSuchRun: nobody knows it.
        BadInput: several are meant, or none.
    """

    async def found(runs: Runs, connection: Connection) -> Found:
        run_id = await Names(runs.client, settings).run(typed)
        look = _with_report if provisionally else standing_in_detail
        stands = await look(runs, settings, run_id)
        return Found(run_id, stands, run_url(connection, run_id), run_link(connection, run_id))

    return ask(found, settings)


async def _with_report(runs: Runs, settings: Settings, run_id: str) -> Standing | RunRecord:
    stands = await standing(runs, settings, run_id)
    if isinstance(stands, RunRecord) or stands.closed is not None:
        return stands
    # Without a worker to be asked, what one wrote before on this machine.
    report = await runs.report(run_id) or kept_report(settings, run_id)
    progress = await runs.progress(run_id) if report is None else None
    return replace(stands, report=report, progress=progress)
