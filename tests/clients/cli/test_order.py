"""A run that a signal breaks in upon while it is being started, and who waits for people."""

import asyncio
import io
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from rich.console import Console

from caveat.clients.cli.order import RunOrder, begin
from caveat.clients.problems import OutOfReach
from caveat.clients.service import Service
from caveat.contracts.plan import ResearchRequest
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings

ORDER = RunOrder("research-x-000000", ResearchRequest(topic="Why?"), Path("reports"))


@dataclass
class Server:
    """Takes a run up when it is told to, and answers as long as it is there."""

    takes_it: bool
    gone: bool = False
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    embedded: bool = True

    async def start(self, *_: Any) -> None:
        self.asked.set()
        if self.gone:
            raise OutOfReach("The Temporal server does not answer.")
        await asyncio.Event().wait()

    async def is_known(self, _: str) -> bool:
        return self.takes_it

    async def run_while_connected(self, work: Awaitable[None]) -> None:
        await work


async def said(server: Server) -> str:
    out = io.StringIO()
    service = Service(cast("Connection", server), Settings())
    vars(service)["runs"] = server
    begun: Awaitable[None] = begin(ORDER, service, Console(file=out, width=500))
    starting = asyncio.ensure_future(begun)
    await server.asked.wait()
    if not server.gone:
        starting.cancel()
    with pytest.raises((asyncio.CancelledError, OutOfReach)):
        await starting
    return out.getvalue()


@pytest.mark.parametrize(
    ("server", "sentence"),
    [
        (Server(takes_it=False), "No run was started.\n"),
        (Server(takes_it=True), "The run stays on the server"),
        (Server(takes_it=False, gone=True), "not known whether research-x-000000 was started"),
    ],
)
async def test_whoever_is_broken_in_upon_is_told_what_stays(server: Server, sentence: str) -> None:
    assert sentence in await said(server)
