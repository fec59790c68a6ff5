"""An MCP server as an engine and as a library: what it finds, and the texts that it brings.

It is asked with two tools, as connectors for research assistants have them: `search` takes a
`query` and answers `{"results": [{"id", "title", "url"}]}`, `fetch` takes an `id` and answers
`{"id", "title", "text", "url"}`. Whatever it says is text of strangers, and each call of a tool is
bounded in time and in length. A TOML file names the servers, a table a server.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, cast
from urllib.parse import quote, unquote, urlsplit

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent
from pydantic import Field, model_validator

from caveat.adapters.documents.loaded import DocumentFormat, Unreadable
from caveat.adapters.documents.readers import READERS
from caveat.atomic import read_secret_file
from caveat.contracts.base import Contract
from caveat.contracts.source import Hit, SearchResults, SourceRef
from caveat.contracts.tasks import SearchTask
from caveat.failures import PortFailure, invalid, not_found, timed_out, unavailable
from caveat.ports import MCP, Document
from caveat.rules.sources.identity import compute_source_id

_UNPACKED = {"Accept-Encoding": "identity"}
"""What requests carry: of a packed answer few bytes could become many."""

LONGEST = 2_000_000
"""Characters of a text: a thick book; what is longer is no answer but a flood."""

_ARRIVING_BYTES = 16_000_000
"""Of one answer while it arrives: the longest one in an alphabet of three bytes a character, once
as text and once as an object, with room for what JSON adds."""

_TOTAL_S = 45.0  # seconds for starting the server, the call and its end, within the activity's 60


class McpServer(Contract):
    """One server."""

    command: tuple[str, ...] = ()  # what starts it, to be spoken to over its input and output
    url: str | None = None  # where it is, for streamable HTTP
    token_file: Path | None = None  # a file with what is sent there as `Authorization: Bearer`
    search: str = Field(default="search", min_length=1)
    fetch: str = Field(default="fetch", min_length=1)  # the tool that brings one text, given `id`

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if bool(self.command) == (self.url is not None):
            raise ValueError("it needs either a command or a url")
        if self.url is not None and urlsplit(self.url).scheme not in {"http", "https"}:
            raise ValueError("its url must begin with http:// or https://")
        if self.token_file is not None and self.url is None:
            raise ValueError("a token_file is for a server with a url")
        return self


def build_body_limit(most: int) -> Callable[[httpx2.Response], Awaitable[None]]:
    """Make what a client calls with each answer before it reads it.

    Args:
        most: bytes of one answer's body.
    """

    async def limit_body(answer: httpx2.Response) -> None:
        if answer.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
            raise httpx2.ReadError("It answers packed, unasked.", request=answer.request)
        answer.stream = _Counted(cast("httpx2.AsyncByteStream", answer.stream), most)

    return limit_body


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, most: int) -> None:
        self._inner = inner
        self._left = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._inner:
            self._left -= len(part)
            if self._left < 0:
                raise httpx2.ReadError("It answers with more than an answer may have.")
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


@dataclass(frozen=True)
class Asking:
    """A server, asked anew for each call: what one leaves in it reaches no other."""

    name: str  # of the server, as the settings call it
    server: McpServer  # how it is reached
    total_s: float = _TOTAL_S  # seconds for everything
    arriving_bytes: int = _ARRIVING_BYTES

    async def call(self, tool: str, arguments: dict[str, str]) -> dict[str, Any]:
        try:
            async with asyncio.timeout(self.total_s), self._open_client() as client:
                result = await client.call_tool(tool, arguments)
        except TimeoutError:
            raise self.fail(timed_out, "does not answer in time") from None
        except MCPError:
            why = f"does not know the tool “{tool[:60]}”, or refuses it"
            raise self.fail(invalid, why) from None
        except (OSError, httpx2.HTTPError, ExceptionGroup, RuntimeError, ValueError) as error:
            missing = isinstance(error, FileNotFoundError | PermissionError)
            why = "cannot be started" if missing else "cannot be reached, or broke off"
            raise self.fail(unavailable, why) from None
        texts = [each.text for each in result.content if isinstance(each, TextContent)]
        if result.is_error:
            # Its own words are a stranger's, and may be anything.
            raise self.fail(not_found, f"answers “{tool[:60]}” with an error")
        if isinstance(result.structured_content, dict) and result.structured_content:
            return result.structured_content
        try:
            parsed = json.loads("".join(texts))
        except (ValueError, RecursionError):
            parsed = None
        if not isinstance(parsed, dict):
            raise self.fail(invalid, "answers with something other than a JSON object")
        return parsed

    def fail(self, build: Callable[..., PortFailure], why: str) -> PortFailure:
        return build(f"The MCP server {self.name} {why}.", resource=self.name)

    @asynccontextmanager
    async def _open_client(self) -> AsyncIterator[Client]:
        if self.server.url is None:
            command, *arguments = self.server.command
            parameters = StdioServerParameters(command=command, args=arguments)
            async with Client(parameters) as client:
                yield client
            return
        headers = dict(_UNPACKED)
        if self.server.token_file is not None:
            token = await asyncio.to_thread(read_secret_file, self.server.token_file)
            headers["Authorization"] = f"Bearer {token}"
        async with (
            httpx2.AsyncClient(
                headers=headers,
                timeout=self.total_s,
                event_hooks={"response": [build_body_limit(self.arriving_bytes)]},
            ) as http,
            Client(
                streamable_http_client(
                    self.server.url, http_client=http, max_sse_event_size=self.arriving_bytes
                )
            ) as client,
        ):
            yield client


_TITLE = 300  # characters of a title, as of other engines' results
_ID = 500  # characters of an id; one that is longer carries data rather than naming a text


@dataclass(frozen=True)
class McpSearch:
    asking: Asking

    async def search(self, task: SearchTask) -> SearchResults:
        answer = await self.asking.call(self.asking.server.search, {"query": task.query})
        results = answer.get("results")
        if not isinstance(results, list):
            raise self.asking.fail(invalid, "answers a search without results")
        listed = (_build_source(self.asking.name, each) for each in results[: 10 * task.limit])
        sources = {source.id: source for source in listed if source is not None}
        best = list(sources.values())[: task.limit]
        return SearchResults(query=task.query, hits=tuple(Hit(source=each) for each in best))


@dataclass(frozen=True)
class McpTexts:
    """Reads from servers what they have found."""

    askings: Mapping[str, Asking]

    async def read(self, source: SourceRef) -> Document:
        parts = urlsplit(source.url or "")
        asking = self.askings.get(parts.netloc)
        if asking is None:
            raise invalid(
                f"There is no MCP server “{parts.netloc[:40]}” any more.", resource=source.id
            )
        wanted = {"id": unquote(parts.path.removeprefix("/"))}
        answer = await asking.call(asking.server.fetch, wanted)
        text = answer.get("text")
        if not isinstance(text, str) or not text.strip():
            raise invalid(f"“{source.title}” has no text.", resource=source.id)
        if len(text) > LONGEST:
            raise invalid(f"“{source.title}” is too long to be read.", resource=source.id)
        # Half a surrogate pair can be decoded but not kept.
        whole = text.encode(errors="replace").replace(b"\0", b" ")
        try:
            loaded = await asyncio.wrap_future(READERS.submit(DocumentFormat.PLAIN, whole))
        except Unreadable as refusal:
            raise invalid(f"“{source.title}” {refusal}.", resource=source.id) from refusal
        # What a text says of its own kind and date counts for nothing: anybody can write that.
        return Document(source, loaded.snapshot)


def _build_source(server: str, result: object) -> SourceRef | None:
    # Its own word on where it was published is shown in its title and is not its address: a server
    # could borrow the standing of any publisher.
    if not isinstance(result, dict):
        return None
    name, title, url = (result.get(key) for key in ("id", "title", "url"))
    if not isinstance(name, str | int) or not 0 < len(str(name)) <= _ID:
        return None
    address = f"{MCP}://{server}/{quote(str(name), safe='')}"
    shown = " ".join(title.split())[:_TITLE] if isinstance(title, str) else ""
    if isinstance(url, str) and url.strip() and url.isprintable():
        shown = f"{shown or name} ({url.strip()[:_TITLE]})"
    return SourceRef(id=compute_source_id(address), title=shown or str(name), url=address)
