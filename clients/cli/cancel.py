"""`caveat cancel`: stop a run, and keep what it found."""

import asyncio

from rich.console import Console

from caveat.clients.cli.conclusion import tell_end
from caveat.clients.cli.console import say, stderr, stdout
from caveat.clients.cli.session import connected, keep_quiet, run, while_connected
from caveat.clients.cli.working import keeping_here, orchestrating_here
from caveat.clients.naming import Names
from caveat.clients.problems import BadInput, OutOfReach
from caveat.clients.runs import Closed, Runs, RunStatus
from caveat.clients.standings import paused_words
from caveat.contracts.outcome import Ending, NamedEnd
from caveat.problem import ExitCode
from caveat.workers.settings import Settings, load

_SERVED_S = 5.0
"""Within which a run ends that somebody serves; loading a worker for it takes about as long."""

_PATIENCE_S = 30.0
"""For stopping: an activity hears of it within two seconds and has ten to end, and writing what
was found takes few more."""


def cancel(typed: str, *, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    settings = load()
    keep_quiet()
    run_id, closed = run(_cancelled(typed, settings, stderr()))
    if not isinstance(closed, NamedEnd) or closed.ending is not Ending.CANCELLED:
        raise BadInput(f"{run_id} ended before it could be cancelled: `caveat status {run_id}`.")
    tell_end(stdout(), run_id, closed, as_json=as_json)
    if not as_json:
        _tell_what_next(run_id, closed)
    return ExitCode.DONE


def _tell_what_next(run_id: str, end: NamedEnd) -> None:
    if end.evidence is None:
        say(stdout(), "It had found nothing yet that could be kept.")
    else:
        say(stdout(), f"`caveat follow-up {run_id}` goes on with what it found.")


async def _cancelled(typed: str, settings: Settings, console: Console) -> tuple[str, Closed]:
    async with connected(settings, console) as connection:
        runs = Runs(connection.client)
        run_id = await Names(connection.client, settings).run(typed)
        line = await runs.line(run_id)
        if line.status is not RunStatus.RUNNING:
            raise BadInput(f"{run_id} has ended already: `caveat status {run_id}` says how.")
        await runs.cancel(run_id)
        if line.paused:
            raise OutOfReach(
                f"{paused_words(run_id)} It is cancelled then, and keeps what it found."
            )
        try:
            async with asyncio.timeout(_SERVED_S):
                return run_id, await while_connected(runs.closed(run_id), connection)
        except TimeoutError:
            route = await runs.route(run_id)
        async with orchestrating_here(connection), keeping_here(connection, settings, route):
            return run_id, await while_connected(_ended(runs, run_id), connection)


async def _ended(runs: Runs, run_id: str) -> Closed:
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return await runs.closed(run_id)
    except TimeoutError:
        raise OutOfReach(
            f"{run_id} is being cancelled and keeps what it found as soon as a worker for all runs "
            "is there: start one with `caveat up`, or with `caveat worker` for a server of your "
            "own."
        ) from None
