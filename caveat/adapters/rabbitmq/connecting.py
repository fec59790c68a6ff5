"""One connection to a broker, opened when it is needed and anew when it is lost, to publish on."""

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import aio_pika
from aio_pika import DeliveryMode, exceptions
from aio_pika import Message as Parcel
from aio_pika.abc import AbstractChannel, AbstractConnection, HeadersType, TimeoutType

from caveat.adapters.rabbitmq.topology import Topology, build_routing_key
from caveat.contracts.message import MOST_BYTES, Message, MessageKind
from caveat.failures import forbidden, invalid, not_found, timed_out, unavailable
from caveat.intake import now

CONNECT_S = 10.0
"""Seconds to reach a broker: one that starts takes 5 to 10, a dead one never answers."""

LEAVE_S = 1.0  # seconds to end connections that were lost: a moment, but for a broker that hangs
CALL_S = 15.0  # seconds for one answer, well within the 30 of the activity that publishes


class _Connection(aio_pika.Connection):
    """A connection that is closed where it could not be made."""

    # aio-pika leaves that to the collector, which may run on a thread without an event loop, and
    # then says on standard error that nobody ended it.

    async def connect(self, timeout: TimeoutType = None) -> None:  # noqa: ASYNC109  # its own
        try:
            await super().connect(timeout)
        except BaseException:
            await self.close()
            raise


@dataclass
class Broker:
    url: str  # `amqp://user:password@host:port/vhost`; no sentence repeats more of it than the host
    _connection: AbstractConnection | None = None
    _channel: AbstractChannel | None = None
    _closing: set[asyncio.Future[None]] = field(default_factory=set)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def host(self) -> str:
        """The broker's address, for people."""
        parts = urlsplit(self.url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    async def get_connection(self) -> AbstractConnection:
        async with self._lock:
            if self._connection is None or not _is_open(self._connection):
                self.forget()
                self._connection = await aio_pika.connect(
                    self.url, timeout=CONNECT_S, connection_class=_Connection
                )
            return self._connection

    async def open_channel(self) -> AbstractChannel:
        connection = await self.get_connection()
        return await connection.channel(publisher_confirms=True, on_return_raises=True)

    async def get_channel(
        self, prepare: Callable[[AbstractChannel], Awaitable[None]]
    ) -> AbstractChannel:
        connection = await self.get_connection()
        async with self._lock:
            if self._channel is None or self._channel.is_closed:
                self._channel = await connection.channel(
                    publisher_confirms=True, on_return_raises=True
                )
                await prepare(self._channel)
            return self._channel

    async def close(self) -> None:
        async with self._lock:
            if self._connection is not None and _is_open(self._connection):
                await self._connection.close()
            self.forget()
            if self._closing:
                await asyncio.wait(self._closing, timeout=LEAVE_S)

    def forget(self) -> None:
        """Open a new connection next time: one that does not answer counts as open."""
        lost, self._connection, self._channel = self._connection, None, None
        if lost is not None and not lost.is_closed:
            closing = asyncio.ensure_future(_close_quietly(lost))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        try:
            yield
        except exceptions.DeliveryError:  # the broker is well, and refuses one message
            raise
        except (exceptions.AuthenticationError, exceptions.ProbableAuthenticationError):
            raise forbidden(
                f"RabbitMQ at {self.host} refuses the user or password of CAVEAT_MESSAGES.",
                resource=self.host,
                provider="rabbitmq",
            ) from None
        except exceptions.ChannelPreconditionFailed:
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
        except exceptions.CONNECTION_EXCEPTIONS:
            self.forget()
            raise unavailable(
                f"RabbitMQ at {self.host} cannot be reached, or the connection was lost.",
                resource=self.host,
            ) from None


def _is_open(connection: AbstractConnection) -> bool:
    """Whether it is connected: to aio-pika a cut connection is not closed."""
    return connection.connected.is_set() and not connection.is_closed


async def _close_quietly(connection: AbstractConnection) -> None:
    with suppress(TimeoutError, *exceptions.CONNECTION_EXCEPTIONS):
        async with asyncio.timeout(CONNECT_S):
            await connection.close()


CONTENT_TYPE = "application/cloudevents+json"


@dataclass(frozen=True)
class Publisher:
    broker: Broker  # where to
    topology: Topology

    async def publish(self, message: Message, to: str | None = None) -> None:
        """Publish a message; see `ports.Messages.send`.

        Args:
            to: one of its recipients; None for all.
        """
        body, left = message.encode(), message.expires - now()
        if len(body) > MOST_BYTES:
            raise invalid(
                f"The message has {len(body):,} bytes, and {MOST_BYTES:,} are allowed.",
                resource=message.id,
            )
        if left <= dt.timedelta(0):
            raise invalid("The message has expired before it was sent.", resource=message.id)
        parcel = Parcel(
            body,
            content_type=CONTENT_TYPE,
            message_id=message.id,
            type=message.type,
            timestamp=message.time,
            delivery_mode=DeliveryMode.PERSISTENT,
            priority=5 - message.priority.rank,
            expiration=left,
        )
        try:
            await self._put(
                self.topology.exchange,
                build_routing_key(message, to),
                parcel,
                # Of events nobody needs to be told; a message must have a reader.
                mandatory=message.kind is not MessageKind.EVENT,
            )
        except exceptions.PublishError:
            agent, sentence = message.recipient, "There is no agent that could receive it."
            if agent is not None:
                sentence = (
                    f"There is no agent “{agent}”: it must have been started once, so that "
                    "messages wait for it."
                )
            raise not_found(sentence, resource=agent or "agents") from None
        except exceptions.DeliveryError:
            agent = to or message.recipient or "an agent"
            raise unavailable(
                f"{self.topology.most:,} messages already wait for {agent}: this one was not "
                "accepted.",
                resource=agent,
            ) from None

    async def move(self, exchange: str, key: str, parcel: Parcel) -> None:
        """Publish a received message elsewhere; when this returns, it is there."""
        try:
            await self._put(exchange, key, parcel, mandatory=True)
        except exceptions.DeliveryError:
            raise unavailable(f"RabbitMQ has no queue for {key}.", resource=key) from None

    async def _put(self, exchange: str, key: str, parcel: Parcel, *, mandatory: bool) -> None:
        with self.broker.translate_errors():
            async with asyncio.timeout(CALL_S):
                channel = await self.broker.get_channel(self.topology.declare)
                there = (
                    await channel.get_exchange(exchange, ensure=False)
                    if exchange
                    else channel.default_exchange
                )
                await there.publish(parcel, key, mandatory=mandatory)


def copy_parcel(
    raw: bytes, headers: Mapping[str, object], priority: int, message_id: str
) -> Parcel:
    marks: HeadersType = {name: str(value) for name, value in headers.items()}
    return Parcel(
        raw,
        headers=marks,
        content_type=CONTENT_TYPE,
        message_id=message_id,
        priority=priority,
        delivery_mode=DeliveryMode.PERSISTENT,
    )
