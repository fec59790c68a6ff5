"""The web on the loopback address: one HTTP server for all hosts, and a resolver that tests steer.

The fetcher's own rules stay as they are in production. Names resolve to whatever addresses a test
says, public ones by default, and the connection that the fetcher makes to a checked address is led
to the local server instead; where it wanted to go is written down.
"""

import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address

from httpcore2 import (
    SOCKET_OPTION,
    AnyIOBackend,
    AsyncNetworkBackend,
    AsyncNetworkStream,
    default_ssl_context,
)

from caveat.adapters.http.client import Address, Client, PinnedBackend, Reach
from caveat.adapters.http.manners import Manners
from caveat.adapters.http.meanings import ABSENT, RefusalError
from caveat.adapters.web.fetching import Fetcher, Limits
from caveat.adapters.web.robots import Robots

PUBLIC = "93.184.216.34"
"""A public address that names resolve to unless a test says otherwise; nothing is sent there."""

AGENT = "Caveat/test"
TRUST = default_ssl_context()  # the system's certificates, loaded once: it takes longer than a test
Reply = Callable[[BaseHTTPRequestHandler], None]
PARAGRAPH = (
    "Io is the innermost of the four large moons of Jupiter, and more than four hundred active "
    "volcanoes make it the most geologically active body of the Solar System."
)

ARTICLE = f"""<!doctype html><html><head><title>Io, a moon</title>
<meta property="article:published_time" content="2024-05-06T07:08:09Z">
<script type="application/ld+json">{{"@type": "NewsArticle", "headline": "Io"}}</script>
</head><body>
<nav><a href="/">Home</a> <a href="/moons">Moons</a></nav>
<main><article><h1>Io</h1><p>{PARAGRAPH}</p>
<h2>Volcanoes</h2><p>{PARAGRAPH.replace("Io", "This moon")}</p>
<ul><li>Loki Patera</li><li>Pele</li></ul>
<table><tr><th>Name</th><th>Width</th></tr><tr><td>Loki</td><td>202 km</td></tr></table>
<p style="display: none">{PARAGRAPH.replace("Io", "CANARY")}</p>
<div hidden><p>{PARAGRAPH.replace("Io", "CANARY")}</p></div>
</article></main>
<footer><p>Copyright of somebody.</p></footer></body></html>"""


@dataclass(frozen=True)
class Request:
    """One request as the server saw it."""

    host: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def url(self) -> str:
        return f"{self.host}{self.path}"


@dataclass
class Resolver:
    """Answers with what tests planted, one answer a question; the last one stays."""

    answers: dict[str, list[Sequence[str] | Exception]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def resolve(self, host: str) -> Sequence[Address]:
        self.asked.append(host)
        try:
            return (ip_address(host),)
        except ValueError:
            planted = self.answers.get(host, [[PUBLIC]])
        answer = planted.pop(0) if len(planted) > 1 else planted[0]
        if isinstance(answer, Exception):
            raise answer
        return tuple(map(ip_address, answer))

    def unknown(self, host: str) -> None:
        self.answers[host] = [RefusalError("has a host name that does not exist", ABSENT)]


@dataclass
class Dialler(AsyncNetworkBackend):
    """Leads every connection to the local server and notes where it wanted to go."""

    port: int
    tls_port: int | None = None
    dialled: list[tuple[str, int]] = field(default_factory=list)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # the base class has it
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> AsyncNetworkStream:
        self.dialled.append((host, port))
        here = self.tls_port if port == 443 and self.tls_port else self.port
        return await AnyIOBackend().connect_tcp("127.0.0.1", here, timeout)


@dataclass
class Web:
    """Every host of the web.

    Attributes:
        requests: in the order in which they came, without those for robots.txt.
    """

    port: int = 0
    tls_port: int | None = None
    # what answers, by host and path; `host/*` answers for the rest of a host
    pages: dict[str, Reply] = field(default_factory=dict)
    seen: list[Request] = field(default_factory=list)
    resolver: Resolver = field(default_factory=Resolver)

    @property
    def requests(self) -> list[Request]:
        return [request for request in self.seen if request.path != "/robots.txt"]

    @cached_property
    def dialler(self) -> Dialler:
        return Dialler(self.port, self.tls_port)

    @property
    def handler(self) -> type[BaseHTTPRequestHandler]:
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.do_GET()

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = Request(self.headers["Host"], self.path, dict(self.headers), body)
                web.seen.append(request)
                host = request.host.partition(":")[0]
                path = self.path.partition("?")[0]
                reply = web.pages.get(f"{host}{path}") or web.pages.get(f"{host}/*")
                (reply or status(404))(self)

            def log_message(self, *args: object) -> None:
                pass

        return Handler

    def backend(self, reach: Reach | None = None) -> PinnedBackend:
        return PinnedBackend(self.resolver.resolve, reach or Reach(), self.dialler)

    def client(self, trust: ssl.SSLContext | None = None) -> Client:
        return Client(user_agent=AGENT, backend=self.backend(), trust=trust or TRUST)

    def fetcher(
        self,
        *,
        limits: Limits | None = None,
        manners: Manners | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> Fetcher:
        return Fetcher(
            client=self.client(trust),
            robots=Robots("Caveat"),
            manners=manners or Manners(interval_s=0.0),
            limits=limits or Limits(),
        )


def page(
    body: bytes | str = "<p>Hello.</p>", content_type: str = "text/html", **headers: str
) -> Reply:
    return status(200, body, **{"Content-Type": content_type, **headers})


def status(code: int, body: bytes | str = b"", **headers: str) -> Reply:
    data = body.encode() if isinstance(body, str) else body

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return reply


def redirect(location: str, code: int = 302) -> Reply:
    return status(code, Location=location)


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are what some tests are about."""


@contextmanager
def serving(
    handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext | None = None
) -> Iterator[int]:
    server = _Quiet(("127.0.0.1", 0), handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def the_web() -> Iterator[Web]:
    """A web of one server; without a page of its own, a host answers 404."""
    web = Web()
    with serving(web.handler) as port:
        web.port = port
        yield web
