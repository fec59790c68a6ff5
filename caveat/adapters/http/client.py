"""One request and its answer, on a connection of its own.

A fetch talks to a host a few times at most, with pauses between: connections are not kept, so every
request goes through the check of addresses. Bodies take bounded memory, whatever they unpack to.
"""

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

from httpcore2 import (
    SOCKET_OPTION,
    URL,
    AnyIOBackend,
    AsyncHTTPConnection,
    AsyncNetworkBackend,
    AsyncNetworkStream,
    Origin,
    default_ssl_context,
)

from caveat.adapters.http.meanings import Refusal, TooLarge
from caveat.adapters.http.pinning import PinnedBackend
from caveat.adapters.http.target import Target

PRODUCT = "Caveat"
"""The name by which sites may address this program in their robots.txt."""

_AT_A_STRETCH = 64
"""Chunks that are taken before others have their turn: those that arrived together come without any
waiting, and a server may make them as small as a byte."""
_GZIP = 16 + zlib.MAX_WBITS  # zlib's way of asking for a gzip header (RFC 1952)


def user_agent(version: str, contact: str | None = None) -> str:
    """Say who asks.

    Args:
        version: of this program.
        contact: an address or URL of whoever runs it. Some sites, Wikipedia's among them, ask for
            one and slow down those without.
    """
    about = "; ".join(filter(None, ("research, respects robots.txt", contact)))
    return f"{PRODUCT}/{version} ({about})"


@dataclass(frozen=True)
class Request:
    """What is asked, of whom.

    Attributes:
        target: where it goes.
        headers: beside `Host`, `User-Agent` and `Accept-Encoding`; they may hold a key.
        method: GET, or POST with content.
        content: the body, None for none.
    """

    target: Target
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    method: str = "GET"
    content: bytes | None = None


@dataclass(frozen=True)
class HttpAnswer:
    """What a server says.

    Attributes:
        target: what was asked for.
        status: HTTP status code.
        headers: by name in lower case; of repeated ones the first.
        body: the bytes, unpacked; empty where nobody wanted them.
    """

    target: Target
    status: int
    headers: Mapping[str, str]
    body: bytes = b""

    def header(self, name: str) -> str:
        """Return a header, empty where there is none."""
        return self.headers.get(name, "")


@dataclass(frozen=True)
class Client:
    """Asks servers, without cookies, proxies or credentials of the environment.

    Attributes:
        user_agent: who asks.
        backend: what makes connections.
        connect_s: seconds for one connection, and for its TLS.
        trust: whose certificates are believed; the system's by default.
    """

    user_agent: str
    backend: AsyncNetworkBackend = field(default_factory=PinnedBackend)
    connect_s: float = 5.0
    trust: ssl.SSLContext = field(default_factory=default_ssl_context, repr=False)

    async def get(
        self, target: Target, headers: Mapping[str, str], bound: Callable[[HttpAnswer], int]
    ) -> HttpAnswer:
        """Send one GET; see `send`."""
        return await self.send(Request(target, headers), bound)

    async def send(self, request: Request, bound: Callable[[HttpAnswer], int]) -> HttpAnswer:
        """Send one request; redirects are answers like any other.

        Args:
            request: what is asked, of whom.
            bound: called with the head of the answer; says how many bytes of the body are wanted,
                after decompression. With 0 the body is not read at all.

        Raises:
            Refusal: the rules stop it, or there is no such host.
            OSError: the name servers cannot be asked now.
            httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError: the
                exchange broke.
        """
        async with self._sent(request) as (head, chunks):
            wanted = bound(head)
            if not wanted:
                return head
            encoding = head.header("content-encoding")
            body = await bounded(chunks, encoding, wanted)
            return HttpAnswer(
                target=head.target, status=head.status, headers=head.headers, body=body
            )

    @asynccontextmanager
    async def _sent(
        self, request: Request
    ) -> AsyncIterator[tuple[HttpAnswer, AsyncIterator[bytes]]]:
        target = request.target
        scheme, host = target.scheme.encode(), target.host.encode()
        url = URL(scheme=scheme, host=host, port=target.port, target=target.path.encode())
        sent = {
            "Host": target.authority,
            "User-Agent": self.user_agent,
            "Accept-Encoding": "gzip",  # identity is always acceptable (RFC 9110, 12.5.3)
            "Connection": "close",
            **request.headers,
        }
        async with (
            aclosing(_TidyBackend(self.backend)) as backend,
            AsyncHTTPConnection(
                origin=Origin(scheme, host, target.port),
                ssl_context=self.trust,
                network_backend=backend,
            ) as connection,
            connection.stream(
                request.method,
                url,
                headers=list(sent.items()),
                content=request.content,
                extensions={"timeout": {"connect": self.connect_s}},
            ) as response,
            aclosing(response.aiter_stream()) as chunks,
        ):
            yield _head(target, response.status, response.headers), chunks


def operators_client(user_agent: str) -> Client:
    """Return a client for addresses that are the operator's own settings: engines, webhooks.

    Unlike pages, they may be on this machine or in a private network, as a SearXNG often is.
    """
    return Client(user_agent=user_agent, backend=AnyIOBackend())


def _head(target: Target, status: int, headers: list[tuple[bytes, bytes]]) -> HttpAnswer:
    first: dict[str, str] = {}
    for name, value in headers:
        first.setdefault(name.decode("latin-1").lower(), value.decode("latin-1").strip())
    return HttpAnswer(target=target, status=status, headers=first)


@dataclass(frozen=True)
class _TidyBackend(AsyncNetworkBackend):
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


async def bounded(chunks: AsyncIterator[bytes], encoding: str, limit: int) -> bytes:
    """Collect a body.

    Args:
        chunks: the bytes as they come.
        encoding: the header `Content-Encoding`; identity (or none) and gzip are understood.
        limit: bytes, before and after decompression.

    Raises:
        TooLarge: there is more; no more than the limit is ever unpacked.
        Refusal: the encoding is another, or the compressed data is damaged or breaks off.
    """
    body = _body(encoding, limit)
    total = count = 0
    async for chunk in chunks:
        total += len(chunk)
        count += 1
        if count % _AT_A_STRETCH == 0:
            await asyncio.sleep(0)
        if total > limit:
            raise _too_large(limit)
        body.add(chunk)
    return body.finish()


def _body(encoding: str, limit: int) -> "_Plain | _Gzip":
    match encoding.strip().lower():
        case "" | "identity":
            return _Plain()
        case "gzip" | "x-gzip":  # RFC 9110, 8.4.1.3: the same
            return _Gzip(limit)
    raise Refusal("comes in an encoding that was not asked for")


@dataclass
class _Plain:
    _data: bytearray = field(default_factory=bytearray)

    def add(self, chunk: bytes) -> None:
        self._data += chunk

    def finish(self) -> bytes:
        return bytes(self._data)


@dataclass
class _Gzip:
    limit: int
    _data: bytearray = field(default_factory=bytearray)
    _member: "zlib._Decompress" = field(default_factory=lambda: zlib.decompressobj(_GZIP))

    def add(self, chunk: bytes) -> None:
        while chunk:
            if self._member.eof:  # a gzip file may consist of several members (RFC 1952, 2.2)
                self._member = zlib.decompressobj(_GZIP)
            # One byte more than may be kept tells a body that is too large from a full one.
            room = self.limit + 1 - len(self._data)
            try:
                self._data += self._member.decompress(chunk, room)
            except zlib.error:
                raise Refusal("sends compressed data that is damaged") from None
            if len(self._data) > self.limit:
                raise _too_large(self.limit)
            chunk = self._member.unused_data or self._member.unconsumed_tail

    def finish(self) -> bytes:
        if not self._member.eof:
            raise Refusal("sends compressed data that breaks off")
        return bytes(self._data)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"has more than the {limit / 1e6:g} MB that are read of it")
