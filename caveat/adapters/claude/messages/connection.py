"""One call to the Messages API: the SDK in, a reply or a named failure out."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2
from anthropic import APIStatusError, AsyncAnthropic, DefaultAsyncHttpxClient, OpenTelemetryOptions
from anthropic.lib.streaming import AsyncMessageStream
from anthropic.types import Message

from caveat.adapters.claude.messages import problems
from caveat.adapters.claude.messages.capabilities import ANTHROPIC, Capabilities
from caveat.adapters.claude.messages.failures import SENSELESS, broken_off, translated, vendor
from caveat.adapters.claude.messages.keys import REFUSED, ApiKeys, RefusedKeys, Secret
from caveat.adapters.claude.messages.prices import Prices, counted, price_table, spent
from caveat.adapters.claude.messages.problems import PROVIDER, ProblemKind, Purpose
from caveat.adapters.claude.messages.tariff import most, sparing
from caveat.adapters.claude.pacing import Busy, PacedCall, Pacer
from caveat.contracts.envelope import Usage
from caveat.contracts.failure import FailureType
from caveat.failures import NotAllowed

MAX_PAUSES = 3
"""Times that a paused answer is gone on with. Servers pause for tools of their own, of which only
the web search is ever offered; three leave room for a server's whim and none for an endless one."""

_USABLE = frozenset({"end_turn", "stop_sequence", "max_tokens", "pause_turn"})
"""Reasons to stop that leave something to work with."""

_ENDINGS: dict[str | None, ProblemKind] = {
    "refusal": problems.REFUSAL,
    "model_context_window_exceeded": problems.WINDOW_EXCEEDED,
    "tool_use": problems.UNASKED_TOOL,
    None: problems.ENDED_EARLY,
}
"""Reasons to stop that leave nothing; one that is not listed anywhere has no known shape."""

_LOOKED_FOR = 16_000
"""Characters of the shortest prompt that `caveat models check` tries: of shorter ones nothing is
known, and they are sent."""

_SPANS: OpenTelemetryOptions = {"propagation": False, "traces": {"content_mode": "metadata_only"}}
"""What the SDK tells where this process traces: model, tokens, how a call ended. Never what was
said, whatever the environment asks for; and the server is told of no trace."""

SET_FOR_EACH_CALL = "the key is set for each call"


@dataclass(frozen=True)
class Timeouts:
    """How long a server may take.

    Attributes:
        connect_s: seconds to connect; a server that is there accepts at once.
        silence_s: seconds without a byte: a stream sends pings more often than that.
    """

    connect_s: float = 5
    silence_s: float = 120


@dataclass(frozen=True)
class Turn:
    """One message of a conversation: who says it, `user` or `assistant`, and what."""

    role: str
    content: str


@dataclass(frozen=True)
class Call:
    """Everything that decides an answer.

    Attributes:
        model: who is asked.
        system: the role's instructions, the same for every task of the role.
        schema: the JSON schema that the answer is held to; None where the server cannot.
        turns: the conversation so far, the user's turn last.
        room: tokens that the answer may have.
        tools: what the server itself may do for the answer; nothing, in every call that reads what
            strangers wrote.
    """

    model: str
    system: str
    schema: Mapping[str, Any] | None
    turns: tuple[Turn, ...]
    room: int
    tools: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class ModelReply:
    """An answer.

    Attributes:
        text: what the model wrote.
        truncated: whether it ran out of room.
        usage: what it cost.
    """

    text: str
    truncated: bool = False
    usage: Usage = field(default_factory=Usage)


def spans_and_patience(limits: Timeouts | None) -> tuple[httpx2.Timeout, OpenTelemetryOptions]:
    """Say what every client of the SDK is made with, whoever serves it."""
    limits = limits or Timeouts()
    return httpx2.Timeout(limits.silence_s, connect=limits.connect_s), _SPANS


def sdk(
    base_url: str | None = None,
    limits: Timeouts | None = None,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> AsyncAnthropic:
    """Make the SDK's client: no retries of its own, and no key, since each call brings one.

    Args:
        base_url: the server; None for `ANTHROPIC_BASE_URL`, or else Anthropic's.
        limits: how long it may take to connect and to send a byte.
        transport: what requests go through; None for the SDK's own, straight to the server.
    """
    timeout, spans = spans_and_patience(limits)
    return AsyncAnthropic(
        api_key=SET_FOR_EACH_CALL,
        base_url=base_url,
        max_retries=0,
        timeout=timeout,
        http_client=DefaultAsyncHttpxClient(transport=transport) if transport else None,
        open_telemetry=spans,
    )


@dataclass(frozen=True)
class ModelConnection:
    """Calls models, one process' worth of them over one client.

    Attributes:
        client: the SDK's client, as `sdk` makes it.
        keys: what calls are paid with.
        capabilities: what the server can do.
        prices: what its models cost.
        refused: keys that the server refused, for whoever looks for another one.
        pacer: lets calls pass as the provider's rate limits allow.
        provider: whose service it is, as failures name it.
    """

    client: AsyncAnthropic
    keys: ApiKeys
    capabilities: Capabilities = ANTHROPIC
    prices: Prices = field(default_factory=price_table)
    refused: RefusedKeys = REFUSED
    pacer: Pacer = field(default_factory=Pacer)
    provider: str = PROVIDER

    async def call(self, call: Call, purpose: Purpose, deadline: float) -> ModelReply:
        """Ask once, and go on where the server pauses.

        Args:
            call: what is asked.
            purpose: what it is for.
            deadline: when to give up, on the clock of the event loop.

        Raises:
            PortFailure: there is no answer; it carries what was spent all the same.
        """
        said: list[Message] = []
        await self.listen(call, purpose, deadline, said)
        text = "".join(_text(each) for each in said)
        return ModelReply(text, said[-1].stop_reason == "max_tokens", self.spent(said, purpose))

    async def listen(
        self, call: Call, purpose: Purpose, deadline: float, said: list[Message]
    ) -> None:
        """Ask once, as `call` does, and gather what the server says.

        Args:
            call: what is asked.
            purpose: what it is for.
            deadline: when to give up, on the clock of the event loop.
            said: takes every message; what arrived is in it even where the call fails.

        Raises:
            PortFailure: the answer has no end; it carries what was spent all the same.
        """
        if _is_too_long(call, self.capabilities):
            raise purpose.failed(problems.TOO_LONG)
        parameters = _parameters(call, self.capabilities)
        secret = await self._secret(purpose, deadline)
        for _ in range(MAX_PAUSES + 1):
            message = await self._exchange(secret, parameters, said, purpose, deadline)
            if message.stop_reason != "pause_turn":
                return
            parameters = {**parameters, "messages": [*parameters["messages"], _gone_on(message)]}
        raise purpose.failed(problems.ALWAYS_PAUSING, usage=self.spent(said, purpose))

    async def _secret(self, purpose: Purpose, deadline: float) -> Secret:
        """Find what to call with; a cloud may be asked for it, which takes time."""
        try:
            async with asyncio.timeout_at(deadline):
                return await self.keys.current()
        except TimeoutError:
            raise purpose.failed(problems.TOOK_TOO_LONG) from None

    def spent(self, said: Sequence[Message], purpose: Purpose) -> Usage:
        """Sum up what messages cost."""
        return sum((spent(one, purpose.model, self.prices) for one in said), Usage())

    def _paid_for(
        self, parameters: dict[str, Any], said: Sequence[Message], purpose: Purpose
    ) -> dict[str, Any]:
        """Look whether a request is paid for, with less room for the answer where that is short.

        Raises:
            NotAllowed: it is not, and the coordinator may allow more.
            PortFailure: it is not, and nothing more will come.
        """
        meter, rooms = purpose.meter, (parameters["max_tokens"], sparing(parameters["max_tokens"]))
        whole, least = (most(parameters, purpose.model, room, self.prices) for room in rooms)
        for room, need in zip(rooms, (whole, least), strict=True):
            if meter.pays(need):
                return {**parameters, "max_tokens": room}
        if meter.allowance is not None and meter.allowance.final:
            raise purpose.failed(problems.NO_BUDGET, usage=self.spent(said, purpose))
        raise NotAllowed(whole, least, meter.spent)

    async def _exchange(
        self,
        secret: Secret,
        parameters: dict[str, Any],
        said: list[Message],
        purpose: Purpose,
        deadline: float,
    ) -> Message:
        before = len(said)
        parameters = self._paid_for(parameters, said, purpose)
        hear = _hear if self.capabilities.streaming else _hear_at_once
        try:
            client = self.client.with_options(**secret.options)
            async with self.pacer.passage(purpose.model, deadline) as passage:
                problem = await hear(client, parameters, said, passage, deadline)
                passage.usage = self.spent(said[before:], purpose)
        except Busy as busy:
            usage, wait_s = self.spent(said, purpose), busy.retry_after_s
            raise purpose.failed(problems.NO_LEAVE, retry_after_s=wait_s, usage=usage) from None
        except vendor() as error:
            failed = translated(error, purpose, self.spent(said, purpose))
            if failed.failure.failure_type is FailureType.AUTH_ERROR:
                self.refused.note(secret)
            raise failed from None
        finally:
            purpose.meter.spend(self.spent(said[before:], purpose))
        if problem is None:
            problem = _flaw(said[before], self.capabilities, parameters["max_tokens"])
        if problem is not None:
            raise purpose.failed(problem, usage=self.spent(said, purpose))
        return said[before]


def _is_too_long(call: Call, capabilities: Capabilities) -> bool:
    """Whether a server would read a part of a prompt only, maybe without a word of it."""
    if capabilities.longest is None:
        return False
    length = len(call.system) + sum(len(turn.content) for turn in call.turns)
    return length > max(capabilities.longest, _LOOKED_FOR)


def _parameters(call: Call, capabilities: Capabilities) -> dict[str, Any]:
    turns = [{"role": turn.role, "content": turn.content} for turn in call.turns]
    parameters: dict[str, Any] = {"model": call.model, "max_tokens": call.room, "messages": turns}
    if capabilities.system:
        parameters["system"] = [_system(call, capabilities)]
    else:
        turns[0]["content"] = f"{call.system}\n\n{turns[0]['content']}"
    if call.schema is not None:
        format_ = {"type": "json_schema", "schema": dict(call.schema)}
        parameters["output_config"] = {"format": format_}
    if call.tools:
        parameters["tools"] = [dict(tool) for tool in call.tools]
    return parameters


def _system(call: Call, capabilities: Capabilities) -> dict[str, Any]:
    system: dict[str, Any] = {"type": "text", "text": call.system}
    if capabilities.prompt_caching:
        # Instructions and schema are the same for every task of a role; five minutes are enough,
        # since the tasks of a role follow each other closely.
        system["cache_control"] = {"type": "ephemeral"}
    return system


def _gone_on(message: Message) -> dict[str, Any]:
    """Write a paused answer as a turn, exactly as the server wrote it."""
    blocks = [block.to_dict(warnings=False) for block in message.content]
    # Servers accept no empty text, though a pause may leave one.
    written = [block for block in blocks if block.get("type") != "text" or block.get("text")]
    return {"role": "assistant", "content": written}


async def _hear(
    client: AsyncAnthropic,
    parameters: dict[str, Any],
    said: list[Message],
    passage: PacedCall,
    deadline: float,
) -> ProblemKind | None:
    """Send a call and read its answer; whatever its status, its headers speak of rate limits."""
    try:
        async with asyncio.timeout_at(deadline):
            async with client.messages.stream(**parameters) as stream:
                passage.hear(stream.response.status_code, stream.response.headers)
                return await _read(stream, said)
    except APIStatusError as error:
        passage.hear(error.response.status_code, error.response.headers)
        raise


async def _hear_at_once(
    client: AsyncAnthropic,
    parameters: dict[str, Any],
    said: list[Message],
    passage: PacedCall,
    deadline: float,
) -> ProblemKind | None:
    """Send a call to a server that does not stream: it says nothing until it has said all."""
    left = max(1.0, deadline - asyncio.get_running_loop().time())
    patience = httpx2.Timeout(left, connect=Timeouts().connect_s)
    try:
        async with asyncio.timeout_at(deadline):
            asked = client.messages.with_raw_response.create(**parameters, timeout=patience)
            answer = await asked
    except APIStatusError as error:
        passage.hear(error.response.status_code, error.response.headers)
        raise
    passage.hear(answer.status_code, answer.headers)
    message: object = await answer.parse()
    if not isinstance(message, Message):
        return _without_message(answer.headers.get("content-type", ""))
    said.append(message)
    return None


async def _read(stream: AsyncMessageStream[Any], said: list[Message]) -> ProblemKind | None:
    """Read a stream to its end; what has arrived is in `said` even where it breaks off."""
    started = False
    try:
        async for event in stream:
            if event.type == "message_start" and not started:
                said.append(stream.current_message_snapshot)
                started = True
    except broken_off():
        raise
    except SENSELESS:
        return problems.WRONG_SHAPE
    return None if started else _without_message(stream.response.headers.get("content-type", ""))


def _without_message(content_type: str) -> ProblemKind:
    if content_type.startswith("text/event-stream"):
        return problems.ENDED_EARLY
    if content_type.startswith("application/json"):
        # It answers, but never as a stream.
        return problems.WRONG_SHAPE
    # A proxy's page: the API may be behind it again later.
    return problems.NOT_THE_API


def _flaw(message: Message, capabilities: Capabilities, room: int) -> ProblemKind | None:
    """Name what makes an answer unusable whatever it says; None where nothing does."""
    if not isinstance(message.content, list) or (message.usage is None and capabilities.usage):
        return problems.WRONG_SHAPE
    if not capabilities.stop_reasons and message.stop_reason in (None, "end_turn"):
        message.stop_reason = "max_tokens" if counted(message)[1] >= room else "end_turn"
    reason: str | None = message.stop_reason
    return None if reason in _USABLE else _ENDINGS.get(reason, problems.WRONG_SHAPE)


def _text(message: Message) -> str:
    texts = (block.text for block in message.content if block.type == "text")
    written = "".join(text for text in texts if isinstance(text, str))
    # A character may arrive in halves, or half of it alone; joined or replaced it can be kept.
    return written.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
