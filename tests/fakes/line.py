"""A line to a server that can be cut, as a broker's that fails."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.fakes.free_ports import free_port


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
        """Have it carry what comes."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)

    async def cut(self) -> None:
        """Break every connection, and take no other one."""
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
