"""A RabbitMQ that tests may use: the one of this machine, under names that nobody else has."""

import asyncio
import os
import socket
import uuid
from urllib.parse import urlsplit

from caveat.adapters.rabbitmq.connecting import Broker
from caveat.adapters.rabbitmq.topology import Topology
from caveat.rules.messages import LADDER_S

URL = os.environ.get("RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:5672/")


def is_there() -> bool:
    """Whether a broker listens."""
    parts = urlsplit(URL)
    with socket.socket() as probe:
        probe.settimeout(2)
        return probe.connect_ex((parts.hostname or "", parts.port or 5672)) == 0


def a_topology(most: int) -> Topology:
    return Topology(prefix=f"test-{uuid.uuid4().hex[:12]}.", most=most)


async def clean_up(topology: Topology, agents: tuple[str, ...]) -> None:
    """Delete everything that a test declared."""
    broker = Broker(URL)
    channel = await broker.open_channel()
    queues = (name for agent in agents for name in _list_queues(topology, agent))
    for name in (*queues, topology.dead_queue):
        await channel.queue_delete(name)
    for name in (topology.exchange, topology.dead_exchange):
        await channel.exchange_delete(name)
    await broker.close()
    await asyncio.sleep(0)


async def delete_agent(agent: str) -> None:
    """Delete the queues of one agent under the product's own names."""
    broker = Broker(URL)
    channel = await broker.open_channel()
    for name in _list_queues(Topology(), agent):
        await channel.queue_delete(name)
    await broker.close()


def _list_queues(topology: Topology, agent: str) -> tuple[str, ...]:
    waits = (topology.name_wait_queue(agent, seconds) for seconds in LADDER_S)
    return (topology.name_queue(agent), topology.name_return_queue(agent), *waits)
