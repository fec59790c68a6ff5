"""The exchanges and queues, and what each of their arguments is for."""

from dataclasses import dataclass
from typing import Any

from aio_pika import ExchangeType
from aio_pika.abc import AbstractChannel, AbstractQueue

from caveat.contracts.message import TTL, EventBody, Message
from caveat.rules.messages import LADDER_S, MOST_WAITING

_PRIORITIES = 4  # one for each of ours. Only classic queues know them in RabbitMQ 3.10.
EVERYBODY = "agents"  # the routing key of a broadcast


@dataclass(frozen=True)
class Topology:
    prefix: str = ""  # begins every name, for tests that share a broker
    most: int = MOST_WAITING  # messages that wait for one agent at most

    @property
    def exchange(self) -> str:
        """The durable topic exchange that everything is published to."""
        return f"{self.prefix}agent_communication"

    @property
    def dead_exchange(self) -> str:
        return f"{self.prefix}dlx_agent_messages"

    @property
    def dead_queue(self) -> str:
        return f"{self.prefix}dead_agent_messages"

    def name_queue(self, agent: str) -> str:
        return f"{self.prefix}agent_{agent}"

    def name_return_queue(self, agent: str) -> str:
        """The queue of messages that come again: unbounded, so that none is lost."""
        return f"{self.name_queue(agent)}.again"

    def name_wait_queue(self, agent: str, seconds: float) -> str:
        """The queue of messages that come again after some seconds."""
        return f"{self.name_queue(agent)}.wait.{seconds:g}s"

    async def declare(self, channel: AbstractChannel) -> None:
        await channel.declare_exchange(self.exchange, ExchangeType.TOPIC, durable=True)
        await channel.declare_exchange(self.dead_exchange, ExchangeType.TOPIC, durable=True)
        dead = await channel.declare_queue(self.dead_queue, durable=True)
        await dead.bind(self.dead_exchange, "#")

    async def declare_agent(
        self, channel: AbstractChannel, agent: str
    ) -> tuple[AbstractQueue, AbstractQueue]:
        """Declare the queues of an agent; return those that it consumes."""
        await self.declare(channel)
        dying: dict[str, Any] = {
            "x-dead-letter-exchange": self.dead_exchange,
            "x-dead-letter-routing-key": agent,
            "x-message-ttl": int(TTL.total_seconds() * 1000),
            "x-max-priority": _PRIORITIES,
        }
        # What is over the limit is refused to its sender: by default the oldest would be thrown
        # away, a critical one for a low one.
        bounded: dict[str, Any] = {"x-max-length": self.most, "x-overflow": "reject-publish"}
        queue = await channel.declare_queue(
            self.name_queue(agent), durable=True, arguments={**dying, **bounded}
        )
        await queue.bind(self.exchange, f"agent.{agent}")
        await queue.bind(self.exchange, EVERYBODY)
        # Not back into the queue itself: what is dead-lettered into a full one is lost.
        again = await channel.declare_queue(
            self.name_return_queue(agent), durable=True, arguments=dying
        )
        for seconds in LADDER_S:
            waits: dict[str, Any] = {
                "x-message-ttl": int(seconds * 1000),
                "x-dead-letter-exchange": "",
                "x-dead-letter-routing-key": self.name_return_queue(agent),
            }
            await channel.declare_queue(
                self.name_wait_queue(agent, seconds), durable=True, arguments=waits
            )
        return queue, again


def build_routing_key(message: Message, to: str | None = None) -> str:
    """Name the routing key: one agent, all agents, or the listeners of an event."""
    if isinstance(message.data, EventBody):
        return f"research.{(message.run or 'none').replace('.', '_')}.{message.data.name}"
    agent = to or message.recipient
    return EVERYBODY if agent is None else f"agent.{agent}"
