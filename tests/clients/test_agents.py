"""Agents elsewhere: their runs and messages are told apart, and nobody is left listening."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from caveat.clients.agents import Agent, Job
from caveat.contracts.base import Contract
from caveat.contracts.message import (
    AssignmentBody,
    DeadLetter,
    Message,
    MessageKind,
    Order,
    RemarkBody,
    SteeringBody,
)
from caveat.contracts.outside import OutsideFindings
from caveat.failures import PortFailure, unavailable
from caveat.intake import Fate, Intake, now
from caveat.ports import Handler
from caveat.rules.messages import MasterKey, Numbering
from caveat.workers.messages import Sender
from caveat.workers.outside import OutsideAgents
from tests.fakes.ports import FakeSnapshots, World

TASK = "a1-ask-1"


@dataclass
class Carrier:
    """Hands over what the test wrote, one message after the other, and then nothing."""

    written: tuple[Message, ...]
    done: asyncio.Event = field(default_factory=asyncio.Event)

    async def open(self, agent: str) -> None:
        assert agent == "news"

    async def serve(self, agent: str, handle: Callable[[Message], Awaitable[None]]) -> None:
        assert agent == "news"
        for message in self.written:
            await handle(message)
            await asyncio.sleep(0)  # what was begun or stopped gets its turn
        self.done.set()
        await asyncio.Event().wait()


def written(*bodies: tuple[str, Contract]) -> tuple[Message, ...]:
    numbering = Numbering("coordinator", "series-1")
    messages = []
    for run, body in bodies:
        kind = MessageKind.ASSIGNMENT if isinstance(body, AssignmentBody) else MessageKind.STEERING
        messages.append(numbering.build_message(kind, body, now=now(), recipient="news", run=run))
        numbering.confirm(messages[-1])
    return tuple(messages)


def assigned(token: str) -> AssignmentBody:
    return AssignmentBody(
        token=token, task_id=TASK, topic="alpha", title="News", question="What?", patience_s=60
    )


def cancelled(token: str = "") -> SteeringBody:
    return SteeringBody(order=Order.CANCEL, task_id=TASK, token=token)


async def at_work_after(*bodies: tuple[str, Contract]) -> set[str]:
    """The tokens of what an agent is at after these messages."""
    at_work: set[str] = set()

    async def work(job: Job) -> OutsideFindings:
        at_work.add(job.assignment.token)
        try:
            await asyncio.Event().wait()
        finally:
            at_work.discard(job.assignment.token)
        raise AssertionError

    carrier = Carrier(written(*bodies))
    agent = Agent("news", carrier, MasterKey(b"a key"), work)  # type: ignore[arg-type]  # no more of it is called
    serving = asyncio.create_task(agent.serve())
    await carrier.done.wait()
    found = set(at_work)
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    return found


async def test_tasks_of_two_runs_have_the_same_name_and_are_two() -> None:
    both = (("run-1", assigned("one")), ("run-2", assigned("two")))
    assert await at_work_after(*both) == {"one", "two"}
    assert await at_work_after(*both, ("run-1", cancelled())) == {"two"}


async def test_a_task_that_comes_again_takes_the_place_of_the_first() -> None:
    again = (("run-1", assigned("one")), ("run-1", assigned("two")))
    assert await at_work_after(*again) == {"two"}


async def test_a_late_word_about_the_first_does_not_stop_the_second() -> None:
    again = (("run-1", assigned("one")), ("run-1", assigned("two")))
    assert await at_work_after(*again, ("run-1", cancelled("one"))) == {"two"}
    assert await at_work_after(*again, ("run-1", cancelled("two"))) == set()


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

    async def list_dead_letters(self, agent: str | None = None) -> tuple[DeadLetter, ...]:
        return ()

    async def resend(self, letter: DeadLetter) -> Message:
        raise NotImplementedError

    async def close(self) -> None:
        self.said.append("closed")


def agents(way: SlowToLetGo) -> OutsideAgents:
    sender = Sender("coordinator", way, lambda message: message)
    return OutsideAgents(sender, FakeSnapshots(World(pages=[], angles={}, answers={})))


CLIENT: Any = object()  # handed on to the way of messages, which needs none here


async def test_who_leaves_waits_until_nobody_listens() -> None:
    way = SlowToLetGo()
    async with agents(way).hear_answers(CLIENT):
        await asyncio.sleep(0)
        assert way.said == ["hears"]
    assert way.said == ["hears", "heard", "closed"]


@dataclass
class Doubtful:
    """Takes every message, and does not say so of the second."""

    taken: list[Message] = field(default_factory=list)

    async def send(self, message: Message) -> None:
        self.taken.append(message)
        if len(self.taken) == 2:
            raise unavailable("The server did not answer.", resource="temporal")


async def no_work(_: object) -> OutsideFindings:
    raise AssertionError


async def test_every_message_is_taken_also_after_one_in_doubt() -> None:
    carrier = Doubtful()
    agent = Agent("news", carrier, MasterKey(b"a key"), no_work)  # type: ignore[arg-type]  # no more of it is called
    about = Numbering("coordinator", "series-1").build_message(
        MessageKind.REMARK, RemarkBody(text="?"), now=now(), recipient="news"
    )
    for text in ("first", "second", "third", "fourth"):
        if text == "second":
            with pytest.raises(PortFailure):
                await agent.send(MessageKind.REMARK, RemarkBody(text=text), about)
        else:
            await agent.send(MessageKind.REMARK, RemarkBody(text=text), about)
    assert len({message.id for message in carrier.taken}) == 4
    intake = Intake("coordinator")
    for message in carrier.taken:
        admission = intake.decide_now(message)
        assert admission is not None
        assert admission.verdict is Fate.TAKE
        intake.record_taken(message)
    intake.close()
