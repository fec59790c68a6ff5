"""Agents elsewhere: their runs and messages are told apart, and nobody is left listening."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from caveat.clients.agents import Agent, Job
from caveat.contracts.base import Contract
from caveat.contracts.message import AssignmentBody, Message, Order, OutsideFindings, SteeringBody
from caveat.intake import now
from caveat.rules.messages import MasterKey, Numbering

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
        messages.append(numbering.build_message(body, now=now(), recipient="news", run=run))
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
