"""A question to a model and, where its answer is wrong, one turn to mend it.

An answer that was paid for is kept, so that an activity that runs again does not pay again.
"""

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from caveat.adapters.claude.messages import problems
from caveat.adapters.claude.messages.connection import Call, ModelConnection, ModelReply, Turn
from caveat.adapters.claude.messages.problems import ProblemKind, Purpose
from caveat.adapters.claude.messages.schema import Shape
from caveat.contracts.envelope import Usage
from caveat.contracts.tasks import Task
from caveat.failures import PortFailure
from caveat.ports import Answer, Blobs
from caveat.roles.role import Bounds
from caveat.threads import wait_in_thread

M = TypeVar("M", bound=BaseModel)

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Question(Generic[M]):
    task: Task  # of the role; says how many turns may be taken
    purpose: Purpose  # what the call is for, as its failures name it
    system: str
    content: str
    answer: type[M]
    bounds: Bounds
    # what stands before the task and is asked about more than once, so that servers cache it; empty
    # for nothing
    shared: str = ""


def hash_call(call: Call) -> str:
    """Name a call by everything that decides its answer: 64 hexadecimal digits."""
    inputs = asdict(call) | {"turns": [(turn.role, turn.text) for turn in call.turns]}
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class KeptAnswers:
    """Keeps answers by the address of the call that they answer, as `ab/abcdef….json`."""

    # One that cannot be read is as good as none, and a place that cannot be written costs money and
    # not the answer: both are logged.

    blobs: Blobs  # where

    @wait_in_thread
    def keep(self, address: str, answer: ModelReply) -> None:
        """Keep an answer; one that is there already is replaced."""
        try:
            self.blobs.put(_name(address), answer.model_dump_json().encode())
        except PortFailure as error:
            _log.warning("An answer cannot be kept (%s)", error)

    @wait_in_thread
    def recall(self, address: str) -> ModelReply | None:
        """Return the answer to a call, None where there is none that is whole."""
        name = _name(address)
        try:
            content = self.blobs.get(name)
            answer = None if content is None else ModelReply.model_validate_json(content)
        except PortFailure as error:
            _log.warning("A kept answer cannot be read (%s); it is paid for anew", error)
            return None
        except ValidationError as error:  # whose own text holds the answer
            kind = type(error).__name__
            _log.warning("A kept answer cannot be read (%s); it is paid for anew", kind)
            return None
        if answer is not None:
            self.blobs.renew(name)
        return answer

    @wait_in_thread
    def forget(self, address: str) -> None:
        try:
            self.blobs.remove(_name(address))
        except PortFailure as error:
            _log.warning("A kept answer cannot be removed (%s)", error)


def _name(address: str) -> str:
    return f"{address[:2]}/{address}.json"


MORE_ROOM = 2  # times the room that was not enough


@dataclass
class _Talk(Generic[M]):
    shape: Shape[M]
    turns: tuple[Turn, ...]
    room: int
    valid: list[M] = field(default_factory=list)
    problem: ProblemKind = problems.NO_ROOM  # what is wrong when none of them does
    usage: Usage = field(default_factory=Usage)
    addresses: set[str] = field(default_factory=set)

    def hear(self, reply: ModelReply, objection: Callable[[M], str | None]) -> bool:
        """Take a reply in; return whether it leaves anything to mend."""
        self.usage += reply.usage
        reading = self.shape.read(reply.text)
        if reading.value is not None:
            self.valid.append(reading.value)
        if reply.truncated:
            self.problem = problems.NO_ROOM
            self.room *= MORE_ROOM
            return True
        complaint = reading.complaint
        if complaint is not None:
            self.problem = problems.build_schema_problem(reading.kinds)
        else:
            complaint = objection(self.valid[-1])
        if complaint is None:
            return False
        # The API takes no empty turn.
        turn = Turn("assistant", reply.text.strip() or "(nothing)")
        self.turns = (*self.turns, turn, Turn("user", complaint))
        return True


@dataclass(frozen=True)
class Dialogue:
    connection: ModelConnection
    answers: KeptAnswers | None = None  # None has every call paid for

    async def ask(
        self, question: Question[M], objection: Callable[[M], str | None] = lambda _: None
    ) -> Answer[tuple[M, ...]]:
        """Ask, and return a wrong answer once with what is wrong with it.

        Args:
            objection: what code finds wrong with an answer that fits its schema; None for nothing.

        Returns:
            Every answer that fits the schema, at least one, the best one last.
        """
        deadline = asyncio.get_running_loop().time() + question.bounds.deadline_s
        capabilities = await self.connection.find_capabilities(question.purpose.model)
        shape = Shape(question.answer, capabilities.structured_outputs)
        turn = Turn("user", question.content, question.shared)
        talk = _Talk(shape, (turn,), question.bounds.room)
        try:
            for _ in range(question.task.max_turns):
                if not talk.hear(await self._turn(question, talk, deadline), objection):
                    break
        except PortFailure as broken:
            talk.usage += broken.usage
            # What only time can mend is Temporal's to try again, and the first answer is kept.
            if broken.failure.retry_recommended or not talk.valid:
                raise PortFailure(broken.failure, talk.usage) from None
        if not talk.valid:
            # Kept, useless answers would be given again to who asks the same another day.
            if self.answers is not None:
                for name in talk.addresses:
                    await self.answers.forget(name)
            raise question.purpose.build_failure(talk.problem, usage=talk.usage)
        return Answer(tuple(talk.valid), talk.usage)

    async def _turn(self, question: Question[M], talk: _Talk[M], deadline: float) -> ModelReply:
        room, effort, most = talk.room, question.bounds.effort, question.task.room
        if most is not None and room + (effort.room if effort else 0) > most:
            room, effort = min(room, most), None  # where tokens are few, nothing is thought
        call = Call(
            model=question.purpose.model,
            system=question.system + talk.shape.instructions,
            schema=talk.shape.schema,
            turns=talk.turns,
            room=room,
            effort=effort,
        )
        name = hash_call(call)
        talk.addresses.add(name)
        reply = await self.answers.recall(name) if self.answers else None
        if reply is None:
            reply = await self.connection.call(call, question.purpose, deadline)
            if self.answers is not None:
                await self.answers.keep(name, reply)
            return reply
        # It was paid for before; of a worker that was killed then nobody hears what it took.
        return reply.model_copy(update={"usage": Usage(models=reply.usage.models)})
