"""A question to a model and, where its answer is wrong, one turn to mend it.

An answer that was paid for is kept, so that an activity that runs again does not pay again.
"""

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakValueDictionary

from pydantic import BaseModel, ValidationError

from caveat.adapters.claude.messages import problems
from caveat.adapters.claude.messages.connection import Call, ModelConnection, ModelReply, Turn
from caveat.adapters.claude.messages.problems import ProblemKind
from caveat.adapters.claude.messages.question import Question
from caveat.adapters.claude.messages.schema import Shape
from caveat.contracts.base import Contract
from caveat.contracts.envelope import Usage
from caveat.contracts.failure import FailureType
from caveat.failures import AnotherTurn, PortFailure
from caveat.ports import Answer, Blobs

_log = logging.getLogger(__name__)


class KeptAnswer(Contract):
    """An answer as it is kept: its text, and whether it ran out of room."""

    text: str
    truncated: bool = False


class Answers(Protocol):
    """Keeps answers by the address of the call that they answer."""

    async def recall(self, address: str) -> KeptAnswer | None:
        """Return the answer to a call, None where there is none."""
        ...

    async def keep(self, address: str, answer: KeptAnswer) -> None:
        """Keep an answer."""
        ...

    async def forget(self, address: str) -> None:
        """Keep an answer no longer, since it was of no use."""
        ...


@dataclass(frozen=True)
class NoAnswers:
    """Keeps nothing: every call is paid for."""

    async def recall(self, address: str) -> KeptAnswer | None:
        """Return nothing."""
        return None

    async def keep(self, address: str, answer: KeptAnswer) -> None:
        """Do nothing."""

    async def forget(self, address: str) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class KeptAnswers:
    """Keeps each answer as `ab/abcdef….json`.

    One that cannot be read is as good as none, and a place that cannot be written costs money and
    not the answer: both are logged.

    Attributes:
        blobs: where.
    """

    blobs: Blobs

    async def recall(self, address: str) -> KeptAnswer | None:
        """Return the answer to a call, None where there is none that is whole."""
        return await asyncio.to_thread(self._recall, address)

    async def keep(self, address: str, answer: KeptAnswer) -> None:
        """Keep an answer; one that is there already is replaced.

        On this machine at once: neither a thread's turn nor a disk's is waited for while a killed
        process would have to pay for it anew. After a loss of power it may be missing, which costs
        no more.
        """
        if self.blobs.near:
            self._keep(address, answer)
        else:
            await asyncio.to_thread(self._keep, address, answer)

    async def forget(self, address: str) -> None:
        """Remove an answer."""
        await asyncio.to_thread(self._forget, address)

    def _recall(self, address: str) -> KeptAnswer | None:
        name = _name(address)
        try:
            kept = KeptAnswer.model_validate_json(self.blobs.get(name))
        except PortFailure as error:
            if error.failure.failure_type is not FailureType.NOT_FOUND:
                _log.warning("A kept answer cannot be read (%s); it is paid for anew", error)
            return None
        except ValidationError as error:  # whose own text holds the answer
            kind = type(error).__name__
            _log.warning("A kept answer cannot be read (%s); it is paid for anew", kind)
            return None
        self.blobs.renew(name)
        return kept

    def _keep(self, address: str, answer: KeptAnswer) -> None:
        try:
            content = answer.model_dump_json().encode()
            self.blobs.put(_name(address), content, lasting=False)
        except PortFailure as error:
            _log.warning("An answer cannot be kept (%s)", error)

    def _forget(self, address: str) -> None:
        try:
            self.blobs.remove(_name(address))
        except PortFailure as error:
            _log.warning("A kept answer cannot be removed (%s)", error)


def _name(address: str) -> str:
    return f"{address[:2]}/{address}.json"


def address(call: Call) -> str:
    """Name a call by everything that decides its answer: 64 hexadecimal digits."""
    inputs: dict[str, Any] = {
        "model": call.model,
        "system": call.system,
        "schema": call.schema,
        "turns": [[turn.role, turn.text] for turn in call.turns],
        "room": call.room,
    }
    if call.tools:
        inputs["tools"] = [dict(tool) for tool in call.tools]
    if call.effort:
        inputs["effort"] = call.effort.value
    written = json.dumps(inputs, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


M = TypeVar("M", bound=BaseModel)

MORE_ROOM = 2
"""Times the room that was not enough."""


@dataclass
class _Talk(Generic[M]):
    """A dialogue as it stands.

    Attributes:
        shape: of the answers.
        turns: what was said and counts.
        room: tokens of the next answer.
        valid: answers that fit their schema.
        problem: what is wrong when none of them does.
        usage: spent so far.
        addresses: of the answers that were kept.
    """

    shape: Shape[M]
    turns: tuple[Turn, ...]
    room: int
    valid: list[M] = field(default_factory=list)
    problem: ProblemKind = problems.NO_ROOM
    usage: Usage = field(default_factory=Usage)
    addresses: list[str] = field(default_factory=list)

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
        if reading.misfit is not None:
            self.problem = problems.misfit(reading.misfit.kinds)
            complaint: str | None = reading.misfit.complaint
        else:
            complaint = objection(self.valid[-1])
        if complaint is None:
            return False
        # The API takes no empty turn.
        said = Turn("assistant", reply.text.strip() or "(nothing)")
        self.turns = (*self.turns, said, Turn("user", complaint))
        return True


@dataclass(frozen=True)
class Dialogue:
    """Asks questions.

    Attributes:
        connection: to the server.
        answers: those that were paid for.
    """

    connection: ModelConnection
    answers: Answers = field(default_factory=NoAnswers)
    _asking: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def ask(
        self, question: Question[M], objection: Callable[[M], str | None] = lambda _: None
    ) -> Answer[tuple[M, ...]]:
        """Ask, and return a wrong answer once with what is wrong with it.

        Args:
            question: what is asked.
            objection: what code finds wrong with an answer that fits its schema; None for nothing.

        Returns:
            Every answer that fits the schema, at least one, the best one last.

        Raises:
            PortFailure: no answer fits; it carries what was spent all the same.
            AnotherTurn: the answer must be mended, and this turn is not the last.
        """
        deadline = asyncio.get_running_loop().time() + question.bounds.deadline_s
        capabilities = await self.connection.capabilities_of(question.purpose.model)
        shape = Shape(question.answer, capabilities.structured_outputs)
        asked = Turn("user", question.content, question.shared)
        talk = _Talk(shape, (asked,), question.bounds.room)
        try:
            mended = await self._mended(question, talk, deadline, objection)
        except PortFailure as broken:
            talk.usage += broken.usage
            # What only time can mend is Temporal's to try again, and the first answer is kept.
            if broken.failure.retry_recommended or not talk.valid:
                raise PortFailure(broken.failure, talk.usage) from None
        else:
            if not mended and question.task.turn < question.task.max_turns:
                raise AnotherTurn(talk.usage)
        if not talk.valid:
            await self._forget(talk)
            raise question.purpose.failed(talk.problem, usage=talk.usage)
        return Answer(tuple(talk.valid), talk.usage)

    async def _mended(
        self,
        question: Question[M],
        talk: _Talk[M],
        deadline: float,
        objection: Callable[[M], str | None],
    ) -> bool:
        """Go through the turns that there are; return whether the last answer needs no mending."""
        for _ in range(question.task.turn):
            if not talk.hear(await self._turn(question, talk, deadline), objection):
                return True
        return False

    async def _turn(self, question: Question[M], talk: _Talk[M], deadline: float) -> ModelReply:
        call = Call(
            model=question.purpose.model,
            system=question.system + talk.shape.instructions,
            schema=talk.shape.schema,
            turns=talk.turns,
            room=talk.room,
            effort=question.bounds.effort,
        )
        name = address(call)
        talk.addresses.append(name)
        # A server that was away gives a task out again while its first attempt still waits here.
        async with self._asking.setdefault(name, asyncio.Lock()):
            kept = await self.answers.recall(name)
            if kept is not None:
                return ModelReply(kept.text, kept.truncated, Usage(models=(call.model,)))
            reply = await self.connection.call(call, question.purpose, deadline)
            await self.answers.keep(name, KeptAnswer(text=reply.text, truncated=reply.truncated))
        return reply

    async def _forget(self, talk: _Talk[M]) -> None:
        # Kept, a useless answer would be given again to whoever asks the same another day.
        for name in talk.addresses:
            await self.answers.forget(name)
