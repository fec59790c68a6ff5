"""`caveat failures`: what failed in a run, and why."""

from caveat.contracts.outcome import RunRecord
from clients.cli.asking import ask
from clients.cli.conclusion import tell_failures
from clients.cli.console import print_json, say, stderr, stdout
from clients.cli.exits import ExitCode
from clients.follow_ups import invites_follow_up
from clients.runs import Runs
from clients.standing import Standing, standing_in_detail
from workers.connection import Connection
from workers.settings import load


def failures(run_id: str, *, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    settings = load()

    async def found(runs: Runs, _: Connection) -> Standing | RunRecord:
        return await standing_in_detail(runs, settings, run_id)

    stands = ask(found, settings)
    failed = stands.failures if isinstance(stands, RunRecord) else stands.failures()
    if as_json:
        print_json([each.model_dump(mode="json") for each in failed])
    elif failed:
        tell_failures(stdout(), failed)
        if invites_follow_up(stands):
            say(stdout(), f"`caveat follow-up {run_id}` tries again what is worth it.")
    else:
        say(stderr(), "Nothing failed.")
    return ExitCode.DONE
