"""A broker that messages go over, with agents that no other test knows."""

import asyncio
import datetime as dt
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from caveat.adapters.rabbitmq.messages import RabbitMessages
from caveat.adapters.rabbitmq.topology import Topology
from caveat.contracts.base import Contract
from caveat.contracts.message import TTL, Message, Priority, RemarkBody
from caveat.intake import Intake, now
from caveat.rules.messages import MasterKey, Numbering, is_signed, sign_message
from tests.fakes.brokers import URL, a_topology, clean_up, is_there
from tests.fakes.patience import PATIENCE_S

PATIENCE = dt.timedelta(seconds=9)
"""A little more than the ladder; the product's own allows for a broker that restarts too."""

MOST = 60
"""Messages that wait at most, so that one too many is soon sent; the product's 1,000 are measured
by benchmarks/messages.py."""

KEYS = MasterKey(b"a key of the tests")
NO_BROKER = "no RabbitMQ on 127.0.0.1:5672 (Debian: apt-get install rabbitmq-server)"
needs_rabbitmq = pytest.mark.skipif(not is_there(), reason=NO_BROKER)


@dataclass
class Traffic:
    """What a test needs to send and receive messages."""

    messages: RabbitMessages  # what is tested
    agent: str  # a recipient of the test's own
    folder: Path  # where receivers remember what they took
    patience: dt.timedelta = PATIENCE  # for a message that is missing
    gaps: list[str] = field(default_factory=list)
    serving: list[asyncio.Task[None]] = field(default_factory=list)
    numbering: Numbering = field(
        default_factory=lambda: Numbering("news", f"series-{uuid.uuid4().hex[:12]}")
    )

    def remark(self, text: str = "…", ttl: dt.timedelta = TTL, **changes: object) -> Message:
        """Write the next message to the test's agent, signed."""
        facts = {"recipient": self.agent, "now": now(), **changes}
        body: Contract = RemarkBody(text=text)
        written = self.numbering.build_message(body, **facts)  # type: ignore[arg-type]  # facts of any kind
        return sign_message(written.model_copy(update={"expires": written.time + ttl}), KEYS)

    async def send(self, text: str = "…", ttl: dt.timedelta = TTL, **changes: object) -> Message:
        message = self.remark(text, ttl, **changes)
        await self.messages.send(message)
        self.numbering.confirm(message)
        return message

    def receive(self, handle: Callable[[Message], Awaitable[None]], agent: str = "") -> None:
        self.serving.append(asyncio.create_task(self.messages.serve(agent or self.agent, handle)))

    async def stop(self) -> None:
        for task in self.serving:
            task.cancel()
        await asyncio.gather(*self.serving, return_exceptions=True)
        self.serving.clear()

    async def take(self, count: int) -> list[Message]:
        taken: list[Message] = []
        enough = asyncio.Event()

        async def handle(message: Message) -> None:
            taken.append(message)
            if len(taken) >= count:
                enough.set()

        self.receive(handle)
        async with asyncio.timeout(PATIENCE_S):
            await enough.wait()
        await asyncio.sleep(0.3)  # for one too many to show itself
        await self.stop()
        return taken

    def intake(self, agent: str) -> Intake:
        return Intake(
            agent,
            self.folder / f"{agent}.db",
            trusted=lambda message: is_signed(message, KEYS),
            patience=self.patience,
            on_gap=self.gaps.append,
        )


@pytest.fixture
async def traffic(tmp_path: Path) -> AsyncIterator[Traffic]:
    if not is_there():
        pytest.skip(NO_BROKER)
    agent = f"agent-{uuid.uuid4().hex[:12]}"
    topology: Topology = a_topology(MOST)
    made: list[Traffic] = []

    def intake(name: str) -> Intake:
        return made[0].intake(name)

    messages = RabbitMessages(URL, intake, lambda message: sign_message(message, KEYS), topology)
    made.append(Traffic(messages, agent, tmp_path))
    try:
        yield made[0]
    finally:
        await made[0].stop()
        await messages.close()
        with suppress(Exception):
            await clean_up(topology, (agent, f"{agent}-b"))


ORDER = (Priority.LOW, Priority.NORMAL, Priority.HIGH, Priority.CRITICAL)
