"""Asking the server one thing."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from rich.console import Console

from clients.cli.console import stderr
from clients.cli.logs import keep_quiet
from clients.cli.loop import run
from clients.cli.session import connected, while_connected
from clients.promises import Promises
from clients.runs import Runs
from workers.connection import Connection
from workers.settings import Settings

T = TypeVar("T")

Question = Callable[[Runs, Connection], Awaitable[T]]


def ask(question: Question[T], settings: Settings) -> T:
    """Connect, starting the embedded server when it is needed, ask, and disconnect."""
    keep_quiet()
    return run(_asked(question, settings, stderr()))


async def _asked(question: Question[T], settings: Settings, console: Console) -> T:
    async with connected(settings, console) as connection:
        runs = Runs(connection.client)
        answer = await while_connected(question(runs, connection), connection)
        if Promises(settings.promises_folder).open():
            from clients.cli.delivery import Delivery  # noqa: PLC0415  # only where one is due

            await Delivery(settings, console).from_server(runs)
        return answer
