"""`caveat failures`: what failed in a run, and why."""

from collections.abc import Sequence

from caveat.contracts.outcome import RunRecord
from clients.cli.conclusion import tell_failures
from clients.cli.console import print_json, say, stderr, stdout
from clients.cli.exits import ExitCode
from clients.cli.looking import look_up
from clients.inviting import invites_follow_up
from clients.lacking import missing_without_failure
from clients.typed import command
from workers.settings import load


def failures(typed: str, *, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    found = look_up(typed, load())
    stands = found.stands
    failed = stands.failures if isinstance(stands, RunRecord) else stands.failures()
    if as_json:
        print_json([each.model_dump(mode="json") for each in failed])
    elif failed:
        tell_failures(stdout(), failed)
        if invites_follow_up(stands):
            again = command("follow-up", found.run_id)
            say(stdout(), f"`{again}` tries again what is worth it.")
    if not as_json:
        _tell_rest(missing_without_failure(stands), nothing_failed=not failed)
    return ExitCode.DONE


def _tell_rest(missing: Sequence[str], *, nothing_failed: bool) -> None:
    """Say what a run lacks although no task failed for it, such as what its budget left out."""
    if missing:
        say(stdout(), "No task failed, and yet:" if nothing_failed else "Beside these failures:")
        for each in missing:
            say(stdout(), f"  {each}")
    elif nothing_failed:
        say(stderr(), "Nothing failed.")
