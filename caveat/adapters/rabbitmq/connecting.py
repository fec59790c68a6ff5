"""One connection to a broker, opened when it is needed and anew when it is lost."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import aio_pika
from aio_pika.abc import AbstractChannel, AbstractConnection
from aio_pika.exceptions import (
    CONNECTION_EXCEPTIONS,
    AuthenticationError,
    ChannelPreconditionFailed,
    DeliveryError,
    ProbableAuthenticationError,
)

from caveat.failures import forbidden, invalid, timed_out, unavailable

CONNECT_S = 10.0
"""Seconds to reach a broker: one that starts takes 5 to 10, a dead one never answers."""

CALL_S = 15.0
"""Seconds for one answer, well within the 30 of the activity that publishes."""


@dataclass
class Broker:
    """A broker, by its URL.

    Attributes:
        url: `amqp://user:password@host:port/vhost`; no sentence repeats more of it than the host.
    """

    url: str
    _connection: AbstractConnection | None = None
    _channel: AbstractChannel | None = None
    _closing: asyncio.Future[None] | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def host(self) -> str:
        """Who is called, for people."""
        parts = urlsplit(self.url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    async def connection(self) -> AbstractConnection:
        """Return the connection, opening it where there is none."""
        async with self._lock:
            if self._connection is None or not _is_open(self._connection):
                self._channel = None
                self._connection = await aio_pika.connect(self.url, timeout=CONNECT_S)
            return self._connection

    async def new_channel(self) -> AbstractChannel:
        """Open a channel that confirms, and raises what comes back."""
        connection = await self.connection()
        return await connection.channel(publisher_confirms=True, on_return_raises=True)

    async def channel(
        self, prepare: Callable[[AbstractChannel], Awaitable[None]]
    ) -> AbstractChannel:
        """Return the channel for publishing; a new one is prepared first."""
        connection = await self.connection()
        async with self._lock:
            if self._channel is None or self._channel.is_closed:
                self._channel = await connection.channel(
                    publisher_confirms=True, on_return_raises=True
                )
                await prepare(self._channel)
            return self._channel

    async def close(self) -> None:
        """Let go of the broker."""
        async with self._lock:
            if self._connection is not None and _is_open(self._connection):
                await self._connection.close()
            self._connection = self._channel = None

    def forget(self) -> None:
        """Open another connection next time: one that does not answer counts as open."""
        lost, self._connection, self._channel = self._connection, None, None
        if lost is not None and _is_open(lost):
            self._closing = asyncio.ensure_future(_closed(lost))

    @contextmanager
    def named(self) -> Iterator[None]:
        """Name what goes wrong with the broker itself."""
        try:
            yield
        except DeliveryError:  # the broker is well, and refuses one message
            raise
        except (AuthenticationError, ProbableAuthenticationError):
            raise forbidden(
                f"RabbitMQ at {self.host} refuses the user or password of CAVEAT_MESSAGES.",
                resource=self.host,
                provider="rabbitmq",
            ) from None
        except ChannelPreconditionFailed:
            raise invalid(
                f"RabbitMQ at {self.host} has exchanges or queues of these names with other "
                "arguments: delete them, or use another vhost.",
                resource=self.host,
            ) from None
        except TimeoutError:
            self.forget()
            raise timed_out(
                f"RabbitMQ at {self.host} did not answer in time.", resource=self.host
            ) from None
        except CONNECTION_EXCEPTIONS:
            self.forget()
            raise unavailable(
                f"RabbitMQ at {self.host} cannot be reached, or the connection was lost.",
                resource=self.host,
            ) from None


def _is_open(connection: AbstractConnection) -> bool:
    """Whether it can be used: one that was cut is not closed to aio-pika, but not connected."""
    return connection.connected.is_set() and not connection.is_closed


async def _closed(connection: AbstractConnection) -> None:
    with suppress(TimeoutError, *CONNECTION_EXCEPTIONS):
        async with asyncio.timeout(CONNECT_S):
            await connection.close()
