"""A process that serves runs until it is told to stop."""

import asyncio

from rich.console import Console

from clients.addresses import ui_link
from clients.cli.console import say
from clients.cli.delivery import Delivery
from clients.cli.exits import ExitCode, Stopped
from clients.cli.loop import run
from clients.cli.session import connected
from clients.runs import Runs
from workers.connection import Connection
from workers.settings import Settings
from workers.wiring import crew
from workers.worker import run_workers


def serve(settings: Settings, console: Console) -> int:
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
            await run_workers(
                connection, crew(settings), asyncio.Event(), settings.requests_per_second
            )
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
