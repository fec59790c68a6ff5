"""`ports.Messages` over RabbitMQ."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from aio_pika.abc import AbstractIncomingMessage
from pydantic import ValidationError

from caveat.adapters.rabbitmq.connecting import CALL_S, Broker, Publisher
from caveat.adapters.rabbitmq.receiving import Receiver
from caveat.adapters.rabbitmq.topology import Topology
from caveat.contracts.message import DeadLetter, Message
from caveat.failures import not_found
from caveat.intake import Intake, renewed
from caveat.ports import Handler

_REASONS = {
    "expired": "Nobody took it before it expired.",
    "maxlen": "The queue was full.",
    "rejected": "Its receiver rejected it.",
}
"""What the broker itself says of a message that it gave up."""


@dataclass
class RabbitMessages:
    """Carries messages over a broker.

    Attributes:
        url: `amqp://user:password@host:port/vhost`.
        intake: makes the memory of a receiver.
        sign: signs what is sent anew.
        topology: the names.
    """

    url: str = field(repr=False)
    intake: Callable[[str], Intake] = Intake
    sign: Callable[[Message], Message] = lambda message: message
    topology: Topology = field(default_factory=Topology)
    _broker: Broker = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._broker = Broker(self.url)

    async def open(self, agent: str) -> None:
        """Declare an agent's queues."""
        with self._broker.named():
            async with asyncio.timeout(CALL_S):
                channel = await self._broker.new_channel()
                try:
                    await self.topology.declare_agent(channel, agent)
                finally:
                    await channel.close()

    async def send(self, message: Message) -> None:
        """Publish with a confirm; see `ports.Messages`."""
        await self._publisher.publish(message)

    async def serve(self, agent: str, handle: Handler) -> None:
        """Consume until cancelled; see `ports.Messages`."""
        intake = self.intake(agent)
        receiver = Receiver(agent, Broker(self.url), self._publisher, self.topology, intake, handle)
        await self.open(agent)  # what is wrong from the start is said, and not tried for ever
        try:
            await receiver.run()
        finally:
            intake.close()

    async def dead(self, agent: str | None = None) -> tuple[DeadLetter, ...]:
        """Look through the dead letter queue."""
        with self._broker.named():
            found = [letter async for letter, _ in _dead_letters(self._broker, self.topology)]
        return tuple(each for each in found if agent in {None, each.agent})

    async def resend(self, letter: DeadLetter) -> Message:
        """Publish it again, then take it out of the dead letter queue."""
        with self._broker.named():
            async for each, parcel in _dead_letters(self._broker, self.topology):
                if each.id != letter.id or each.agent != letter.agent or each.message is None:
                    continue
                again = self.sign(renewed(each.message))
                await self._publisher.publish(again, letter.agent)
                await parcel.ack()
                return again
        raise not_found(
            f"There is no dead letter “{letter.id}” of {letter.agent} that is a message.",
            resource=letter.id,
        )

    async def close(self) -> None:
        """Close the connection."""
        await self._broker.close()

    @property
    def _publisher(self) -> Publisher:
        return Publisher(self._broker, self.topology)


async def _dead_letters(
    broker: Broker, topology: Topology
) -> AsyncIterator[tuple[DeadLetter, AbstractIncomingMessage]]:
    """Go through all of them, oldest first; those not acknowledged stay where they are."""
    channel = await broker.new_channel()
    try:
        await topology.declare(channel)
        queue = await channel.get_queue(topology.dead_queue)
        while (parcel := await queue.get(no_ack=False, fail=False)) is not None:
            yield _read(parcel), parcel
    finally:
        await channel.close()  # which puts back what was not acknowledged


def _read(parcel: AbstractIncomingMessage) -> DeadLetter:
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
