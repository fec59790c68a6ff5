"""A listener that strangers reach: what is idle goes, and who has something to ask is answered."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from caveat.workers import http_server, ui_proxy
from caveat.workers.http_server import build_config, serve_socket
from caveat.workers.ui_proxy import Access, Proxy

ASKED = b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"
PATIENCE_S = 30.0

Listener = Callable[[], AbstractAsyncContextManager[int]]


async def answer(_: Request) -> Response:
    return PlainTextResponse("here")


async def answer_for_long(_: Request) -> Response:
    async def lines() -> AsyncIterator[bytes]:
        for _ in range(10):
            yield b"line\n"
            await asyncio.sleep(0.1)

    return StreamingResponse(lines())


@asynccontextmanager
async def listening() -> AsyncIterator[int]:
    app = Starlette(routes=[Route("/", answer), Route("/long", answer_for_long)])
    with socket.create_server(("127.0.0.1", 0)) as taken:
        async with serve_socket(build_config(app), taken):
            yield taken.getsockname()[1]


@asynccontextmanager
async def proxying() -> AsyncIterator[int]:
    proxy = Proxy(Access("t" * 40, 1), "127.0.0.1", 1)
    async with await asyncio.start_server(proxy.serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


LISTENERS = pytest.mark.parametrize("listener", [listening, proxying])


async def connect(port: int, sent: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    await writer.drain()
    return reader, writer


async def read(reader: asyncio.StreamReader) -> bytes:
    """What comes until the other side closes; one that does not close is a failure."""
    async with asyncio.timeout(PATIENCE_S):
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""


Bound = Callable[[str, float], None]


@pytest.fixture
def bound(monkeypatch: pytest.MonkeyPatch) -> Bound:
    def changed(name: str, value: float) -> None:
        for module in (http_server, ui_proxy):
            monkeypatch.setattr(module, name, value)

    return changed


@LISTENERS
async def test_a_head_that_does_not_come_is_not_waited_for(
    listener: Listener, bound: Bound
) -> None:
    bound("_HEAD_S", 0.2)
    async with listener() as port:
        for sent in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n"):
            reader, writer = await connect(port, sent)
            assert await read(reader) == b""
            writer.close()


@LISTENERS
async def test_a_head_that_drips_has_no_more_time(listener: Listener, bound: Bound) -> None:
    bound("_HEAD_S", 0.5)
    async with listener() as port:
        reader, writer = await connect(port, b"GET / HTTP/1.1\r\n")
        closed = asyncio.create_task(read(reader))
        async with asyncio.timeout(PATIENCE_S):
            while not closed.done():
                writer.write(b"x-drip: 1\r\n")
                await asyncio.sleep(0.05)
        assert closed.result() == b""
        writer.close()


@LISTENERS
async def test_a_burst_of_idle_connections_is_bounded_too(listener: Listener, bound: Bound) -> None:
    bound("_MOST_CONNECTIONS", 10)
    async with listener() as port:
        with ExitStack() as stack:
            # The loop accepts them together: no other task runs while these are made.
            idle = [
                stack.enter_context(socket.create_connection(("127.0.0.1", port)))
                for _ in range(40)
            ]
            reader, writer = await connect(port, ASKED)
            assert (await read(reader)).startswith(b"HTTP/1.1 ")
            writer.close()
            assert sum(map(is_open, idle)) <= 10


def is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False
