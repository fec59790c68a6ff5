"""A server that is a nuisance keeps nobody else waiting: the event loop goes round."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler

from tests.fakes.web import Reply, Web

URL = "http://moons.test/io"
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


def crumbs(count: int) -> Reply:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for _ in range(count // 1000):
            try:
                handler.wfile.write(b"1\r\na\r\n" * 1000)
            except OSError:
                return
        handler.wfile.write(b"0\r\n\r\n")

    return reply


async def test_chunks_of_one_byte_do_not_stall_it(web: Web) -> None:
    web.pages["moons.test/io"] = crumbs(60_000)
    async with watched() as longest:
        found = await web.fetcher().fetch(URL)
    assert len(found.body) == 60_000
    assert longest[0] < STALL_S
