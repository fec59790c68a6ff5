"""The commands that reach into a run under way."""

import asyncio

from caveat.clients.cli.conclusion import tell_end
from caveat.clients.cli.console import get_stdout, print_json, say
from caveat.clients.cli.session import ask_server
from caveat.clients.cli.working import serve_orchestration, serve_without_calls
from caveat.clients.naming import RunNames
from caveat.clients.problems import BadInput, OutOfReach
from caveat.clients.run_description import explain_paused
from caveat.clients.runs import Closed, Runs
from caveat.clients.service import Service
from caveat.contracts.outcome import Ending, NamedEnd
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings, load

_SERVED_S = 5.0
"""Within which a run ends that somebody serves; loading a worker for it takes about as long."""

_PATIENCE_S = 30.0
"""For stopping: an activity hears of it within two seconds and has ten to end, and writing what
was found takes few more."""


def cancel(typed: str, *, as_json: bool) -> None:
    """Carry the command out."""
    settings = load()
    run_id, closed = ask_server(
        lambda connection: _cancel_run(typed, settings, connection), settings
    )
    if not isinstance(closed, NamedEnd) or closed.ending is not Ending.CANCELLED:
        raise BadInput(f"{run_id} ended before it could be cancelled: `caveat status {run_id}`.")
    tell_end(get_stdout(), run_id, closed, as_json=as_json)
    if not as_json and closed.evidence is None:
        say(get_stdout(), "It had found nothing yet that could be kept.")
    elif not as_json:
        say(get_stdout(), f"`caveat follow-up {run_id}` goes on with what it found.")


async def _cancel_run(typed: str, settings: Settings, connection: Connection) -> tuple[str, Closed]:
    runs = Runs(connection.client)
    run_id = await RunNames(connection.client, settings).find_run(typed)
    if (await runs.cancel(run_id)).paused:
        raise OutOfReach(f"{explain_paused(run_id)} It is cancelled then, and keeps what it found.")
    try:
        async with asyncio.timeout(_SERVED_S):
            return run_id, await runs.wait_for_end(run_id)
    except TimeoutError:
        pass
    async with serve_orchestration(connection), serve_without_calls(connection, settings):
        return run_id, await _await_end(runs, run_id)


async def _await_end(runs: Runs, run_id: str) -> Closed:
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return await runs.wait_for_end(run_id)
    except TimeoutError:
        raise OutOfReach(
            f"{run_id} is being cancelled. It keeps what it found as soon as a worker for all runs "
            "is there. Start one with `caveat up`, or with `caveat worker` for a server of your "
            "own."
        ) from None


_DELETION_S = 40.0  # a server notes every half a minute how far it has come, and forgets then


def delete(typed: str, *, as_json: bool) -> None:
    """Carry the command out."""
    settings = load()

    async def find_and_delete(connection: Connection) -> tuple[str, bool]:
        service = Service(connection, settings)
        run_id = await RunNames(connection.client, settings).find_run(typed)
        return run_id, await service.delete(run_id, _DELETION_S)

    run_id, is_unlisted = ask_server(find_and_delete, settings)
    if as_json:
        print_json({"run_id": run_id, "deleted": True})
        return
    later = "" if is_unlisted else " The server's list may show it for half a minute."
    say(get_stdout(), f"{run_id} is deleted.{later}")
