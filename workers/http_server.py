"""HTTP inside a process that has other work; how many clients there may be is bounded."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from caveat.workers.guard import raise_descriptor_limit

_MOST_CONNECTIONS = 1_000  # of one listener: twice the five hundred browsers that may watch runs


def build_config(app: ASGIApp, **options: Any) -> uvicorn.Config:
    """Configure a server of an application, with a bound on connections: more are refused."""
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # a client is who connects, whatever its headers say
        server_header=False,
        limit_concurrency=min(_MOST_CONNECTIONS, raise_descriptor_limit() // 2),
        **options,
    )


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


_STARTS_S = 0.01  # between two looks whether it serves


@asynccontextmanager
async def serve_socket(config: uvicorn.Config, listening: socket.socket) -> AsyncIterator[None]:
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        while not server.started and not task.done():  # noqa: ASYNC110  # it has no event for it
            await asyncio.sleep(_STARTS_S)
        yield
    finally:
        server.should_exit = True
        with suppress(asyncio.CancelledError):
            await task


def choose_family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
