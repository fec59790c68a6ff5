"""Connections to the address that was checked, and to no other.

A check that resolves a name before the client resolves it again can be answered twice: first with
a public address, then with a private one. Here a name is resolved once, every answer is checked,
and the connection goes to an address out of that same answer.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from httpcore2 import (
    SOCKET_OPTION,
    AnyIOBackend,
    AsyncNetworkBackend,
    AsyncNetworkStream,
    ConnectError,
    ConnectTimeout,
)

from caveat.adapters.http.addresses import Address, Reach
from caveat.adapters.http.refusals import RefusedAddress
from caveat.adapters.http.resolving import Resolver, SystemResolver

_TRIES = 3
"""Addresses of one name that are tried; more would spend all the time on a host that is down."""


@dataclass(frozen=True)
class PinnedBackend(AsyncNetworkBackend):
    """Resolves, checks and connects, in this order and at once.

    Attributes:
        resolver: what names become addresses by.
        reach: which addresses may be reached.
        dialler: makes the connection; it is only ever given numeric addresses.
    """

    resolver: Resolver = field(default_factory=SystemResolver)
    reach: Reach = field(default_factory=Reach)
    dialler: AsyncNetworkBackend = field(default_factory=AnyIOBackend)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # the base class has it
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> AsyncNetworkStream:
        """Connect to a name.

        Raises:
            RefusedAddress: one of its addresses may not be reached; that one may is no excuse,
                since nobody mixes them but to get around a check.
            Unresolvable: there is no such name.
            OSError: the name servers cannot be asked now.
            httpcore2.ConnectError, httpcore2.ConnectTimeout: no address can be connected to.
        """
        addresses = await self.resolver.resolve(host)
        if not addresses or not all(self.reach.allows(each, port) for each in addresses):
            raise RefusedAddress("is not on the public internet")
        *others, last = addresses[:_TRIES]
        for address in others:
            with suppress(ConnectError, ConnectTimeout):
                return await self._dial(address, port, timeout, local_address, socket_options)
        return await self._dial(last, port, timeout, local_address, socket_options)

    async def _dial(
        self,
        address: Address,
        port: int,
        seconds: float | None,
        local_address: str | None,
        socket_options: Iterable[SOCKET_OPTION] | None,
    ) -> AsyncNetworkStream:
        return await self.dialler.connect_tcp(
            str(address), port, seconds, local_address, socket_options
        )
