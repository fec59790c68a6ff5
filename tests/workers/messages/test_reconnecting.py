"""A receiver whose broker goes away hears again when it is back."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from caveat.adapters.rabbitmq.messages import RabbitMessages
from caveat.contracts.message import Message, RemarkBody
from caveat.intake import Intake, now
from caveat.rules.messages import Numbering
from tests.fakes.brokers import URL, a_topology, clean_up
from tests.fakes.free_ports import free_port
from tests.fakes.patience import PATIENCE_S
from tests.workers.messages.conftest import needs_rabbitmq


@dataclass
class Line:
    """A line to a server that can be cut."""

    to: str  # the URL of the server
    port: int = field(default_factory=free_port)
    _server: asyncio.Server | None = None
    _ends: list[asyncio.StreamWriter] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Where the server is reached by this line."""
        parts = urlsplit(self.to)
        return (
            f"{parts.scheme}://{parts.username}:{parts.password}@127.0.0.1:{self.port}{parts.path}"
        )

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)

    async def cut(self) -> None:
        assert self._server is not None
        self._server.close()
        for end in self._ends:
            end.transport.abort()
        self._ends.clear()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        parts = urlsplit(self.to)
        there = await asyncio.open_connection(parts.hostname, parts.port or 5672)
        self._ends += [writer, there[1]]
        with suppress(asyncio.CancelledError):  # the program ends
            await asyncio.gather(_pass_on(reader, there[1]), _pass_on(there[0], writer))


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()


@needs_rabbitmq
async def test_a_receiver_hears_again_after_its_broker_was_away(tmp_path: Path) -> None:
    topology, line = a_topology(100), Line(URL)
    near = RabbitMessages(URL, topology=topology)
    far = RabbitMessages(
        line.url, lambda name: Intake(name, tmp_path / "far.db"), topology=topology
    )
    numbering = Numbering("news", "series-1")
    taken: asyncio.Queue[int] = asyncio.Queue()

    async def handle(message: Message) -> None:
        taken.put_nowait(message.number)

    async def hears(number: int) -> None:
        message = numbering.build_message(RemarkBody(text="…"), now=now(), recipient="far")
        await near.send(message)
        numbering.confirm(message)
        async with asyncio.timeout(PATIENCE_S):
            assert await taken.get() == number

    await near.open("far")
    await line.open()
    serving = asyncio.create_task(far.serve("far", handle))
    try:
        await hears(1)
        for number in (2, 3):
            await line.cut()
            await asyncio.sleep(1.5)  # until it has been called in vain too
            await line.open()
            await hears(number)
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        await line.cut()
        await near.close()
        await far.close()
        await clean_up(topology, ("far",))
