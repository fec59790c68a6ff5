"""The commands that _serve runs until they are told to stop: `caveat up` and `caveat worker`."""

import asyncio

from rich.console import Console

from caveat.problem import ExitCode
from clients.cli.console import say, stderr
from clients.cli.output import Delivery
from clients.cli.session import connected, log_to_stderr, run
from clients.folders import absolute, require_folder
from clients.problems import BadInput, Stopped
from clients.runs import Runs
from clients.servers import names_own_server, ui_link
from workers import serving
from workers.connection import Connection
from workers.settings import Settings, load


def _serve(settings: Settings, console: Console) -> int:
    """Serve until Ctrl-C; being told to stop is how this work is done."""
    try:
        run(_served(settings, console))
    except Stopped:
        return ExitCode.DONE
    return ExitCode.DONE


async def _served(settings: Settings, console: Console) -> None:
    async with connected(settings, console) as connection:
        _announce(console, connection)
        delivering = asyncio.create_task(
            Delivery(settings, console).keep_on(Runs(connection.client))
        )
        try:
            await serving.serve(connection, settings, asyncio.Event())
        except asyncio.CancelledError:
            say(console, "Stopped; open runs stay on the server and go on with the next worker.")
            raise
        finally:
            delivering.cancel()


def _announce(console: Console, connection: Connection) -> None:
    link = ui_link(connection)
    if link is not None:
        say(console, f"Web UI {link}")
    say(console, f"Temporal {connection.client.service_client.config.target_host}")
    say(console, "Serving research runs until Ctrl-C.")


def up(corpus: tuple[str, ...]) -> int:
    """Carry the command out and return its exit code."""
    if names_own_server():
        raise BadInput(
            "The environment names a Temporal server of your own: `caveat worker` serves runs on "
            "it; unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE to use the embedded server."
        )
    settings = load()
    folders = tuple(absolute(each) for each in corpus) or settings.corpus
    for folder in folders:
        require_folder(folder)
    log_to_stderr()
    return _serve(settings.model_copy(update={"corpus": folders}), stderr())


def worker() -> int:
    """Carry the command out and return its exit code."""
    if not names_own_server():
        raise BadInput(
            "There is no server to work for: set TEMPORAL_ADDRESS or a Temporal profile, or type "
            "`caveat up` for the embedded server."
        )
    settings = load()
    log_to_stderr()
    return _serve(settings, stderr())
