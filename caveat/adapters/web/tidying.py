"""Connections that are closed whatever happens to who asked for them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from httpcore2 import SOCKET_OPTION, AsyncNetworkBackend, AsyncNetworkStream


@dataclass(frozen=True)
class TidyBackend(AsyncNetworkBackend):
    """Makes connections through another backend, and remembers to close them.

    httpcore2 forgets a connection whose TLS handshake is cancelled, and a host that stalls there
    would cost a socket each time.

    Attributes:
        behind: makes the connections.
    """

    behind: AsyncNetworkBackend
    _made: list[AsyncNetworkStream] = field(default_factory=list)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # the base class has it
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> AsyncNetworkStream:
        """Connect; see the backend behind."""
        made = await self.behind.connect_tcp(host, port, timeout, local_address, socket_options)
        self._made.append(made)
        return made

    async def aclose(self) -> None:
        """Close every connection that was made; closing one again changes nothing."""
        for made in self._made:
            await made.aclose()
