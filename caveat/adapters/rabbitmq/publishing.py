"""Publishing: confirmed by the broker, and refused by name where it is not."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from aio_pika import DeliveryMode
from aio_pika import Message as Parcel
from aio_pika.abc import HeadersType
from aio_pika.exceptions import DeliveryError, PublishError

from caveat.adapters.rabbitmq.connecting import CALL_S, Broker
from caveat.adapters.rabbitmq.topology import Topology, routing_key
from caveat.contracts.message import Message, MessageKind
from caveat.failures import unavailable
from caveat.intake import sendable, unknown_agent

CONTENT_TYPE = "application/cloudevents+json"


@dataclass(frozen=True)
class Publisher:
    """Publishes to one broker.

    Attributes:
        broker: where to.
        topology: its names.
    """

    broker: Broker
    topology: Topology

    async def publish(self, message: Message, to: str | None = None) -> None:
        """Publish a message; see `ports.Messages.send`.

        Args:
            message: what.
            to: the one agent whose turn it is, of those that it is for; None for all of them.
        """
        body, left = sendable(message)
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
                routing_key(message, to),
                parcel,
                # Of events nobody needs to be told; a message must have a reader.
                mandatory=message.kind is not MessageKind.EVENT,
            )
        except PublishError:
            raise unknown_agent(message.recipient) from None
        except DeliveryError:
            agent = to or message.recipient or "an agent"
            raise unavailable(
                f"{self.topology.most:,} messages wait for {agent} already: this one was not "
                "accepted.",
                resource=agent,
            ) from None

    async def move(self, exchange: str, key: str, parcel: Parcel) -> None:
        """Put what was received somewhere else; when this returns, it is there."""
        try:
            await self._put(exchange, key, parcel, mandatory=True)
        except DeliveryError:
            raise unavailable(f"RabbitMQ has no queue for {key}.", resource=key) from None

    async def _put(self, exchange: str, key: str, parcel: Parcel, *, mandatory: bool) -> None:
        with self.broker.named():
            async with asyncio.timeout(CALL_S):
                channel = await self.broker.channel(self.topology.declare)
                there = (
                    await channel.get_exchange(exchange, ensure=False)
                    if exchange
                    else channel.default_exchange
                )
                await there.publish(parcel, key, mandatory=mandatory)


def copy_of(raw: bytes, headers: Mapping[str, object], priority: int, message_id: str) -> Parcel:
    """Write what was received anew, with what became of it in its headers."""
    marks: HeadersType = {name: str(value) for name, value in headers.items()}
    return Parcel(
        raw,
        headers=marks,
        content_type=CONTENT_TYPE,
        message_id=message_id,
        priority=priority,
        delivery_mode=DeliveryMode.PERSISTENT,
    )
