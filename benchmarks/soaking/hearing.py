"""What a broker was told of the runs of a soak."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aio_pika
from aio_pika.abc import AbstractIncomingMessage

from caveat.adapters.rabbitmq.topology import Topology


@dataclass
class Heard:
    """Which runs were said to have ended."""

    ended: set[str] = field(default_factory=set)

    async def take(self, message: AbstractIncomingMessage) -> None:
        """Note one event."""
        async with message.process():
            event = json.loads(message.body)
            if event["type"] == "caveat.run.ended":
                self.ended.add(event["run"])


@asynccontextmanager
async def hearing(url: str) -> AsyncIterator[Heard]:
    """Hear of what happens in every run."""
    heard = Heard()
    connection = await aio_pika.connect_robust(url)
    async with connection:
        channel = await connection.channel()
        exchange = await channel.declare_exchange(
            Topology().exchange, aio_pika.ExchangeType.TOPIC, durable=True
        )
        queue = await channel.declare_queue(exclusive=True)
        await queue.bind(exchange, "research.#")
        await queue.consume(heard.take)
        yield heard
