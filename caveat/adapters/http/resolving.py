"""Names to addresses, through the system's resolver."""

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Protocol

from caveat.adapters.http.addresses import Address
from caveat.adapters.http.refusals import Unresolvable

_NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}


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
