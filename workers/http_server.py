"""HTTP beside whatever else a process does, which alone deals with signals."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import uvicorn


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serve_socket(config: uvicorn.Config, taken: socket.socket) -> AsyncIterator[None]:
    """Answer what comes to a socket while inside."""
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[taken]))
    try:
        yield
    finally:
        server.should_exit = True
        with suppress(asyncio.CancelledError):
            await task


def choose_family(host: str) -> socket.AddressFamily:
    """Tell IPv6 addresses from everything else."""
    return socket.AF_INET6 if ":" in host else socket.AF_INET
