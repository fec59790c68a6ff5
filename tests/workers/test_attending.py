"""Whoever hears agents elsewhere lets go of them before its loop ends."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from caveat.contracts.message import DeadLetter, Message
from caveat.ports import Handler
from caveat.workers.outside import OutsideAgents
from standins.ports import FakeSnapshots, World


@dataclass
class SlowToLetGo:
    """A way of messages whose receiver takes a moment to stop, as a worker of Temporal does."""

    said: list[str] = field(default_factory=list)

    async def open(self, agent: str) -> None: ...

    async def send(self, message: Message) -> None: ...

    async def serve(self, agent: str, handle: Handler) -> None:
        self.said.append("hears")
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)
            self.said.append("heard")

    async def dead(self, agent: str | None = None) -> tuple[DeadLetter, ...]:
        return ()

    async def resend(self, letter: DeadLetter) -> Message:
        raise NotImplementedError

    async def close(self) -> None:
        self.said.append("closed")


def agents(way: SlowToLetGo) -> OutsideAgents:
    return OutsideAgents(
        carrier=way,
        snapshots=FakeSnapshots(World(pages=[], angles={}, answers={})),
        name="coordinator",
        sign=lambda message: message,
    )


CLIENT: Any = object()  # handed on to the way of messages, which needs none here


async def test_the_last_to_leave_waits_until_nobody_listens() -> None:
    way = SlowToLetGo()
    board = agents(way)
    async with board.attending(CLIENT):
        async with board.attending(CLIENT):
            await asyncio.sleep(0)
        assert way.said == ["hears"]
    assert way.said == ["hears", "heard", "closed"]
