"""One request and its answer, on a connection of its own.

A fetch talks to a host a few times at most, with pauses between: connections are not kept, so every
request goes through the check of addresses. Bodies take bounded memory, whatever they unpack to.

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
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from httpcore2 import (
    SOCKET_OPTION,
    URL,
    AnyIOBackend,
    AsyncHTTPConnection,
    AsyncNetworkBackend,
    AsyncNetworkStream,
    ConnectError,
    ConnectTimeout,
    Origin,
    default_ssl_context,
)

from caveat.adapters.http.meanings import ABSENT, RefusalError, RefusedAddressError, TooLargeError
from caveat.adapters.http.target import Target

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
"""In addition to what Python's `is_global` refuses, which differs by version."""

_NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}

_TRIES = 3
"""Addresses of one name that are tried; more would spend all the time on a host that is down."""


def is_public(address: Address) -> bool:
    # Loopback, private, link-local, shared, multicast, reserved and unspecified addresses are not,
    # as IANA's special-purpose registries list them; nor are IPv6 addresses that carry one of IPv4,
    # and the ranges of `_REFUSED`.
    if isinstance(address, IPv6Address) and address not in _UNICAST:
        return False
    if any(address in network for network in _REFUSED if network.version == address.version):
        return False
    return address.is_global and not address.is_multicast


@dataclass(frozen=True)
class Reach:
    # networks that may be reached although they are not public; none in production
    exceptions: tuple[Network, ...] = ()
    # TCP ports; where there are exceptions, any port of these may be reached
    ports: frozenset[int] = frozenset({80, 443})

    def allows(self, address: Address, port: int) -> bool:
        if any(address in net for net in self.exceptions if net.version == address.version):
            return True
        return port in self.ports and is_public(address)


async def resolve(host: str) -> Sequence[Address]:
    """Return every address of a name, or the address that it spells, at least one."""
    loop = asyncio.get_running_loop()
    try:
        entries = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        if error.errno in _NO_SUCH_NAME:
            raise RefusalError("has a host name that does not exist", ABSENT) from error
        raise
    # A scope (fe80::1%eth0) only ever follows an address that is not public.
    addresses = (ip_address(str(entry[4][0]).partition("%")[0]) for entry in entries)
    return tuple(dict.fromkeys(addresses))


@dataclass(frozen=True)
class PinnedBackend(AsyncNetworkBackend):
    """Resolves, checks and connects in one step."""

    resolve: Callable[[str], Awaitable[Sequence[Address]]] = resolve
    reach: Reach = field(default_factory=Reach)  # which addresses may be reached
    # makes the connection; it is only ever given numeric addresses
    dialler: AsyncNetworkBackend = field(default_factory=AnyIOBackend)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # the base class has it
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> AsyncNetworkStream:
        addresses = await self.resolve(host)
        if not addresses or not all(self.reach.allows(each, port) for each in addresses):
            raise RefusedAddressError("is not on the public internet")
        *others, last = addresses[:_TRIES]
        how = (port, timeout, local_address, socket_options)
        for address in others:
            with suppress(ConnectError, ConnectTimeout):
                return await self.dialler.connect_tcp(str(address), *how)
        return await self.dialler.connect_tcp(str(last), *how)


_CONNECT_S = 5.0  # seconds for one connection, and for its TLS: a server that is up takes few ms

PRODUCT = "Caveat"  # the name by which sites may address this program in their robots.txt

_AT_A_STRETCH = 64
"""Chunks that are taken before others have their turn: those that arrived together come without any
waiting, and a server may make them as small as a byte."""
_GZIP = 16 + zlib.MAX_WBITS  # zlib's way of asking for a gzip header (RFC 1952)


def build_user_agent() -> str:
    return f"{PRODUCT}/{version('caveat')} (research, respects robots.txt)"


@dataclass(frozen=True)
class Request:
    target: Target  # where it goes
    # in addition to `Host`, `User-Agent` and `Accept-Encoding`; they may hold a key
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    method: str = "GET"
    content: bytes | None = None  # the body, None for none


@dataclass(frozen=True)
class HttpAnswer:
    target: Target
    status: int
    headers: Mapping[str, str]  # by name in lower case; of repeated ones the first
    body: bytes = b""  # the bytes, unpacked; empty where nobody wanted them

    def get_header(self, name: str) -> str:
        return self.headers.get(name, "")


@dataclass(frozen=True)
class Client:
    """Sends requests, without cookies, proxies or credentials of the environment."""

    user_agent: str = field(default_factory=build_user_agent)
    backend: AsyncNetworkBackend = field(default_factory=PinnedBackend)
    # whose certificates are believed; the system's by default
    trust: ssl.SSLContext = field(default_factory=default_ssl_context, repr=False)

    async def send(self, request: Request, bound: Callable[[HttpAnswer], int]) -> HttpAnswer:
        """Send one request; redirects are answers like any other.

        Args:
            bound: maps the answer's head to the bytes of body to read, after decompression; 0 for
                none.
        """
        target = request.target
        scheme, host = target.scheme.encode(), target.host.encode()
        sent = {
            "Host": target.authority,
            "User-Agent": self.user_agent,
            "Accept-Encoding": "gzip",  # identity is always acceptable (RFC 9110, 12.5.3)
            "Connection": "close",
            **request.headers,
        }
        async with (
            AsyncExitStack() as opened,
            AsyncHTTPConnection(
                origin=Origin(scheme, host, target.port),
                ssl_context=self.trust,
                network_backend=self.backend,
            ) as connection,
            connection.stream(
                request.method,
                URL(scheme=scheme, host=host, port=target.port, target=target.path.encode()),
                headers=list(sent.items()),
                content=request.content,
                extensions={"timeout": {"connect": _CONNECT_S}, "trace": partial(_keep, opened)},
            ) as response,
            aclosing(response.aiter_stream()) as chunks,
        ):
            first: dict[str, str] = {}
            for name, value in response.headers:
                first.setdefault(name.decode("latin-1").lower(), value.decode("latin-1").strip())
            head = HttpAnswer(target=target, status=response.status, headers=first)
            wanted = bound(head)
            if not wanted:
                return head
            return replace(
                head, body=await read_body(chunks, first.get("content-encoding", ""), wanted)
            )


async def _keep(opened: AsyncExitStack, event: str, facts: Mapping[str, Any]) -> None:
    """Have a connection closed in the end: one whose TLS is cancelled httpcore2 forgets."""
    if event == "connection.connect_tcp.complete":
        opened.push_async_callback(facts["return_value"].aclose)


def create_operator_client() -> Client:
    """Create a client for the operator's own addresses, such as engines."""
    # Unlike pages, they may be on this machine or in a private network, as a SearXNG often is.
    return Client(backend=AnyIOBackend())


async def read_body(chunks: AsyncIterator[bytes], encoding: str, limit: int) -> bytes:
    """Read a body.

    Args:
        encoding: `Content-Encoding`: identity, gzip or nothing.
        limit: bytes, before and after decompression.
    """
    kind, plain = encoding.strip().lower(), bytearray()
    if kind not in {"", "identity", "gzip", "x-gzip"}:  # RFC 9110, 8.4.1.3: the last are the same
        raise RefusalError("comes in an unsupported encoding")
    packed = zlib.decompressobj(_GZIP) if kind.endswith("gzip") else None
    total = count = 0
    async for chunk in chunks:
        total += len(chunk)
        count += 1
        if count % _AT_A_STRETCH == 0:
            await asyncio.sleep(0)
        try:
            # One byte more than may be kept tells a body that is too large from a full one.
            room = limit + 1 - len(plain)
            plain += chunk if packed is None else packed.decompress(chunk, room)
        except zlib.error:
            raise RefusalError("sends damaged compressed data") from None
        if max(total, len(plain)) > limit:
            raise TooLargeError(f"has more than the {limit / 1e6:g} MB that are read of it")
    if packed is not None and (not packed.eof or packed.unused_data):
        raise RefusalError("sends compressed data that is truncated, or in several parts")
    return bytes(plain)
