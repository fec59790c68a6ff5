"""HTTP inside a process that has other work; how many clients there may be is bounded."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from caveat.workers.guard import raise_descriptor_limit

_MOST_CONNECTIONS = 1_000  # of one listener: twice the five hundred browsers that may watch runs

_HEAD_S = 10.0  # seconds that the head of a request may take; clients send it at once

_HEAD_BYTES = 64 * 1024  # of a request's head: four times what browsers and servers agree on


def build_config(app: ASGIApp, **options: Any) -> uvicorn.Config:
    """Configure a server of an application, with bounds on connections and on heads of requests."""

    class Bounded(_BoundedProtocol):
        most = min(_MOST_CONNECTIONS, raise_descriptor_limit() // 2)  # half stays for the work

    return uvicorn.Config(
        app,
        http=Bounded,
        ws="none",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # a client is who connects, whatever its headers say
        server_header=False,
        h11_max_incomplete_event_size=_HEAD_BYTES,
        **options,
    )


class _BoundedProtocol(H11Protocol):
    """Closes a connection that sends no head in time, and the longest idle one of too many."""

    most: int
    _since = 0.0  # when it began to wait for a head, by the loop's clock
    _deadline: asyncio.TimerHandle | None = None

    @property
    def _is_idle(self) -> bool:
        """Whether nothing is owed to it: it has not asked, or has its answer and still sends."""
        is_answered = self.cycle is not None and self.cycle.response_complete
        return is_answered or self.conn.their_state is h11.IDLE

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        super().connection_made(transport)
        self._watch_head()
        if len(self.connections) > self.most:
            ours = (peer for peer in self.connections if isinstance(peer, _BoundedProtocol))
            idle = [peer for peer in ours if peer._is_idle]  # noqa: SLF001  # of this very class
            oldest = min(idle, key=lambda peer: peer._since)  # noqa: SLF001  # of this very class
            self.connections.discard(oldest)  # it is told of its loss after the burst
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_deadline()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._since = self.loop.time()

    def _watch_head(self) -> None:
        if not self._is_idle:
            self._forget_deadline()
        elif self._deadline is None:
            self._since = self.loop.time()
            self._deadline = self.loop.call_later(_HEAD_S, self.transport.abort)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


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
