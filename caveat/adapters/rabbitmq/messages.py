"""`ports.Messages` over RabbitMQ."""

import asyncio
import datetime as dt
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aio_pika.abc import AbstractChannel, AbstractIncomingMessage, AbstractQueue
from aio_pika.exceptions import CONNECTION_EXCEPTIONS
from pydantic import ValidationError

from caveat.adapters.rabbitmq.connecting import CALL_S, Broker, Publisher, copy_parcel
from caveat.adapters.rabbitmq.topology import Topology
from caveat.contracts.message import DeadLetter, Message
from caveat.failures import PortFailure, not_found
from caveat.intake import Fate, Intake, NoMessageError, now, renew_message
from caveat.ports import Handler
from caveat.rules.messages import ATTEMPTS, LADDER_S, compute_delay

_LOGGER = logging.getLogger(__name__)

FAILURES = "x-failures"  # the header that counts how often a message was dealt with in vain

_BACK_OFF_S = (0.2, 1.0, 3.0)
"""Seconds before a lost broker is called again; the last one from then on."""


@dataclass(frozen=True)
class _Inbox:
    """The queues of an agent, with one unacknowledged message a consumer.

    RabbitMQ 4.3 denies the channel-wide limit that could be raised instead.
    """

    channel: AbstractChannel
    queues: Sequence[AbstractQueue]
    arrived: Callable[[AbstractIncomingMessage], Awaitable[None]]

    async def consume(self) -> list[str]:
        """Consume one more message at a time from each queue; return the consumers."""
        return [await queue.consume(self.arrived) for queue in self.queues]

    @asynccontextmanager
    async def receive_one_more(self) -> AsyncIterator[None]:
        """Consume one more message while one is held back."""
        tags = await self.consume()
        try:
            yield
        finally:
            if not self.channel.is_closed:
                for queue, tag in zip(self.queues, tags, strict=True):
                    await queue.cancel(tag)


@dataclass
class Receiver:
    agent: str
    broker: Broker  # of its own, because an acknowledgement belongs to its connection
    publisher: Publisher  # puts messages where they are tried again, and dead ones
    topology: Topology
    intake: Intake
    handle: Handler

    async def run(self) -> None:
        """Receive until cancelled, and reconnect whenever the broker is lost."""
        lost = 0
        try:
            while True:
                try:
                    await self._receive()
                    lost = 0
                except CONNECTION_EXCEPTIONS:
                    lost += 1
                    self.broker.forget()
                    _LOGGER.warning(
                        "RabbitMQ at %s is lost to %s; it is called again.",
                        self.broker.host,
                        self.agent,
                    )
                await asyncio.sleep(_BACK_OFF_S[min(lost, len(_BACK_OFF_S) - 1)])
        finally:
            await self.broker.close()

    async def _receive(self) -> None:
        """Receive until the connection is lost."""
        dealing: set[asyncio.Task[None]] = set()

        async def accept_parcel(parcel: AbstractIncomingMessage) -> None:
            task = asyncio.create_task(self._handle_safely(parcel, inbox))
            dealing.add(task)
            task.add_done_callback(dealing.discard)

        try:
            async with asyncio.timeout(CALL_S):
                channel = await self.broker.open_channel()
                await channel.set_qos(prefetch_count=1)
                queues = await self.topology.declare_agent(channel, self.agent)
                inbox = _Inbox(channel, queues, accept_parcel)
                await inbox.consume()
            await channel.closed()
        finally:
            for task in dealing:
                task.cancel()
            await asyncio.gather(*dealing, return_exceptions=True)

    async def _handle_safely(self, parcel: AbstractIncomingMessage, inbox: "_Inbox") -> None:
        try:
            await self._deal_with(parcel, inbox)
        except (PortFailure, *CONNECTION_EXCEPTIONS):
            # It is not acknowledged, so the broker gives it again, here or elsewhere.
            _LOGGER.warning("A message could not be acknowledged; it comes again.")
            if not inbox.channel.is_closed:
                await inbox.channel.close()

    async def _deal_with(self, parcel: AbstractIncomingMessage, inbox: "_Inbox") -> None:
        try:
            message = self.intake.read(parcel.body)
        except NoMessageError as why:
            await self._bury(parcel, str(why))
            return
        admission = self.intake.decide_now(message)
        if admission is None:
            async with inbox.receive_one_more():  # for it may be the one that this waits for
                admission = await self.intake.admit(message)
        match admission.verdict:
            case Fate.DUPLICATE:
                await parcel.ack()
            case Fate.DEAD:
                await self._bury(parcel, admission.reason)
            case Fate.TAKE:
                async with self.intake.take_turn(message):
                    await self._take(parcel, message)

    async def _take(self, parcel: AbstractIncomingMessage, message: Message) -> None:
        if self.intake.has_taken(message):
            await parcel.ack()
            return
        if parcel.redelivered and self.intake.count_redelivery(message.id) > ATTEMPTS:
            self.intake.pass_by(message)
            await self._bury(parcel, f"Its receiver ended {ATTEMPTS} times while it had it.")
            return
        try:
            await self.handle(message)
        except PortFailure as failed:
            failure = failed.failure
            await self._retry_message(
                parcel, message, failure.message, final=not failure.retry_recommended
            )
        except Exception as error:  # whatever it is, others wait behind it
            _LOGGER.warning("%s cannot deal with %s", self.agent, message.id, exc_info=True)
            await self._retry_message(parcel, message, f"{type(error).__name__} in its receiver.")
        else:
            self.intake.record_taken(message)
            await parcel.ack()

    async def _retry_message(
        self, parcel: AbstractIncomingMessage, message: Message, why: str, *, final: bool = False
    ) -> None:
        count = str(parcel.headers.get(FAILURES, "0"))
        failures = int(count) + 1 if count.isdigit() else 1
        wait = None if final else compute_delay(failures)
        if wait is None:
            self.intake.pass_by(message)
            times = "" if final else f"Tried {ATTEMPTS} times over {sum(LADDER_S):.0f} s. "
            await self._bury(parcel, f"{times}{why}")
            return
        copy = copy_parcel(parcel.body, {FAILURES: failures}, 5 - message.priority.rank, message.id)
        await self.publisher.move("", self.topology.name_wait_queue(self.agent, wait), copy)
        await parcel.ack()

    async def _bury(self, parcel: AbstractIncomingMessage, reason: str) -> None:
        headers = {"reason": reason[:500], "agent": self.agent, "died": now().isoformat()}
        copy = copy_parcel(parcel.body, headers, 0, parcel.message_id or "")
        await self.publisher.move(self.topology.dead_exchange, self.agent, copy)
        await parcel.ack()


_REASONS = {
    "expired": "Nobody took it before it expired.",
    "maxlen": "The queue was full.",
    "rejected": "Its receiver rejected it.",
}
"""The broker's own reasons for dead messages."""


@dataclass
class RabbitMessages:
    url: str = field(repr=False)
    intake: Callable[[str], Intake] = Intake
    sign: Callable[[Message], Message] = lambda message: message
    topology: Topology = field(default_factory=Topology)
    _broker: Broker = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._broker = Broker(self.url)

    async def open(self, agent: str) -> None:
        with self._broker.translate_errors():
            async with asyncio.timeout(CALL_S):
                channel = await self._broker.open_channel()
                try:
                    await self.topology.declare_agent(channel, agent)
                finally:
                    await channel.close()

    async def send(self, message: Message) -> None:
        await self._publisher.publish(message)

    async def serve(self, agent: str, handle: Handler) -> None:
        intake = self.intake(agent)
        receiver = Receiver(agent, Broker(self.url), self._publisher, self.topology, intake, handle)
        await self.open(agent)  # what is wrong from the start is said, and not tried for ever
        try:
            await receiver.run()
        finally:
            intake.close()

    async def list_dead_letters(self, agent: str | None = None) -> tuple[DeadLetter, ...]:
        with self._broker.translate_errors():
            letters = [
                letter async for letter, _ in _read_dead_letters(self._broker, self.topology)
            ]
        return tuple(letter for letter in letters if agent in {None, letter.agent})

    async def resend(self, letter: DeadLetter) -> Message:
        """Publish it again, then take it out of the dead letter queue."""
        with self._broker.translate_errors():
            async for dead, parcel in _read_dead_letters(self._broker, self.topology):
                if dead.id != letter.id or dead.agent != letter.agent or dead.message is None:
                    continue
                again = self.sign(renew_message(dead.message))
                await self._publisher.publish(again, letter.agent)
                await parcel.ack()
                return again
        raise not_found(
            f"There is no dead letter “{letter.id}” of {letter.agent} that is a message.",
            resource=letter.id,
        )

    async def close(self) -> None:
        await self._broker.close()

    @property
    def _publisher(self) -> Publisher:
        return Publisher(self._broker, self.topology)


async def _read_dead_letters(
    broker: Broker, topology: Topology
) -> AsyncIterator[tuple[DeadLetter, AbstractIncomingMessage]]:
    """Read all dead letters, oldest first; unacknowledged ones stay."""
    channel = await broker.open_channel()
    try:
        await topology.declare(channel)
        queue = await channel.get_queue(topology.dead_queue)
        while (parcel := await queue.get(no_ack=False, fail=False)) is not None:
            yield _read(parcel), parcel
    finally:
        await channel.close()  # which puts back what was not acknowledged


def _read(parcel: AbstractIncomingMessage) -> DeadLetter:
    headers = parcel.headers
    try:
        message = Message.model_validate_json(parcel.body)
    except ValidationError:
        message = None
    # Ours, else the broker's own word on its death.
    deaths = headers.get("x-death")
    death = deaths[0] if isinstance(deaths, list) and deaths else {}
    death = death if isinstance(death, dict) else {}
    why = _REASONS.get(str(death.get("reason")), "The broker gave it up.")
    when, died = death.get("time"), headers.get("died")
    broker_time = when.replace(tzinfo=dt.UTC) if isinstance(when, dt.datetime) else None
    return DeadLetter(
        id=message.id if message else parcel.message_id or "no id",
        agent=str(headers.get("agent") or parcel.routing_key or "?"),
        reason=str(headers.get("reason") or why),
        died=dt.datetime.fromisoformat(str(died)) if died else broker_time,
        message=message,
        raw="" if message else parcel.body[:500].decode(errors="replace"),
    )
