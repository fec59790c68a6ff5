"""One call to the Messages API: the SDK in, a reply or a named failure out."""

import asyncio
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anthropic
import httpx2
from anthropic.lib.streaming import AsyncMessageStream
from anthropic.types import Message

from caveat.adapters.claude.messages import completions, failures, problems
from caveat.adapters.claude.messages.capabilities import ANTHROPIC, Capabilities
from caveat.adapters.claude.messages.prices import Prices, compute_usage, read_tokens
from caveat.adapters.claude.messages.problems import PROVIDER, ProblemKind, Purpose
from caveat.atomic import read_secret_file
from caveat.contracts.base import Contract
from caveat.contracts.envelope import FailureType, Usage
from caveat.failures import forbidden
from caveat.roles.role import Effort

_USABLE = frozenset({"end_turn", "stop_sequence", "max_tokens", "pause_turn"})
"""Reasons to stop that leave something to work with."""

_ENDINGS: dict[str | None, ProblemKind] = {
    "refusal": problems.REFUSAL,
    "model_context_window_exceeded": problems.WINDOW_EXCEEDED,
    "tool_use": problems.UNASKED_TOOL,
    None: problems.ENDED_EARLY,
}
"""Reasons to stop that leave nothing; one that is not listed anywhere has no known shape."""

SHORTEST = 16_000
"""Characters of the shortest prompt that `caveat models check` tries: of shorter ones nothing is
known, and they are sent."""

_ASIDE_S = 10.0  # seconds for a question beside the call itself, which goes on without its answer

_MARK = {"type": "ephemeral"}
"""Five minutes are enough: the tasks of a role follow each other closely."""

_SPANS: anthropic.OpenTelemetryOptions = {
    "propagation": False,
    "traces": {"content_mode": "metadata_only"},
}
"""What the SDK tells where this process traces: model, tokens, how a call ended. Never what was
said, whatever the environment asks for; and the server is told of no trace."""

SET_FOR_EACH_CALL = "the key is set for each call"


CONNECT_S = 5.0  # seconds to connect; a server that is there accepts at once
SILENCE_S = 60.0
"""Seconds without a byte since a call was sent: a stream sends pings more often than that, and a
subagent that hangs costs a minute."""


@dataclass(frozen=True)
class Turn:
    role: str
    content: str
    shared: str = ""  # what stands before it and is worth a server's cache; empty for nothing

    @property
    def text(self) -> str:
        return f"{self.shared}\n\n{self.content}" if self.shared else self.content


@dataclass(frozen=True)
class Call:
    """Everything that decides an answer."""

    model: str
    system: str  # the role's instructions, the same for every task of the role
    # the JSON schema that the answer is held to; None where the server cannot
    schema: Mapping[str, Any] | None
    turns: tuple[Turn, ...]  # the conversation so far, the user's turn last
    room: int  # tokens of what is said in the answer
    # what the server itself may do for the answer; nothing, in every call that reads what strangers
    # wrote
    tools: tuple[Mapping[str, Any], ...] = ()
    effort: Effort | None = None  # how much is thought before; None for not at all


class ModelReply(Contract):
    text: str
    truncated: bool = False  # whether it ran out of room
    usage: Usage = Usage()  # what it took


def build_client_options(silence_s: float = SILENCE_S) -> dict[str, Any]:
    """Say what every client of the SDK is made with, whoever serves it: no retries of its own."""
    timeout = httpx2.Timeout(silence_s, connect=CONNECT_S)
    return {"max_retries": 0, "timeout": timeout, "open_telemetry": _SPANS}


def create_client(
    base_url: str | None = None, silence_s: float = SILENCE_S
) -> anthropic.AsyncAnthropic:
    """Make the SDK's client of a server, or of `ANTHROPIC_BASE_URL`; each call brings a key."""
    options = build_client_options(silence_s)
    return anthropic.AsyncAnthropic(api_key=SET_FOR_EACH_CALL, base_url=base_url, **options)


_KEY = re.compile(r"[!-~]+")
"""Printable and without white space: anything else cannot stand in a header."""


@dataclass(frozen=True)
class ApiKey:
    """The key of this moment."""

    fixed: str = field(default="", repr=False)
    file: Path | None = None  # holds it instead, and is read for each call: a rotated one works

    async def read(self) -> str:
        """Return what to call with."""
        name, key, why = "The API key", self.fixed.strip(), ""
        if self.file is not None:
            name = f"The API key in {self.file}"
            try:
                key = await asyncio.to_thread(read_secret_file, self.file)
            except ValueError as error:
                why = str(error)
        if not why and _KEY.fullmatch(key) is None:
            why = "it holds characters that no key has" if key else "it is empty"
        if why:
            sentence = f"{name} cannot be used: {why}."
            raise forbidden(sentence, resource="API key", provider=PROVIDER)
        return key


@dataclass(eq=False)
class ModelConnection:
    """Calls models, one process' worth of them over one client."""

    client: anthropic.AsyncAnthropic
    key: ApiKey | None  # None for a cloud, whose client finds credentials itself
    capabilities: Capabilities = ANTHROPIC
    prices: Prices = field(default_factory=Prices)
    provider: str = PROVIDER  # whose service it is, as failures name it
    # makes a cloud's client anew, which then looks for credentials anew
    create_client: Callable[[], anthropic.AsyncAnthropic] | None = None
    _of_models: dict[str, Capabilities] = field(default_factory=dict, init=False, repr=False)
    _refused: set[bytes] = field(default_factory=set, init=False, repr=False)  # digests of keys

    async def refresh(self, provider: str) -> None:
        """Look for other credentials than those that were refused; see `ports.Credentials`."""
        # Where the key was refused in another process than this one, nothing is known of it here,
        # and the call that is made again finds out.
        if provider != self.provider:
            raise forbidden(f"This worker has no credentials for {provider}.", resource=provider)
        if self.create_client is not None:
            self.client = self.create_client()
        elif _hash_key(await self._get_key()) in self._refused:
            message = f"The API key for {provider} is still the one that was refused."
            raise forbidden(message, resource=provider)

    async def open_client(self) -> anthropic.AsyncAnthropic:
        """Return the client with the key of this moment."""
        key = await self._get_key()
        return self.client if key is None else self.client.with_options(api_key=key)

    async def _get_key(self) -> str | None:
        return None if self.key is None else await self.key.read()

    async def find_capabilities(self, model: str) -> Capabilities:
        """Say what the server can do with a model: by its catalogue, where it has one."""
        if not self.capabilities.catalogue:
            return self.capabilities
        if model not in self._of_models:
            try:
                client = await self.open_client()
                told = await client.models.retrieve(model, timeout=_ASIDE_S)
                capabilities = self.capabilities.restrict_to(told)
            except (anthropic.NotFoundError, anthropic.BadRequestError, *failures.SENSELESS):
                capabilities = self.capabilities
            except failures.list_ignorable_errors():
                return self.capabilities  # the call itself says what is wrong
            self._of_models[model] = capabilities
        return self._of_models[model]

    async def call(self, call: Call, purpose: Purpose, deadline: float) -> ModelReply:
        message = await self.listen(call, purpose, deadline, [])
        texts = (block.text for block in message.content if block.type == "text")
        written = "".join(text for text in texts if isinstance(text, str))
        return ModelReply(
            # A character may arrive in halves, or half of it alone; joined or replaced it can be
            # kept.
            text=written.encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
            truncated=message.stop_reason == "max_tokens",
            usage=self.sum_usage([message], purpose),
        )

    async def listen(
        self, call: Call, purpose: Purpose, deadline: float, arrived: list[Message]
    ) -> Message:
        """Ask once; `arrived` takes the message, also where the call fails in the middle of it."""
        capabilities = await self.find_capabilities(call.model)
        length = len(call.system) + sum(len(turn.text) for turn in call.turns)
        if capabilities.longest is not None and length > max(capabilities.longest, SHORTEST):
            raise purpose.build_failure(problems.TOO_LONG)
        parameters = _build_parameters(call, capabilities)
        client = await self.open_client()
        try:
            async with asyncio.timeout_at(deadline):
                if self.capabilities.messages:
                    async with client.messages.stream(**parameters) as stream:
                        problem = await _read(stream, arrived)
                else:
                    # It says nothing until it has said all: the deadline alone bounds that.
                    patience = httpx2.Timeout(None, connect=CONNECT_S)
                    message = await completions.complete(client, parameters, patience)
                    arrived += [message] if message is not None else []
                    problem = problems.WRONG_SHAPE if message is None else None
        except failures.list_call_errors() as error:
            failed = failures.translate_error(error, purpose, self.sum_usage(arrived, purpose))
            if failed.failure.failure_type is FailureType.AUTH_ERROR and self.key is not None:
                self._refused.add(_hash_key(client.api_key))
            raise failed from None
        if problem is None:
            problem = _find_problem(arrived[0], self.capabilities, parameters["max_tokens"])
        if problem is not None:
            raise purpose.build_failure(problem, usage=self.sum_usage(arrived, purpose))
        return arrived[0]

    def sum_usage(self, messages: Sequence[Message], purpose: Purpose) -> Usage:
        return sum((compute_usage(one, purpose.model, self.prices) for one in messages), Usage())


def _hash_key(key: str | None) -> bytes:
    """Name a key by what is kept of it: none is kept for longer than its call."""
    return hashlib.sha256((key or "").encode()).digest()


def _build_parameters(call: Call, capabilities: Capabilities) -> dict[str, Any]:
    caches = capabilities.prompt_caching
    turns = [
        {"role": turn.role, "content": _build_content(turn, caches=caches)} for turn in call.turns
    ]
    room, output = call.room, dict[str, Any]()
    system = [_build_text_block(call.system, marked=caches)]
    parameters: dict[str, Any] = {"model": call.model, "messages": turns, "system": system}
    if call.schema is not None:
        output["format"] = {"type": "json_schema", "schema": dict(call.schema)}
    if call.effort is not None and capabilities.thinking:
        parameters["thinking"] = {"type": "adaptive", "display": "omitted"}
        output["effort"] = call.effort.value
        room += call.effort.room
    if output:
        parameters["output_config"] = output
    if call.tools:
        parameters["tools"] = [dict(tool) for tool in call.tools]
    parameters["max_tokens"] = min(room, capabilities.most_room or room)
    return parameters


def _build_content(turn: Turn, *, caches: bool) -> str | list[dict[str, Any]]:
    if not turn.shared or not caches:
        return turn.text
    return [
        _build_text_block(turn.shared, marked=True),
        _build_text_block(f"\n\n{turn.content}", marked=False),
    ]


def _build_text_block(text: str, *, marked: bool) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": text}
    return {**block, "cache_control": _MARK} if marked else block


async def _read(stream: AsyncMessageStream[Any], messages: list[Message]) -> ProblemKind | None:
    """Read a stream to its end; what has arrived is in `messages` even where it breaks off."""
    started = False
    try:
        async for event in stream:
            if event.type == "message_start" and not started:
                messages.append(stream.current_message_snapshot)
                started = True
    except failures.list_stream_errors():
        raise
    except failures.SENSELESS:
        return problems.WRONG_SHAPE
    if started:
        return None
    content_type = stream.response.headers.get("content-type", "")
    if content_type.startswith("text/event-stream"):
        return problems.ENDED_EARLY
    # Who answers, but never as a stream, is no such server; a proxy's page may go away again.
    is_json = content_type.startswith("application/json")
    return problems.WRONG_SHAPE if is_json else problems.NOT_THE_API


def _find_problem(message: Message, capabilities: Capabilities, room: int) -> ProblemKind | None:
    """Name what makes an answer unusable whatever it says; None where nothing does."""
    if not isinstance(message.content, list):
        return problems.WRONG_SHAPE
    if not capabilities.stop_reasons and message.stop_reason in (None, "end_turn"):
        message.stop_reason = "max_tokens" if read_tokens(message).output >= room else "end_turn"
    reason: str | None = message.stop_reason
    return None if reason in _USABLE else _ENDINGS.get(reason, problems.WRONG_SHAPE)
