"""`caveat tell`: what a person wants a run to look at as well, while it looks for evidence."""

from rich.console import Console

from caveat.clients.cli.console import print_json, say, stderr, stdout
from caveat.clients.cli.session import connected, keep_quiet, run, while_connected
from caveat.clients.cli.working import orchestrating_here
from caveat.clients.naming import Names
from caveat.clients.runs import Runs
from caveat.clients.typed import advice_of, person, run_beginning
from caveat.contracts.advice import Advice
from caveat.problem import ExitCode
from caveat.workers.settings import Settings, load


def tell(typed: str, text: str, *, by: str | None, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    settings = load()
    run_beginning(typed)
    advice = advice_of(text, by or person())
    keep_quiet()
    run_id, follows = run(_told(typed, advice, settings, stderr()))
    if as_json:
        print_json({"run_id": run_id, **advice.model_dump(mode="json"), "follows": follows})
    else:
        say(stdout(), follows)
    return ExitCode.DONE


async def _told(
    typed: str, advice: Advice, settings: Settings, console: Console
) -> tuple[str, str]:
    async with connected(settings, console) as connection, orchestrating_here(connection):
        run_id = await Names(connection.client, settings).run(typed)
        follows = await while_connected(Runs(connection.client).tell(run_id, advice), connection)
        return run_id, follows
