"""What happens in a run goes out as events, where a broker carries messages."""

import asyncio
import json
import uuid
from dataclasses import replace

import aio_pika
import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.rabbitmq.messages import RabbitMessages
from caveat.contracts.message import Message
from caveat.workers.outside import OutsideAgents
from caveat.workers.wiring import registry_of
from caveat.workers.worker import workers
from standins.ports import FakeSnapshots, World, ports_of
from tests.fakes.brokers import URL, a_topology, clean_up, is_there
from tests.fakes.runs import report_of, start_run
from tests.fakes.worlds import disagreeing


@pytest.mark.skipif(not is_there(), reason="no RabbitMQ on 127.0.0.1:5672")
async def test_whoever_listens_hears_a_run_from_its_start_to_its_end(
    environment: WorkflowEnvironment, world: World, task_queue: str
) -> None:
    disagreeing(world, (1, 2))
    topology = a_topology(100)
    name = f"coordinator-{uuid.uuid4().hex[:10]}"
    broker = RabbitMessages(URL, topology=topology)
    agents = OutsideAgents(broker, FakeSnapshots(world), name, lambda each: each)
    await broker.open(name)
    connection = await aio_pika.connect(URL)
    channel = await connection.channel()
    queue = await channel.declare_queue(exclusive=True)
    await queue.bind(topology.exchange, f"research.research-events-{task_queue}.#")
    ports = replace(ports_of(world), outside_agents=agents, events=True)
    try:
        async with workers(environment.client, registry_of(ports), task_queue):
            handle = await start_run(
                environment.client,
                task_queue,
                f"research-events-{task_queue}",
                arbitration_timeout="PT1S",
            )
            await report_of(handle)
        await asyncio.sleep(0.2)
        heard: list[Message] = []
        while (parcel := await queue.get(no_ack=True, fail=False)) is not None:
            assert json.loads(parcel.body)["specversion"] == "1.0"
            heard.append(Message.model_validate_json(parcel.body))
    finally:
        await connection.close()
        await broker.close()
        await clean_up(topology, (name,))
    names = [message.data.model_dump()["name"] for message in heard]
    assert set(names) == {
        "run.started",
        "phase.entered",
        "contradiction.opened",
        "contradiction.settled",
        "report.published",
        "run.ended",
    }
    assert names.count("run.ended") == 1
    assert {message.run for message in heard} == {handle.id}
