"""Connections to the address that was checked, and to no other.

A page names whatever it likes, so a fetcher that follows it is a way into the network that it runs
in: only addresses that anybody on the internet may reach are reached. Standards that carry one
address inside another are seen through, or refused where the inner address is somebody else's to
choose.

A check that resolves a name before the client resolves it again can be answered twice: first with
a public address, then with a private one. Here a name is resolved once, every answer is checked,
and the connection goes to an address out of that same answer.
"""

import asyncio
import socket
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Protocol

from httpcore2 import (
    SOCKET_OPTION,
    AnyIOBackend,
    AsyncNetworkBackend,
    AsyncNetworkStream,
    ConnectError,
    ConnectTimeout,
)

from caveat.adapters.http.meanings import RefusedAddress, Unresolvable

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_UNICAST = ip_network("2000::/3")
"""All of IPv6 that is given out to anybody (IANA's address space registry); what carries IPv4
inside (mapped, compatible, translated, NAT64) lies outside it."""

_REFUSED: tuple[Network, ...] = (
    ip_network("168.63.129.16/32"),  # Azure's metadata and DNS: public by number, local by routing
    ip_network("100.64.0.0/10"),  # carrier-grade NAT (RFC 6598): neither private nor global
    ip_network("192.0.0.0/24"),  # IETF protocol assignments (RFC 6890)
    ip_network("192.88.99.0/24"),  # 6to4 relays (RFC 7526 withdrew them)
    ip_network("2001::/23"),  # IETF protocol assignments (RFC 2928), Teredo among them
    ip_network("2002::/16"),  # 6to4 (RFC 3056): ends wherever the 32 bits after it say
    ip_network("3fff::/20"),  # documentation (RFC 9637)
)
"""Beside what Python's `is_global` refuses, whose opinion of these differs by version."""

_NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}

_TRIES = 3
"""Addresses of one name that are tried; more would spend all the time on a host that is down."""


def is_public(address: Address) -> bool:
    """Tell whether an address is one that anybody on the internet may reach.

    Loopback, private, link-local, shared, multicast, reserved and unspecified addresses are not,
    as IANA's special-purpose registries list them; nor are IPv6 addresses that carry one of IPv4,
    and the ranges of `_REFUSED`.
    """
    if isinstance(address, IPv6Address) and address not in _UNICAST:
        return False
    if any(address in network for network in _REFUSED if network.version == address.version):
        return False
    return address.is_global and not address.is_multicast


@dataclass(frozen=True)
class Reach:
    """What a fetcher may reach.

    Attributes:
        exceptions: networks that may be reached although they are not public; none in production.
        ports: TCP ports; where there are exceptions, any port of these may be reached.
    """

    exceptions: tuple[Network, ...] = ()
    ports: frozenset[int] = frozenset({80, 443})

    def allows(self, address: Address, port: int) -> bool:
        """Tell whether a connection may be made."""
        if any(address in net for net in self.exceptions if net.version == address.version):
            return True
        return port in self.ports and is_public(address)


class Resolver(Protocol):
    """Resolves host names."""

    async def resolve(self, host: str) -> Sequence[Address]:
        """Return every address of a name, or the address that it spells, at least one.

        Raises:
            Unresolvable: there is no such name.
            OSError: the name servers cannot be asked now.
        """
        ...


class SystemResolver:
    """Asks the system, as every other program does; its cache is the system's."""

    async def resolve(self, host: str) -> Sequence[Address]:
        """Resolve a name; see `Resolver`."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except socket.gaierror as error:
            if error.errno in _NO_SUCH_NAME:
                raise Unresolvable("has a host name that does not exist") from error
            raise
        # A scope (fe80::1%eth0) only ever follows an address that is not public.
        addresses = (ip_address(str(entry[4][0]).partition("%")[0]) for entry in found)
        return tuple(dict.fromkeys(addresses))


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
        how = (port, timeout, local_address, socket_options)
        for address in others:
            with suppress(ConnectError, ConnectTimeout):
                return await self.dialler.connect_tcp(str(address), *how)
        return await self.dialler.connect_tcp(str(last), *how)
