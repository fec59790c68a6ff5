"""What RabbitMQ carries keeps to `ports.Messages`; what is dead says why in a sentence."""

import asyncio
import datetime as dt
import json
from typing import Any

import aio_pika
import pytest

from caveat.contracts.envelope import FailureType
from caveat.contracts.message import MOST_BYTES, DeadLetter, Message, RemarkBody
from caveat.failures import PortFailure, invalid, unavailable
from caveat.intake import now
from caveat.rules.messages import sign_message
from tests.fakes.brokers import URL
from tests.fakes.patience import PATIENCE_S
from tests.workers.messages.conftest import KEYS, MOST, ORDER, Traffic

pytestmark = pytest.mark.system


async def refused(traffic: Traffic, message: Message) -> PortFailure:
    with pytest.raises(PortFailure) as caught:
        await traffic.messages.send(message)
    assert caught.value.failure.message.endswith(".")
    assert "\n" not in caught.value.failure.message
    return caught.value


async def died(traffic: Traffic, count: int = 1) -> tuple[DeadLetter, ...]:
    async with asyncio.timeout(PATIENCE_S):
        while len(found := await traffic.messages.list_dead_letters(traffic.agent)) < count:  # noqa: ASYNC110  # the broker tells nobody
            await asyncio.sleep(0.2)
    return found


async def test_messages_wait_for_an_agent_that_is_away_and_come_in_order(traffic: Traffic) -> None:
    await traffic.messages.open(traffic.agent)
    sent = [await traffic.send(f"remark {number}") for number in range(30)]
    assert await traffic.take(30) == sent


@pytest.mark.parametrize(
    ("changes", "data", "kind", "said"),
    [
        ({"recipient": "nobody-knows-me"}, "", FailureType.NOT_FOUND, "nobody-knows-me"),
        ({"now": now() - dt.timedelta(hours=2)}, "", FailureType.PERMANENT, ""),
        ({}, "x" * MOST_BYTES, FailureType.PERMANENT, "bytes"),
    ],
    ids=["to nobody", "expired", "too long"],
)
async def test_what_cannot_be_sent_is_refused_to_its_sender(
    traffic: Traffic, changes: dict[str, Any], data: str, kind: FailureType, said: str
) -> None:
    await traffic.messages.open(traffic.agent)
    message = traffic.remark(**changes)
    if data:
        body = RemarkBody.model_construct(text=data, completeness=0.0)
        message = message.model_copy(update={"data": body})
    failed = await refused(traffic, message)
    assert failed.failure.failure_type is kind
    assert said in failed.failure.message


async def test_what_is_sent_twice_is_delivered_once(traffic: Traffic) -> None:
    await traffic.messages.open(traffic.agent)
    first = await traffic.send()
    await traffic.messages.send(first)
    second = await traffic.send()
    assert await traffic.take(2) == [first, second]


async def test_the_most_urgent_is_taken_first(traffic: Traffic) -> None:
    await traffic.messages.open(traffic.agent)
    for priority in ORDER * 5:
        await traffic.send(priority=priority)
    taken = [message.priority for message in await traffic.take(20)]
    assert taken == [priority for priority in reversed(ORDER) for _ in range(5)]


async def test_what_is_one_too_many_is_refused_to_its_sender(traffic: Traffic) -> None:
    await traffic.messages.open(traffic.agent)
    await asyncio.gather(*(_send(traffic, number) for number in range(MOST)))
    failed = await refused(traffic, _numbered(traffic, MOST))
    assert failed.failure.failure_type is FailureType.UNAVAILABLE
    assert failed.failure.retry_recommended
    assert f"{MOST} messages already wait for {traffic.agent}" in failed.failure.message
    taken = await traffic.take(MOST)  # and none was dropped for it
    assert [message.number for message in taken] == list(range(1, MOST + 1))


def _numbered(traffic: Traffic, number: int) -> Message:
    first = traffic.remark()
    name = f"{first.series}/{number + 1}"
    return sign_message(first.model_copy(update={"id": name, "number": number + 1}), KEYS)


async def _send(traffic: Traffic, number: int) -> None:
    await traffic.messages.send(_numbered(traffic, number))


async def test_a_message_comes_again_after_1_and_2_s_and_holds_its_lane(traffic: Traffic) -> None:
    clock = asyncio.get_running_loop().time
    attempts: list[float] = []
    taken: list[int] = []
    enough = asyncio.Event()

    async def handle(message: Message) -> None:
        if message.number == 2:
            attempts.append(clock())
            if len(attempts) < 3:
                raise unavailable("Not now.", resource="a test")
        taken.append(message.number)
        if len(taken) == 5:
            enough.set()

    await traffic.messages.open(traffic.agent)
    for _ in range(5):
        await traffic.send()
    traffic.receive(handle)
    async with asyncio.timeout(PATIENCE_S):
        await enough.wait()
    assert taken == [1, 2, 3, 4, 5]
    assert attempts[1] - attempts[0] >= 0.95
    assert attempts[2] - attempts[1] >= 1.95


async def test_poison_dies_with_its_reason_and_holds_nobody_up(traffic: Traffic) -> None:
    times = 0
    taken: list[int] = []
    enough = asyncio.Event()

    async def handle(message: Message) -> None:
        nonlocal times
        if message.number == 1:
            times += 1
            raise ZeroDivisionError
        taken.append(message.number)
        enough.set()

    await traffic.messages.open(traffic.agent)
    poison = await traffic.send()
    await traffic.send()
    traffic.receive(handle)
    (letter,) = await died(traffic)
    assert letter.message == poison
    assert letter.reason == "Tried 4 times over 7 s. ZeroDivisionError in its receiver."
    assert times == 4
    async with asyncio.timeout(PATIENCE_S):
        await enough.wait()
    assert taken == [2]
    assert not traffic.gaps  # it is dead and not missing


async def test_a_dead_letter_is_sent_again_once(traffic: Traffic) -> None:
    well = False
    taken: list[Message] = []
    enough = asyncio.Event()

    async def handle(message: Message) -> None:
        if not well:
            raise invalid("Not yet.", resource="a test")
        taken.append(message)
        enough.set()

    await traffic.messages.open(traffic.agent)
    sent = await traffic.send()
    traffic.receive(handle)
    (letter,) = await died(traffic)
    well = True
    again = await traffic.messages.resend(letter)
    async with asyncio.timeout(PATIENCE_S):
        await enough.wait()
    assert taken == [again]
    assert (again.id, again.data, again.resent) == (sent.id, sent.data, 1)
    with pytest.raises(PortFailure, match="There is no dead letter"):
        await traffic.messages.resend(letter)
    async with asyncio.timeout(PATIENCE_S):
        while await traffic.messages.list_dead_letters(traffic.agent):  # noqa: ASYNC110  # the broker tells nobody
            await asyncio.sleep(0.2)


async def test_what_expired_in_queue_is_dead_and_the_next_is_not(traffic: Traffic) -> None:
    traffic.patience = dt.timedelta(seconds=1)  # what is missing is on no ladder, and never comes
    await traffic.messages.open(traffic.agent)
    await traffic.send(ttl=dt.timedelta(seconds=1))
    lasting = await traffic.send()
    await asyncio.sleep(1.5)
    assert await traffic.take(1) == [lasting]
    (letter,) = await died(traffic)
    assert "expired" in letter.reason


async def test_a_forged_sender_is_refused_by_the_receiver(traffic: Traffic) -> None:
    await traffic.messages.open(traffic.agent)
    true = traffic.remark("true")
    forged = true.model_copy(update={"data": RemarkBody(text="forged"), "id": "forged"})
    await traffic.messages.send(forged)
    await traffic.messages.send(true)
    assert await traffic.take(1) == [true]
    (letter,) = await died(traffic)
    assert letter.reason == "Its signature is not news's."
    assert json.loads((letter.message or forged).encode())["data"]["text"] == "forged"


async def test_a_broadcast_comes_to_everybody(traffic: Traffic) -> None:
    other = f"{traffic.agent}-b"
    came: dict[str, list[Message]] = {traffic.agent: [], other: []}
    enough = asyncio.Event()
    for agent, list_ in came.items():

        async def handle(message: Message, list_: list[Message] = list_) -> None:
            list_.append(message)
            if all(came.values()):
                enough.set()

        traffic.receive(handle, agent)
    await traffic.messages.open(traffic.agent)
    await traffic.messages.open(other)
    sent = await traffic.send(recipient=None)
    async with asyncio.timeout(PATIENCE_S):
        await enough.wait()
    assert came == {traffic.agent: [sent], other: [sent]}


async def test_a_receiver_that_was_killed_takes_nothing_twice(traffic: Traffic) -> None:
    await traffic.messages.open(traffic.agent)
    first = await traffic.send()
    assert await traffic.take(1) == [first]
    await traffic.messages.send(first)
    second = await traffic.send()
    assert await traffic.take(1) == [second]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"data": {"words": "of another schema"}}, "text"),
        ({"type": "caveat.finding"}, "source and type"),
    ],
)
async def test_what_has_another_schema_is_dead_and_what_comes_behind_it_is_not(
    traffic: Traffic, changes: dict[str, Any], reason: str
) -> None:
    await traffic.messages.open(traffic.agent)
    wrong = json.loads(traffic.remark().encode()) | {"id": "wrong"} | changes
    await put(traffic, wrong)
    sent = await traffic.send()
    assert await traffic.take(1) == [sent]
    async with asyncio.timeout(PATIENCE_S):
        letters: tuple[DeadLetter, ...] = ()
        while not letters:
            letters = await traffic.messages.list_dead_letters(traffic.agent)
            await asyncio.sleep(0.2)
    (letter,) = letters
    assert letter.message is None
    assert letter.reason.startswith("It is invalid: ")
    assert reason in letter.reason
    assert "\n" not in letter.reason
    assert '"wrong"' in letter.raw


async def put(traffic: Traffic, wrong: dict[str, Any]) -> None:
    """Put into the agent's queue what no sender of ours would write."""
    connection = await aio_pika.connect(URL)
    channel = await connection.channel()
    parcel = aio_pika.Message(json.dumps(wrong).encode())
    await channel.default_exchange.publish(
        parcel, traffic.messages.topology.name_queue(traffic.agent)
    )
    await connection.close()
