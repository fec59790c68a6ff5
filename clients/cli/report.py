"""`caveat report`: the report of a run, written again."""

from caveat.contracts.outcome import Outcome, RunRecord
from clients.cli.asking import ask
from clients.cli.conclusion import tell_afterwards, tell_end, tell_report
from clients.cli.console import print_json, stdout
from clients.cli.exits import ExitCode
from clients.cli.output import Output
from clients.folders import require_writable
from clients.problems import NoResult
from clients.publishing import kept_folder, report_folder
from clients.requests import formats_of
from clients.runs import Closed, Runs
from clients.standing import Standing, standing
from workers.connection import Connection
from workers.settings import Settings, load


def report(run_id: str, *, formats: str, out: str | None, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    settings = load()
    chosen = formats_of(formats)
    folder = None if as_json and out is None else report_folder(out, run_id)
    if folder is not None:
        require_writable(folder)

    async def found(runs: Runs, _: Connection) -> Closed:
        stands = _known(await standing(runs, settings, run_id), settings, run_id)
        return stands.closed or await _provisional(runs, run_id)

    closed = ask(found, settings)
    if not isinstance(closed, Outcome):
        return tell_end(stdout(), run_id, closed, as_json=as_json)
    files = Output(settings).write(closed.report, chosen, folder) if folder else ()
    if as_json:
        print_json(closed.report.model_dump(mode="json"))
    else:
        tell_report(stdout(), closed.report, files)
        tell_afterwards(stdout(), closed.failures)
    return ExitCode.DONE


async def _provisional(runs: Runs, run_id: str) -> Outcome:
    """Ask a run that goes on for the report that is there while people think."""
    report = await runs.report(run_id)
    if report is None:
        raise NoResult(
            f"{run_id} still goes on: `caveat status {run_id}` shows where it is, and `caveat up` "
            "serves it when nobody does."
        )
    return Outcome(report=report)


def _known(stands: Standing | RunRecord, settings: Settings, run_id: str) -> Standing:
    if isinstance(stands, RunRecord):
        kept = kept_folder(settings, run_id)
        where = f"its files are in {kept}" if kept else "its files are not on this machine"
        raise NoResult(f"The server has forgotten {run_id}, which memory still knows: {where}.")
    return stands
