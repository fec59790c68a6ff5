"""A stand-in for the Messages API: real HTTP on loopback, scripted answers and faults.

It streams as `client.messages.stream` expects, and refuses what the real API refuses as far as that
is known, so that a request which passes here is not wrong for a reason that one could have seen.
"""

import asyncio
import json
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from anthropic import transform_schema

KEY = "sk-ant-stand-in-0123456789"  # the only key that it accepts; no account has it

_FIELDS = frozenset(
    {*("model", "max_tokens", "messages", "system", "stream", "output_config", "tools"), "thinking"}
)
"""What Caveat sends; the real API has more."""
_SEARCH = {"type": "web_search_20250305", "name": "web_search", "max_uses": 1}
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_BREAKPOINTS = 4


@dataclass(frozen=True)
class Recorded:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    raw: bytes = field(default=b"", repr=False)

    @property
    def system(self) -> str:
        system = self.body.get("system", "")
        if isinstance(system, str):
            return system
        return "".join(block["text"] for block in system)

    @property
    def said(self) -> list[str]:
        """The text of every turn."""
        return [_text(turn["content"]) for turn in self.body["messages"]]

    @property
    def schema(self) -> Any:
        return self.body.get("output_config", {}).get("format", {}).get("schema")

    @property
    def effort(self) -> Any:
        return self.body.get("output_config", {}).get("effort")


@dataclass(frozen=True)
class Says:
    """An answer: text, or anything that is written as JSON."""

    content: Any
    stop_reason: str | None = "end_turn"
    usage: Mapping[str, Any] = field(
        default_factory=lambda: {"input_tokens": 100, "output_tokens": 20}
    )
    # what the server's own tools did before that, as `searched` writes it
    blocks: Sequence[Mapping[str, Any]] = ()

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else json.dumps(self.content)


def searched(
    query: str, outcome: Sequence[Mapping[str, Any]] | str, number: int = 1
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write one use of the server's web search: what it searched for, and what came of it.

    Written from the SDK's types and the vendor's public documentation, not recorded.

    Args:
        query: what the model let it search for.
        outcome: results as `page` writes them, or an error code.
        number: which search of its answer it is.
    """
    name = f"srvtoolu_stand_in_{number}"
    use = {"type": "server_tool_use", "id": name, "name": "web_search", "input": {"query": query}}
    content: Any = [dict(result) for result in outcome] if not isinstance(outcome, str) else None
    if content is None:
        content = {"type": "web_search_tool_result_error", "error_code": outcome}
    return use, {"type": "web_search_tool_result", "tool_use_id": name, "content": content}


def page(url: str, title: str = "A page", age: str | None = None) -> dict[str, Any]:
    return {
        "type": "web_search_result",
        "url": url,
        "title": title,
        "page_age": age,
        "encrypted_content": f"ENCRYPTED {url} ==",
    }


@dataclass(frozen=True)
class Fails:
    """An error status with the API's error body."""

    status: int
    type: str = "api_error"
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "PROVIDER TEXT that must not leave the adapter"


@dataclass(frozen=True)
class Serves:
    """A body as it is, with status 200."""

    body: bytes
    content_type: str = "text/event-stream"


@dataclass(frozen=True)
class Breaks:
    """The connection ends: `after` so many events of an answer; before the headers when None."""

    after: int | None = None
    of: Says = Says("Half an answer")


@dataclass(frozen=True)
class Stalls:
    """Nothing more comes, the connection stays: `after` so many events; no headers when None."""

    after: int | None = None
    of: Says = Says("Half an answer")


@dataclass(frozen=True)
class StreamError:
    """An `error` event behind the first events of an answer."""

    type: str


PING_S = 10.0  # at most, between two bytes of a stream

Scripted = Says | Fails | Serves | Breaks | Stalls | StreamError
Model = Callable[[Recorded], Scripted]


@dataclass
class StandIn:
    """The server, what it was asked, and what it will say."""

    url: str = ""  # its address
    model: Model | None = None  # answers what is not scripted
    # answers, first ones first; they come before the model's
    script: deque[Scripted] = field(default_factory=deque)
    # every request to `/v1/messages`, refused ones included
    requests: list[Recorded] = field(default_factory=list)
    # when each call was given up that stalled, seconds of the clock
    hung_up: list[float] = field(default_factory=list)
    models: frozenset[str] | None = None  # names that it knows; None for any
    structured_outputs: bool = True  # whether it takes `output_config`
    prompt_caching: bool = True  # whether it takes `cache_control`
    thinking: bool = True  # whether it takes adaptive thinking and an effort
    catalogue: bool = True  # whether it says what its models can do
    # seconds that it takes over a request before it answers
    latency: Callable[[Recorded], float] | None = None
    # seconds that a streamed answer takes from its headers to its end
    writing: Callable[[Recorded], float] | None = None
    key: str = KEY
    # answers what is no call of the Messages API; None where it is one
    beside: Callable[[Recorded], tuple[int, Any] | None] = lambda _: None

    def reset(self) -> None:
        self.__init__(url=self.url, key=self.key)  # type: ignore[misc]  # every field has its default again

    def will(self, *scripted: Scripted) -> None:
        self.script.extend(scripted)

    def answer(self, request: Recorded) -> Scripted:
        problem = self._problem(request)
        if problem is not None:
            return problem
        if self.script:
            return self.script.popleft()
        if self.model is None:
            raise AssertionError("a request came that nothing is scripted for")
        return self.model(request)

    def _problem(self, request: Recorded) -> Fails | None:
        mistake = _mistake(request) or self._missing_feature(request.body)
        if mistake is not None:
            return Fails(400, "invalid_request_error", message=mistake)
        if self.models is not None and request.body["model"] not in self.models:
            return Fails(404, "not_found_error")
        return None

    def _missing_feature(self, body: Mapping[str, Any]) -> str | None:
        output = body.get("output_config", {})
        if not self.structured_outputs and "format" in output:
            return "output_config: extra inputs are not permitted"
        if not self.thinking and ("thinking" in body or "effort" in output):
            return "thinking: extra inputs are not permitted"
        if not self.prompt_caching and "cache_control" in json.dumps(body):
            return "cache_control: extra inputs are not permitted"
        return None


@asynccontextmanager
async def stand_in(**features: Any) -> AsyncIterator[StandIn]:
    """Serve on a free port of the loopback address until the block ends."""
    api = StandIn(**features)
    open_connections: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        open_connections.add(task)
        try:
            await _serve(api, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            open_connections.discard(task)
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    api.url = f"http://{host}:{port}"
    try:
        yield api
    finally:
        server.close()
        for task in tuple(open_connections):
            task.cancel()
        await asyncio.gather(*open_connections, return_exceptions=True)
        await server.wait_closed()


async def _serve(api: StandIn, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        request = await _request(reader)
        if request is None:
            return
        read = await _read(api, request, writer)
        if read is None:
            continue
        request = read
        if api.latency is not None:
            await asyncio.sleep(api.latency(request))
        scripted = api.answer(request)
        if not await _answer(scripted, request, writer, api):
            if isinstance(scripted, Stalls):
                await reader.read()  # until whoever asked hangs up
                api.hung_up.append(time.time())
            return


async def _read(api: StandIn, request: Recorded, writer: asyncio.StreamWriter) -> Recorded | None:
    """Find out what is asked of a model; None where it is nothing, which is answered here."""
    path, _, name = request.path.split("?")[0].rpartition("/")
    other = _listed(api, name) if path == "/v1/models" else api.beside(request)
    if other is not None:
        status, said = other
        kind = {"content-type": "application/json"}
        await _send(writer, _whole(status, json.dumps(said).encode(), kind))
        return None
    api.requests.append(request)
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
    refusal = None
    if (path, name) != ("/v1", "messages"):
        refusal = Fails(404, "not_found_error")
    elif api.key not in (bearer, request.headers.get("x-api-key", "")):
        refusal = Fails(401, "authentication_error")
    if refusal is not None:
        await _send(writer, _failure(refusal))
        return None
    return request


def _listed(api: StandIn, name: str) -> tuple[int, Any]:
    """Write what Caveat reads in the catalogue of a model, in the shape of the SDK's types."""
    if not api.catalogue or (api.models is not None and name not in api.models):
        return 404, _error_body("not_found_error", None, "Not found")
    thinks = {"supported": api.thinking}
    return 200, {
        "type": "model",
        "id": name,
        "max_tokens": 128_000,
        "capabilities": {
            "effort": thinks,
            "structured_outputs": {"supported": api.structured_outputs},
            "thinking": {**thinks, "types": {"adaptive": thinks}},
        },
    }


async def _request(reader: asyncio.StreamReader) -> Recorded | None:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    _, path, _ = first.split(" ")
    headers = {}
    for line in filter(None, lines):
        name, value = line.split(":", 1)
        headers[name.strip().lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    is_json = headers.get("content-type", "").startswith("application/json")
    return Recorded(path, headers, json.loads(body) if is_json and body else {}, body)


async def _answer(
    scripted: Scripted, request: Recorded, writer: asyncio.StreamWriter, api: StandIn
) -> bool:
    """Send what is scripted; return whether the connection can be used again."""
    match scripted:
        case Fails():
            await _send(writer, _failure(scripted))
        case Serves():
            await _send(writer, _whole(200, scripted.body, {"content-type": scripted.content_type}))
        case Says():
            head, end, body = _stream(_events(scripted, request)).partition(b"\r\n\r\n")
            await _send(writer, head + end)
            if api.writing is not None:
                await _write_for(api.writing(request), writer)
            await _send(writer, body)
        case StreamError():
            begun = [*_events(Says("Half an ans"), request)][:3]
            error = _error_body(scripted.type, None, "PROVIDER TEXT")
            await _send(writer, _stream([*begun, ("error", error)]))
        case _:
            await _break_off(scripted, request, writer)
            return False
    return True


async def _break_off(
    scripted: Breaks | Stalls, request: Recorded, writer: asyncio.StreamWriter
) -> None:
    if scripted.after is not None:
        events = [*_events(scripted.of, request)][: scripted.after]
        await _send(writer, _stream(events, ended=False))


async def _write_for(seconds: float, writer: asyncio.StreamWriter) -> None:
    """Take the time of an answer's writing, in which a stream is never silent for long."""
    while seconds > 0:
        await _send(writer, _chunk(_event(("ping", {"type": "ping"}))))
        await asyncio.sleep(min(seconds, PING_S))
        seconds -= PING_S


async def _send(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()


def _failure(fails: Fails) -> bytes:
    body = json.dumps(_error_body(fails.type, fails.code, fails.message)).encode()
    own = {"content-type": "application/json", "request-id": "req_stand_in"}
    return _whole(fails.status, body, {**own, **fails.headers})


def _error_body(type_: str, code: str | None, message: str) -> dict[str, Any]:
    error: dict[str, Any] = {"type": type_, "message": message}
    if code is not None:
        error["details"] = {"error_code": code}
    return {"type": "error", "error": error}


def _whole(status: int, body: bytes, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Said", f"content-length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


_STREAMS = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    b"transfer-encoding: chunked\r\nrequest-id: req_stand_in\r\n\r\n"
)


def _stream(events: Iterable[tuple[str, Any]], ended: bool = True) -> bytes:
    return _STREAMS + b"".join(map(_chunk, map(_event, events))) + (b"0\r\n\r\n" if ended else b"")


def _event(event: tuple[str, Any]) -> bytes:
    name, data = event
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


def _chunk(chunk: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(chunk), chunk)


def _events(says: Says, request: Recorded) -> Iterator[tuple[str, Any]]:
    message: dict[str, Any] = {
        "id": "msg_stand_in",
        "type": "message",
        "role": "assistant",
        "model": request.body["model"],
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _first_usage(says),
    }
    yield "message_start", {"type": "message_start", "message": message}
    # What was thought, where that is asked for, is signed and left out.
    thought = {"type": "thinking", "thinking": "", "signature": "SIGNED ==" + "0" * 40}
    blocks = [thought, *says.blocks] if "thinking" in request.body else [*says.blocks]
    if says.text or not blocks:
        blocks.append({"type": "text", "text": says.text})
    for index, block in enumerate(blocks):
        yield from _block_events(index, block)
    end = {"stop_reason": says.stop_reason, "stop_sequence": None}
    # What searches find is counted as input, which is only known at the end.
    usage = says.usage if says.blocks else {"output_tokens": says.usage["output_tokens"]}
    yield "message_delta", {"type": "message_delta", "delta": end, "usage": dict(usage)}
    yield "message_stop", {"type": "message_stop"}


def _first_usage(says: Says) -> dict[str, Any]:
    known = {**says.usage, "input_tokens": 1} if says.blocks else says.usage
    return {**known, "output_tokens": 1, "server_tool_use": None}


def _block_events(index: int, block: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Stream a block: a text and the input of a tool arrive in pieces, everything else at once."""
    written, started, kind, size = "", dict(block), "text", 200
    if "input" in block:
        written, started["input"], kind, size = json.dumps(block["input"]), {}, "partial_json", 20
    elif block["type"] == "text":
        written, started["text"] = block["text"], ""
    start = {"type": "content_block_start", "index": index, "content_block": started}
    yield "content_block_start", start
    yield "ping", {"type": "ping"}
    name = "text_delta" if kind == "text" else "input_json_delta"
    for piece in re.findall(rf"(?s).{{1,{size}}}", written):
        delta = {"type": name, kind: piece}
        yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": index}


def _mistake(request: Recorded) -> str | None:
    """Name what the real API would not accept in a request, None when it would."""
    body = request.body
    if "anthropic-version" not in request.headers:
        return "anthropic-version: header is required"
    if unknown := set(body) - _FIELDS:
        return f"{unknown}: extra inputs are not permitted"
    if not isinstance(body.get("model"), str) or not isinstance(body.get("max_tokens"), int):
        return "model, max_tokens: field required"
    if body["max_tokens"] < 1:
        return "max_tokens: must be at least 1"
    if json.dumps(body).count('"cache_control"') > _BREAKPOINTS:
        return "a maximum of 4 blocks with cache_control may be provided"
    return (
        _mistake_in_turns(body)
        or _mistake_in_format(body)
        or _mistake_in_thinking(body)
        or _mistake_in_tools(body)
    )


def _mistake_in_thinking(body: Mapping[str, Any]) -> str | None:
    if body.get("output_config", {}).get("effort") not in (None, *_EFFORTS):
        return "output_config.effort: unknown"
    thinking = body.get("thinking")
    if thinking is None:
        return None
    if thinking["type"] != "adaptive" or set(thinking) - {"type", "display"}:
        return "thinking: adaptive thinking takes a display and nothing else"
    return None


def _mistake_in_turns(body: Mapping[str, Any]) -> str | None:
    turns = body.get("messages")
    if not turns or turns[0]["role"] != "user":
        return "messages: the first message must use the user role"
    for turn in turns:
        if turn["role"] not in ("user", "assistant"):
            return "messages: unexpected role"
        if mistake := _mistake_in_content(turn["content"]):
            return f"messages: {mistake}"
    if turns[-1]["role"] != "user":
        return "messages: Caveat begins no answer"
    return None


def _mistake_in_content(content: Any) -> str | None:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not blocks or any(not each["text"].strip() for each in blocks):
        return "text content blocks must be non-empty"
    return None


def _mistake_in_tools(body: Mapping[str, Any]) -> str | None:
    if any(tool != _SEARCH for tool in body.get("tools", ())):
        return "tools: Caveat offers one search of the web, and nothing else"
    return None


def _mistake_in_format(body: Mapping[str, Any]) -> str | None:
    format_ = body.get("output_config", {}).get("format")
    if format_ is None:
        return None
    if format_.get("type") != "json_schema" or "schema" not in format_:
        return "output_config.format: a json_schema is required"
    if transform_schema(format_["schema"]) != format_["schema"]:
        return "output_config.format.schema: the SDK turns what is not supported into prose"
    return None


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content)
