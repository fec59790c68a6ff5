"""One request and its answer, on a connection of its own.

A fetch talks to a host a few times at most, with pauses between: connections are not kept, so every
request goes through the check of addresses.
"""

import ssl
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

from caveat.adapters.http.body import bounded
from caveat.adapters.http.pinning import PinnedBackend
from caveat.adapters.http.target import Target

PRODUCT = "Caveat"
"""The name by which sites may address this program in their robots.txt."""


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
class Answer:
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
        self, target: Target, headers: Mapping[str, str], bound: Callable[[Answer], int]
    ) -> Answer:
        """Send one GET; see `send`."""
        return await self.send(Request(target, headers), bound)

    async def send(self, request: Request, bound: Callable[[Answer], int]) -> Answer:
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
            return Answer(target=head.target, status=head.status, headers=head.headers, body=body)

    @asynccontextmanager
    async def _sent(self, request: Request) -> AsyncIterator[tuple[Answer, AsyncIterator[bytes]]]:
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


def _head(target: Target, status: int, headers: list[tuple[bytes, bytes]]) -> Answer:
    first: dict[str, str] = {}
    for name, value in headers:
        first.setdefault(name.decode("latin-1").lower(), value.decode("latin-1").strip())
    return Answer(target=target, status=status, headers=first)


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
