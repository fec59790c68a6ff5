"""Every case of fetching, against a local server and a resolver that lies where it is told to."""

import asyncio
import gzip
import socket
import time
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler

import pytest

from caveat.adapters.http.client import is_public, resolve
from caveat.adapters.http.manners import Manners
from caveat.adapters.http.meanings import RefusalError
from caveat.adapters.web.fetching import Limits
from caveat.adapters.web.library import create_web_library
from caveat.contracts.envelope import Failure, FailureCategory, FailureType
from caveat.contracts.source import SourceRef
from tests.fakes.failures import failure_of
from tests.fakes.web import PUBLIC, Reply, Web, page, redirect, status

URL = "http://moons.test/io"


async def failure(web: Web, url: str = URL, *, limits: Limits | None = None) -> Failure:
    return await failure_of(web.fetcher(limits=limits).fetch(url))


def is_refused(failed: Failure) -> bool:
    permanent = (FailureType.PERMANENT, FailureCategory.VALIDATION)
    return (failed.failure_type, failed.category) == permanent and not failed.retry_recommended


async def test_a_page_is_fetched_from_the_address_that_was_checked(web: Web) -> None:
    web.pages["moons.test/io"] = page("<p>Io.</p>", "text/html; charset=utf-8")
    found = await web.fetcher().fetch(f"{URL}?a=b#part")
    assert (found.url, found.body, found.charset) == (f"{URL}?a=b", b"<p>Io.</p>", "utf-8")
    assert set(web.dialler.dialled) == {(PUBLIC, 80)}


async def test_requests_name_us_and_no_more(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    web.pages["moons.test/io"] = page()
    await web.fetcher().fetch(URL)
    (request,) = web.requests
    assert set(request.headers) == {
        "Host", "User-Agent", "Accept", "Accept-Encoding", "Connection",
    }  # fmt: skip
    assert request.headers["User-Agent"] == "Caveat/test"


# Addresses


@pytest.mark.parametrize(
    "answer",
    [
        ["127.0.0.1"],
        ["::ffff:93.184.216.34"],
        [PUBLIC, "127.0.0.1"],
        ["10.0.0.1", PUBLIC],
        [PUBLIC, "::1"],
        [],
    ],
    ids=str,
)
async def test_a_name_with_any_private_address_is_refused(web: Web, answer: Sequence[str]) -> None:
    web.resolver.answers["moons.test"] = [answer]
    failed = await failure(web)
    assert is_refused(failed)
    assert failed.provider is None
    assert web.dialler.dialled == []


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://moons.test:22/",
        "http://someone:secret@moons.test/",
        "file:///etc/passwd",
    ],
)
async def test_an_address_that_is_not_on_the_public_web_is_refused(web: Web, url: str) -> None:
    assert is_refused(await failure(web, url))
    assert web.dialler.dialled == []


async def test_a_name_that_changes_its_answer_is_caught_at_the_next_connection(web: Web) -> None:
    """DNS rebinding: the connection after the first, public answer is led to a private one."""
    web.resolver.answers["moons.test"] = [[PUBLIC], ["127.0.0.1"]]
    web.pages["moons.test/io"] = page()
    assert is_refused(await failure(web))
    assert web.dialler.dialled == [(PUBLIC, 80)]  # for robots.txt


# Redirects


async def test_redirects_are_followed_and_the_page_is_where_they_end(web: Web) -> None:
    web.pages["moons.test/io"] = redirect("/a", 301)
    web.pages["moons.test/a"] = redirect("http://jupiter.test/b", 308)
    web.pages["jupiter.test/b"] = page("<p>Here.</p>")
    found = await web.fetcher().fetch(URL)
    assert (found.url, found.body) == ("http://jupiter.test/b", b"<p>Here.</p>")


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1/admin",
        "http://inner.test/admin",
        "http://moons.test:8080/admin",
        "file:///etc/passwd",
    ],
)
async def test_a_redirect_to_what_is_not_public_is_refused(web: Web, location: str) -> None:
    web.resolver.answers["inner.test"] = [["192.168.0.10"]]
    web.pages["moons.test/io"] = redirect(location)
    web.pages["127.0.0.1/*"] = web.pages["inner.test/*"] = page("secret")
    assert is_refused(await failure(web))
    assert {address for address, _ in web.dialler.dialled} == {PUBLIC}


async def test_five_redirects_are_followed_and_no_more(web: Web) -> None:
    for step in range(6):
        web.pages[f"moons.test/{step}"] = redirect(f"/{step + 1}")
    web.pages["moons.test/6"] = page()
    assert (await web.fetcher().fetch("http://moons.test/1")).url.endswith("/6")
    assert "redirects" in (await failure(web, "http://moons.test/0")).message


# Bytes


def _chunked(pieces: Sequence[bytes], pause_s: float = 0.0, **headers: str) -> Reply:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        for name, value in {"Content-Type": "text/html", **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        for piece in pieces:
            handler.wfile.write(piece)
            handler.wfile.flush()
            time.sleep(pause_s)

    return reply


@pytest.mark.parametrize(
    "packed",
    [gzip.compress(b"x" * 1000)[:-12], b"\x1f\x8b" + b"nonsense" * 9, b"plain text", b""],
    ids=["breaks off", "damaged", "plain", "empty"],
)
async def test_damaged_gzip_is_refused(web: Web, packed: bytes) -> None:
    web.pages["moons.test/io"] = page(packed, Content_Encoding="gzip")
    assert is_refused(await failure(web))


async def test_a_gzip_bomb_is_never_unpacked(web: Web) -> None:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    zeros = b"\0" * 1_000_000
    bomb = b"".join([*(packer.compress(zeros) for _ in range(100)), packer.flush()])  # 100 MB
    web.pages["moons.test/io"] = page(bomb, Content_Encoding="gzip")
    tracemalloc.start()
    failed = await failure(web)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert is_refused(failed)
    assert "2 MB" in failed.message
    assert peak < 10_000_000


async def test_a_page_that_is_too_large_is_refused(web: Web) -> None:
    web.pages["moons.test/io"] = page(b"x" * 2_000_001)
    assert "2 MB" in (await failure(web)).message
    web.pages["moons.test/io"] = page(b"x" * 2_000_000)
    assert len((await web.fetcher().fetch(URL)).body) == 2_000_000


async def test_a_pdf_may_be_larger(web: Web) -> None:
    web.pages["moons.test/io"] = page(b"x" * 2_100_000, "application/pdf")
    assert len((await web.fetcher().fetch(URL)).body) == 2_100_000
    web.pages["moons.test/io"] = page(b"x" * 20_000_001, "application/pdf")
    assert "20 MB" in (await failure(web)).message


@pytest.mark.parametrize("content_type", ["image/png", "application/octet-stream", "", "?"])
async def test_another_content_type_is_refused(web: Web, content_type: str) -> None:
    web.pages["moons.test/io"] = page("x", content_type)
    assert is_refused(await failure(web))


# Time


async def test_a_drip_does_not_outlive_the_time(web: Web) -> None:
    web.pages["moons.test/io"] = _chunked([b"x"] * 600, pause_s=0.05)
    began = time.monotonic()
    failed = await failure(web, limits=Limits(total_s=0.4))
    assert (failed.failure_type, failed.provider) == (FailureType.TIMEOUT, "moons.test")
    assert time.monotonic() - began < 15


async def test_redirects_share_one_time(web: Web) -> None:
    def slow(location: str) -> Reply:
        def reply(handler: BaseHTTPRequestHandler) -> None:
            time.sleep(0.2)
            redirect(location)(handler)

        return reply

    web.pages["moons.test/io"] = slow("http://a.test/")
    web.pages["a.test/"] = slow("http://b.test/")
    web.pages["b.test/"] = slow("http://c.test/")
    failed = await failure(web, limits=Limits(total_s=0.5))
    assert failed.failure_type is FailureType.TIMEOUT


# What servers say


async def test_a_host_that_asked_for_a_rest_is_left_alone(web: Web) -> None:
    web.pages["moons.test/io"] = status(429, Retry_After="3600")
    fetcher = web.fetcher()
    for _ in range(3):
        raised = await failure_of(fetcher.fetch(URL))
        assert raised.failure_type is FailureType.RATE_LIMITED
    assert len(web.requests) == 1
    assert raised.retry_after_s == 120.0


async def test_a_name_server_that_is_down_is_unavailable(web: Web) -> None:
    web.resolver.answers["moons.test"] = [socket.gaierror(socket.EAI_AGAIN, "later")]
    failed = await failure(web)
    assert failed.failure_type is FailureType.UNAVAILABLE
    assert "name" in failed.message


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"SSH-2.0-x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<p>Half",
    ],
)
async def test_a_host_that_speaks_no_http_is_unavailable(web: Web, said: bytes) -> None:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(said)
        handler.close_connection = True

    web.pages["moons.test/io"] = reply
    assert (await failure(web)).failure_type is FailureType.UNAVAILABLE


# robots.txt


def robots(text: str) -> Reply:
    return page(text, "text/plain")


CLOSED = robots("User-agent: *\nAllow: /\n\nUser-agent: caveat\nDisallow: /io")


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (CLOSED, FailureType.PERMANENT),
        (robots("# x\n" * 200_000), FailureType.PERMANENT),
        (redirect("http://www.moons.test/robots.txt"), FailureType.PERMANENT),
        (redirect("http://inner.test/robots.txt"), FailureType.PERMANENT),
        (status(429), FailureType.UNAVAILABLE),
        (status(503), FailureType.UNAVAILABLE),
        (status(401), None),
        (status(403), None),
    ],
    ids=["closed", "too long", "elsewhere", "inside", "busy", "down", "401", "403"],
)
async def test_robots_txt_says_what_is_fetched(
    web: Web, reply: Reply, kind: FailureType | None
) -> None:
    web.resolver.answers["inner.test"] = [["10.0.0.1"]]
    web.pages["moons.test/robots.txt"] = reply
    web.pages["www.moons.test/robots.txt"] = CLOSED
    web.pages["moons.test/io"] = page()
    if kind is None:
        await web.fetcher().fetch(URL)
        assert web.requests[-1].url == "moons.test/io"
        return
    failed = await failure(web)
    assert failed.failure_type is kind
    assert "robots.txt" in failed.message or is_refused(failed)
    assert web.requests == []


async def test_a_redirect_to_what_robots_txt_closes_is_not_followed(web: Web) -> None:
    web.pages["moons.test/io"] = redirect("http://jupiter.test/io")
    web.pages["jupiter.test/robots.txt"] = CLOSED
    web.pages["jupiter.test/*"] = page()
    assert "robots" in (await failure(web)).message
    assert [request.url for request in web.requests] == ["moons.test/io"]
    await web.fetcher().fetch("http://jupiter.test/europa")


# Manners


async def test_a_host_is_asked_one_thing_at_a_time_with_pauses(web: Web) -> None:
    web.pages["moons.test/*"] = page()
    fetcher = web.fetcher(manners=Manners(interval_s=0.1))
    began = time.monotonic()
    await asyncio.gather(*(fetcher.fetch(f"http://moons.test/{n}") for n in range(4)))
    assert time.monotonic() - began >= 0.3


# A server that is a nuisance keeps nobody else waiting


STALL_S = 0.5  # seconds; a task's heartbeat is late behind a few of these


@asynccontextmanager
async def watched() -> AsyncIterator[list[float]]:
    """Measure the longest work between two turns, in the loop's own processor time."""
    longest = [0.0]

    async def watch() -> None:
        last = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            longest[0] = max(longest[0], now - last)
            last = now

    watching = asyncio.create_task(watch())
    try:
        yield longest
    finally:
        watching.cancel()


async def test_chunks_of_one_byte_do_not_stall_it(web: Web) -> None:
    crumbs = [b"1\r\na\r\n" * 1000] * 60 + [b"0\r\n\r\n"]
    web.pages["moons.test/io"] = _chunked(crumbs, Transfer_Encoding="chunked")
    async with watched() as longest:
        found = await web.fetcher().fetch(URL)
    assert len(found.body) == 60_000
    assert longest[0] < STALL_S


# The system's resolver, and the whole fetcher as production assembles it.


SPELLINGS = ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "::1"]
"""Of this machine; C libraries read addresses in more ways than one."""


@pytest.mark.parametrize("host", SPELLINGS)
async def test_every_spelling_of_this_machine_is_seen_through(host: str) -> None:
    addresses = await resolve(host)
    assert addresses
    assert not any(map(is_public, addresses))


@pytest.mark.parametrize(
    ("code", "raised"), [(socket.EAI_NONAME, RefusalError), (socket.EAI_AGAIN, socket.gaierror)]
)
async def test_a_name_that_does_not_exist_is_not_a_server_that_is_down(
    monkeypatch: pytest.MonkeyPatch, code: int, raised: type[Exception]
) -> None:
    async def refuse(*_: object, **__: object) -> None:
        raise socket.gaierror(code, "planted")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", refuse)
    with pytest.raises(raised):
        await resolve("moons.test")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "[::1]", "0.0.0.0"])  # noqa: S104  # not bound to, asked
async def test_production_does_not_reach_this_machine(web: Web, host: str) -> None:
    web.pages[f"{host}/*"] = page()
    library = create_web_library()
    for port in (80, web.port):
        source = SourceRef(id="s-1", title="Inside", url=f"http://{host}:{port}/")
        raised = await failure_of(library.read(source))
        assert "public internet" in raised.message
    assert web.seen == []
