"""`caveat heal`: let a run go on that stands still since Caveat's code has changed."""

from rich.console import Console

from caveat.clients.cli.console import print_json, say, stderr, stdout
from caveat.clients.cli.session import connected, keep_quiet, run, while_connected
from caveat.clients.healing import Healed, Healing
from caveat.clients.naming import Names
from caveat.clients.problems import BadInput
from caveat.clients.runs import Runs, RunStatus
from caveat.clients.standings import paused_words
from caveat.problem import ExitCode
from caveat.rendering.commands import command
from caveat.workers.settings import Settings, load


def heal(typed: str, *, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    keep_quiet()
    run_id, healed = run(_healed(typed, load(), stderr()))
    if as_json:
        print_json(
            {"run_id": run_id, "reset": list(healed.reset), "handed_over": list(healed.handed_over)}
        )
        return ExitCode.DONE
    if healed.handed_over:
        say(stdout(), f"{run_id} is in the hands of the version that new runs begin with.")
    if healed.reset:
        say(stdout(), f"{run_id} goes on from where this version of Caveat agrees with it.")
    if healed.handed_over or healed.reset:
        say(stdout(), f"`{command('resume', run_id)}` follows it; `caveat up` serves it.")
    else:
        say(stdout(), f"{run_id} needs no healing: a worker that is there can go on with it.")
    return ExitCode.DONE


async def _healed(typed: str, settings: Settings, console: Console) -> tuple[str, Healed]:
    async with connected(settings, console) as connection:
        run_id = await Names(connection.client, settings).run(typed)
        line = await Runs(connection.client).line(run_id)
        if line.paused:
            raise BadInput(paused_words(run_id))
        if line.status is not RunStatus.RUNNING:
            raise BadInput(
                f"{run_id} has ended already: `{command('status', run_id)}` says how, and "
                f"`{command('follow-up', run_id)}` goes on with what it found."
            )
        return run_id, await while_connected(Healing(connection.client).heal(run_id), connection)
