"""A server to talk to, found or started before anybody becomes impatient."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TypeVar

from rich.console import Console

from clients.cli.console import is_animated, say
from workers.connection import Connection, connect
from workers.settings import Settings

T = TypeVar("T")

_PATIENCE_S = 2.0
"""Seconds that need no explanation where nothing can move."""


@asynccontextmanager
async def connected(settings: Settings, console: Console) -> AsyncIterator[Connection]:
    """Connect to the server, starting the embedded one when needed; say so while it takes time."""
    async with AsyncExitStack() as stack:
        with _patience(console, "Reaching the Temporal server …"):
            try:
                connection = await stack.enter_async_context(connect(settings))
            except asyncio.CancelledError:
                say(console, "Stopped before the Temporal server answered.")
                raise
        yield connection


@contextmanager
def _patience(console: Console, sentence: str) -> Iterator[None]:
    if is_animated(console):
        with console.status(sentence):
            yield
        return
    later = asyncio.get_running_loop().call_later(_PATIENCE_S, say, console, sentence)
    try:
        yield
    finally:
        later.cancel()


async def while_connected(work: Awaitable[T], connection: Connection) -> T:
    """Do something for as long as the server is there.

    Raises:
        ServerProblem: the embedded server ended before it was done.
    """
    doing = asyncio.ensure_future(work)
    lost = asyncio.ensure_future(connection.lost())
    try:
        await asyncio.wait({doing, lost}, return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            await lost
        return await doing
    finally:
        doing.cancel()
        lost.cancel()
        # What it shows must have been put away before anything else is said.
        await asyncio.gather(doing, lost, return_exceptions=True)
