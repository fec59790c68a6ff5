"""Dead letters: what could not be delivered, why, and once more."""

import datetime as dt
from collections.abc import AsyncIterator
from dataclasses import dataclass

from aio_pika.abc import AbstractIncomingMessage
from pydantic import ValidationError

from caveat.adapters.rabbitmq.connecting import Broker
from caveat.adapters.rabbitmq.topology import Topology
from caveat.contracts.message import DeadLetter, Message

_REASONS = {
    "expired": "Nobody took it before it expired.",
    "maxlen": "The queue was full.",
    "rejected": "Its receiver rejected it.",
}
"""What the broker itself says of a message that it gave up."""


@dataclass(frozen=True)
class DeadLetters:
    """The dead letter queue of a broker.

    Attributes:
        broker: whose.
        topology: its names.
    """

    broker: Broker
    topology: Topology

    async def every(self) -> AsyncIterator[tuple[DeadLetter, AbstractIncomingMessage]]:
        """Go through all of them, oldest first; those not acknowledged stay where they are."""
        channel = await self.broker.new_channel()
        try:
            await self.topology.declare(channel)
            queue = await channel.get_queue(self.topology.dead_queue)
            while (parcel := await queue.get(no_ack=False, fail=False)) is not None:
                yield letter(parcel), parcel
        finally:
            await channel.close()  # which puts back what was not acknowledged


def letter(parcel: AbstractIncomingMessage) -> DeadLetter:
    """Read one dead letter, whoever wrote it."""
    headers = parcel.headers
    try:
        message = Message.model_validate_json(parcel.body)
    except ValidationError:
        message = None
    died = headers.get("died")
    return DeadLetter(
        id=message.id if message else parcel.message_id or "no id",
        agent=str(headers.get("agent") or parcel.routing_key or "?"),
        reason=str(headers.get("reason") or _by_broker(parcel)),
        died=dt.datetime.fromisoformat(str(died)) if died else _died_at(parcel),
        message=message,
        raw="" if message else parcel.body[:500].decode(errors="replace"),
    )


def _by_broker(parcel: AbstractIncomingMessage) -> str:
    deaths = parcel.headers.get("x-death")
    first = deaths[0] if isinstance(deaths, list) and deaths else {}
    why = str(first.get("reason")) if isinstance(first, dict) else ""
    return _REASONS.get(why, "The broker gave it up.")


def _died_at(parcel: AbstractIncomingMessage) -> dt.datetime | None:
    deaths = parcel.headers.get("x-death")
    first = deaths[0] if isinstance(deaths, list) and deaths else {}
    when = first.get("time") if isinstance(first, dict) else None
    return when.replace(tzinfo=dt.UTC) if isinstance(when, dt.datetime) else None
