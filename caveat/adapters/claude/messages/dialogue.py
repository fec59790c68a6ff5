"""A question to a model and, where its answer is wrong, one turn to mend it.

An answer that was paid for is kept, so that an activity that runs again does not pay again.
"""

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from caveat.adapters.claude.messages import problems
from caveat.adapters.claude.messages.connection import Call, ModelConnection, ModelReply, Turn
from caveat.adapters.claude.messages.problems import ProblemKind, Purpose
from caveat.adapters.claude.messages.schema import Shape
from caveat.contracts.envelope import Usage
from caveat.failures import PortFailure
from caveat.ports import Answer, Blobs
from caveat.roles.role import Bounds, Question
from caveat.threads import wait_in_thread

M = TypeVar("M", bound=BaseModel)

_log = logging.getLogger(__name__)


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
    call: Call  # the next one
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
            self.call = replace(self.call, room=self.call.room * MORE_ROOM)
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
        turns = (*self.call.turns, turn, Turn("user", complaint))
        self.call = replace(self.call, turns=turns)
        return True


@dataclass(frozen=True)
class Dialogue:
    connection: ModelConnection
    answers: KeptAnswers | None = None  # None has every call paid for

    async def ask(
        self, question: Question[M], purpose: Purpose, system: str, bounds: Bounds
    ) -> Answer[tuple[M, ...]]:
        """Ask, and return a wrong answer once; see `roles.role.LanguageModel`."""
        deadline = asyncio.get_running_loop().time() + bounds.deadline_s
        capabilities = await self.connection.find_capabilities(purpose.model)
        shape = Shape(question.answer, capabilities.structured_outputs)
        turns = (Turn("user", question.content, question.shared),)
        told = system + shape.instructions
        call = Call(purpose.model, told, shape.schema, turns, bounds.room, effort=bounds.effort)
        talk = _Talk(shape, call)
        try:
            for _ in range(question.task.max_turns):
                reply = await self._turn(talk, question.task.room, purpose, deadline)
                if not talk.hear(reply, question.find_objection):
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
            raise purpose.build_failure(talk.problem, usage=talk.usage)
        return Answer(tuple(talk.valid), talk.usage)

    async def _turn(
        self, talk: _Talk[M], most: int | None, purpose: Purpose, deadline: float
    ) -> ModelReply:
        call = talk.call
        if most is not None and call.room + (call.effort.room if call.effort else 0) > most:
            # Where tokens are few, nothing is thought.
            call = replace(call, room=min(call.room, most), effort=None)
        name = hash_call(call)
        talk.addresses.add(name)
        reply = await self.answers.recall(name) if self.answers else None
        if reply is None:
            reply = await self.connection.call(call, purpose, deadline)
            if self.answers is not None:
                await self.answers.keep(name, reply)
            return reply
        # It was paid for before; of a worker that was killed then nobody hears what it took.
        return reply.model_copy(update={"usage": Usage(models=reply.usage.models)})
