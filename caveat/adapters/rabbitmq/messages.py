"""`ports.Messages` over RabbitMQ."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from caveat.adapters.rabbitmq.connecting import CALL_S, Broker
from caveat.adapters.rabbitmq.dead import DeadLetters
from caveat.adapters.rabbitmq.publishing import Publisher
from caveat.adapters.rabbitmq.receiving import Receiver
from caveat.adapters.rabbitmq.topology import Topology
from caveat.contracts.message import DeadLetter, Message
from caveat.failures import not_found
from caveat.intake import Intake, renewed
from caveat.ports import Handler


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
            found = [letter async for letter, _ in self._dead.every()]
        return tuple(each for each in found if agent in {None, each.agent})

    async def resend(self, letter: DeadLetter) -> Message:
        """Publish it again, then take it out of the dead letter queue."""
        with self._broker.named():
            async for each, parcel in self._dead.every():
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

    @property
    def _dead(self) -> DeadLetters:
        return DeadLetters(self._broker, self.topology)
