"""What a server of the Messages API can do, found out by asking it.

Each question has an answer that a server without the feature cannot give.
"""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Self

from caveat.adapters.claude.messages.capabilities import Capabilities
from caveat.adapters.claude.messages.connection import (
    SHORTEST,
    Call,
    ModelConnection,
    ModelReply,
    Turn,
)
from caveat.adapters.claude.messages.failures import list_ignorable_errors
from caveat.adapters.claude.messages.problems import Purpose
from caveat.adapters.claude.messages.schema import Shape
from caveat.contracts.base import Contract
from caveat.contracts.envelope import FailureCategory, FailureType, Usage
from caveat.failures import PortFailure
from caveat.roles.analyst import BESIDE, WINDOW
from caveat.roles.role import Effort

_PATIENCE_S = 165.0
"""Seconds for one question, as an analyst has them: what takes longer fails in a run too."""

_ROOM = 400  # tokens of an answer: a word, and whatever a model thinks aloud before it
_LITTLE = 4  # tokens that the answer to `_LONG` cannot do with

_LONG = "Write the numbers from one to two hundred as words, separated by commas."

LONGEST = WINDOW + BESIDE
"""Characters of the longest prompt of an analyst: a source, and everything beside it."""

_TWICE = 1.9  # times the tokens that a prompt of twice the length has at least

_BARE = Capabilities(
    structured_outputs=False,
    prompt_caching=False,
    stop_reasons=False,
    thinking=False,
    catalogue=False,
)
"""What every server has that is one at all."""


class _Sum(Contract):
    """The shape of an answer that no prompt asks for."""

    sum_of_both: int


@dataclass(frozen=True)
class CapabilityFinding:
    feature: str
    has: bool  # whether the server has it
    said: str  # what was seen, in words; nothing of what the server wrote


QUESTIONS = 11  # that a model is asked


@dataclass
class Checking:
    connection: ModelConnection  # to its server; its capabilities are left aside
    model: str
    begins: Callable[[str], None] = lambda _: None  # told of each question before it is asked
    capabilities: Capabilities = _BARE  # what was found out so far
    findings: list[CapabilityFinding] = field(default_factory=list)  # how that was seen, in order
    usage: Usage = field(default_factory=Usage)

    async def check(self) -> Self:
        await self._check_endpoint()
        what = "whether it caches prompts"
        await self._try("prompt_caching", what, "takes the mark", "refuses the mark")
        await self._check_stop_reasons()
        await self._check_schema()
        await self._check_thinking()
        await self._check_endpoints()
        await self._check_length()
        return self

    async def _check_endpoint(self) -> None:
        """Ask by the other endpoint where the first one or its model is not found."""
        word = _create_code_word()
        prompt = f"Repeat this word and nothing else: {word}"
        try:
            reply = await self._ask("whether it answers", prompt, _BARE)
        except PortFailure as missing:
            if missing.failure.failure_type is not FailureType.NOT_FOUND:
                raise
            other = replace(_BARE, messages=False)
            try:
                reply = await self._ask("whether it has the OpenAI form", prompt, other)
            except PortFailure:
                raise missing from None
            if isinstance(reply, PortFailure):
                raise missing from None
            self._record_finding("messages", "only /v1/chat/completions answers", has=False)
        if isinstance(reply, PortFailure):
            raise reply

    async def _check_stop_reasons(self) -> None:
        capabilities = replace(self.capabilities, stop_reasons=True)
        system = "Do all that is asked for."
        what = "whether it says why it ends"
        reply = await self._ask(what, _LONG, capabilities, system=system, room=_LITTLE)
        has = isinstance(reply, ModelReply) and reply.truncated
        without = _explain(reply, "refuses so short an answer", "ends without a word of it")
        finding = "says when room is short" if has else without
        self._record_finding("stop_reasons", finding, has=has)

    async def _check_schema(self) -> None:
        shape = Shape(_Sum, enforced=True)

        async def ask(what: str, capabilities: Capabilities) -> tuple[bool, str]:
            question = "What do three and four make?"
            reply = await self._ask(
                f"whether {what} holds to a schema", question, capabilities, shape.schema
            )
            has = isinstance(reply, ModelReply) and shape.read(reply.text).complaint is None
            without = _explain(reply, "takes none", "does not hold to it")
            return has, "answers fit" if has else without

        has, finding = await ask("it", replace(self.capabilities, structured_outputs=True))
        if not has and self.capabilities.messages:
            other = replace(self.capabilities, structured_outputs=True, messages=False)
            with suppress(PortFailure):
                has, _ = await ask("its OpenAI form", other)
            if has:
                finding = "answers fit, by /v1/chat/completions alone"
                self._record_finding("messages", "has no schemas there", has=False)
        self._record_finding("structured_outputs", finding, has=has)

    async def _check_thinking(self) -> None:
        """Ask for an effort, which stands where a schema does: who drops one drops the other."""
        if not (self.capabilities.structured_outputs and self.capabilities.messages):
            self._record_finding("thinking", "takes no settings of answers", has=False)
            return
        what = "whether it thinks"
        await self._try("thinking", what, "takes an effort", "takes none", effort=Effort.LOW)

    async def _try(
        self, feature: str, what: str, taken: str, refused: str, effort: Effort | None = None
    ) -> None:
        """Use a feature that a server without it refuses."""
        capabilities = replace(self.capabilities, **{feature: True})
        reply = await self._ask(what, "Say hello.", capabilities, effort=effort)
        has = isinstance(reply, ModelReply)
        self._record_finding(feature, taken if has else _explain(reply, refused), has=has)

    async def _check_endpoints(self) -> None:
        """Look what there is beside calls; none of it costs anything."""
        client = await self.connection.open_client()
        self.begins("whether it describes the model")
        try:
            await client.models.retrieve(self.model)
        except list_ignorable_errors():
            self._record_finding("catalogue", "does not describe it", has=False)
        else:
            self._record_finding("catalogue", "describes the model", has=True)

    async def _check_length(self) -> None:
        """Look how long a prompt may be; what is cut off at its beginning is not read whole.

        A model that does not find a word again has read it all where twice as long a prompt has
        twice the tokens.
        """
        length, tokens, asked, refusal = 0, 0, SHORTEST // 2, ""
        while asked <= LONGEST:
            word = _create_code_word()
            what = f"whether it reads {asked:,} characters, for at most {_PATIENCE_S:.0f} s"
            reply = await self._ask(what, _build_long_prompt(asked, word), self.capabilities)
            counted = reply.usage.input_tokens
            finds = isinstance(reply, ModelReply) and word in reply.text
            if asked >= SHORTEST:
                if not finds and not counted >= _TWICE * tokens > 0:
                    refusal = _explain(reply, "refuses more", "cuts more off")
                    break
                length = asked
            tokens, asked = counted, 2 * asked
        longest = None if length == LONGEST else length
        self.capabilities = replace(self.capabilities, longest=longest)
        words = (f"reads {length:,} characters" if length else "", refusal)
        self.findings.append(
            CapabilityFinding("longest", length == LONGEST, ", ".join(filter(None, words)))
        )

    def _record_finding(self, feature: str, finding: str, *, has: bool) -> None:
        self.capabilities = replace(self.capabilities, **{feature: has})
        self.findings.append(CapabilityFinding(feature, has, finding))

    async def _ask(  # each question differs in one of these
        self,
        what: str,
        prompt: str,
        capabilities: Capabilities,
        schema: Mapping[str, Any] | None = None,
        *,
        system: str = "Answer in one word, without any comment.",
        room: int = _ROOM,
        effort: Effort | None = None,
    ) -> ModelReply | PortFailure:
        """Ask one question; return the failure where it says something of the server's features."""
        self.begins(what)
        connection = replace(self.connection, capabilities=capabilities)
        call = Call(self.model, system, schema, (Turn("user", prompt),), room, effort=effort)
        purpose = Purpose("models check", self.model, what, provider=connection.provider)
        deadline = asyncio.get_running_loop().time() + _PATIENCE_S
        try:
            reply = await connection.call(call, purpose, deadline)
        except PortFailure as failed:
            self.usage += failed.usage
            # Is it of the account, the name or the network, and not of what was asked?
            failure, kind = failed.failure, failed.failure.failure_type
            stops = kind in (FailureType.AUTH_ERROR, FailureType.RATE_LIMITED)
            if failure.category is FailureCategory.BUSINESS:
                stops = kind is FailureType.NOT_FOUND or failure.provider is not None
            if stops:
                raise PortFailure(failure, self.usage) from None
            return failed
        self.usage += reply.usage
        return reply


def _explain(reply: ModelReply | PortFailure, refused: str, unheeded: str = "") -> str:
    """Say why a feature is taken for missing; who does not answer has refused nothing."""
    if isinstance(reply, ModelReply):
        return unheeded
    is_silent = reply.failure.category is FailureCategory.TRANSIENT
    return "gave no answer, late or broken off" if is_silent else refused


def _create_code_word() -> str:
    """Make a word that no model has learned and no other answer holds."""
    return f"zq{secrets.token_hex(4)}"


def _build_long_prompt(length: int, word: str) -> str:
    """Write a prompt whose first line alone holds what its last one asks for."""
    first = f"The code word is {word}.\n"
    last = "\nWhat is the code word that the first line gives? Say it and nothing else."
    left = length - len(first) - len(last)
    line = "Line {} of a long list says that nothing of note stands in it.\n"
    lines = map(line.format, range(1, left // len(line) + 2))
    return first + "".join(lines)[:left] + last
