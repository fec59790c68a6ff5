"""`caveat report`: the report of a run, written again."""

from caveat.contracts.outcome import Artifact, Outcome, RunRecord
from clients.cli.conclusion import come_back, tell_afterwards, tell_end, tell_report
from clients.cli.console import print_json, stdout
from clients.cli.exits import ExitCode
from clients.cli.looking import Found, look_up
from clients.cli.output import Output
from clients.folders import require_writable
from clients.problems import NoResult
from clients.publishing import kept_folder, report_folder
from clients.requests import formats_of
from clients.standings import Closed, Standing
from clients.typed import command
from workers.settings import Settings, load


def report(typed: str, *, formats: str, out: str | None, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    settings = load()
    chosen = formats_of(formats)
    if out is not None:
        require_writable(report_folder(out, typed))
    found = look_up(typed, settings, provisionally=True)
    closed = _closed(found, settings)
    if not isinstance(closed, Outcome):
        return tell_end(stdout(), found.run_id, closed, as_json=as_json)
    files: tuple[Artifact, ...] = ()
    if out is not None or not as_json:
        folder = report_folder(out, found.run_id)
        require_writable(folder)
        files = Output(settings).write(closed.report, chosen, folder)
    if as_json:
        print_json(closed.report.model_dump(mode="json"))
    else:
        tell_report(stdout(), closed.report, files)
        tell_afterwards(stdout(), closed.failures)
    return ExitCode.DONE


def _closed(found: Found, settings: Settings) -> Closed:
    """Say how the run ended, or give the report that is there while people think."""
    stands = _known(found, settings)
    if stands.closed is not None:
        return stands.closed
    if stands.report is not None:
        return Outcome(report=stands.report)
    if stands.progress is not None and stands.progress.provisional_problem is not None:
        raise NoResult(f"{stands.progress.provisional_problem} {come_back(found.run_id)}")
    raise NoResult(
        f"{found.run_id} still goes on: `{command('status', found.run_id)}` shows where it is, and "
        "`caveat up` serves it when nobody does."
    )


def _known(found: Found, settings: Settings) -> Standing:
    if isinstance(found.stands, RunRecord):
        kept = kept_folder(settings, found.run_id)
        where = f"its files are in {kept}" if kept else "its files are not on this machine"
        raise NoResult(
            f"The server has forgotten {found.run_id}, which memory still knows: {where}."
        )
    return found.stands
