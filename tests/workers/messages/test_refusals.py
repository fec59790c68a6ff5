"""What is refused or dead is said in one sentence, and nothing is lost for it."""

import asyncio
import json
from typing import Any

import aio_pika
import pytest

from caveat.contracts.message import DeadLetter
from tests.fakes.brokers import URL
from tests.fakes.patience import PATIENCE_S
from tests.workers.messages.conftest import Traffic


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"data": {"words": "of another schema"}}, "words"),
        ({"type": "caveat.finding"}, "source and type"),
    ],
)
async def test_what_has_another_schema_is_dead_and_what_comes_behind_it_is_not(
    traffic: Traffic, changes: dict[str, Any], reason: str
) -> None:
    await traffic.messages.open(traffic.agent)
    wrong = json.loads(traffic.remark().wire()) | {"id": "wrong"} | changes
    await put(traffic, wrong)
    sent = await traffic.send()
    assert await traffic.take(1) == [sent]
    async with asyncio.timeout(PATIENCE_S):
        letters: tuple[DeadLetter, ...] = ()
        while not letters:
            letters = await traffic.messages.dead(traffic.agent)
            await asyncio.sleep(0.2)
    (letter,) = letters
    assert letter.message is None
    assert letter.reason.startswith("It is no message: ")
    assert reason in letter.reason
    assert "\n" not in letter.reason
    assert '"wrong"' in letter.raw


async def put(traffic: Traffic, wrong: dict[str, Any]) -> None:
    """Put into the agent's queue what no sender of ours would write."""
    connection = await aio_pika.connect(URL)
    channel = await connection.channel()
    parcel = aio_pika.Message(json.dumps(wrong).encode())
    await channel.default_exchange.publish(parcel, traffic.messages.topology.queue(traffic.agent))
    await connection.close()
