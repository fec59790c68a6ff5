"""MCP servers that are sources: a TOML file names them, a table a server.

Each call of one of their tools is bounded in time and in length.
"""

import asyncio
import json
import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, cast
from urllib.parse import urlsplit

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent
from pydantic import Field, TypeAdapter, ValidationError, model_validator

from caveat.contracts.base import Contract
from caveat.failures import PortFailure, invalid, not_found, timed_out, unavailable
from caveat.rendering.mistakes import first_mistake

_UNPACKED = {"Accept-Encoding": "identity"}
"""What requests carry: of a packed answer few bytes could become many."""

LONGEST = 2_000_000
"""Characters of an answer: a thick book; what is longer is no answer but a flood."""

_ARRIVING_BYTES = 16_000_000
"""Of one answer while it arrives: the longest one in an alphabet of three bytes a character, once
as text and once as an object, with room for what JSON adds."""

_TOTAL_S = 45.0
"""Seconds for starting the server, the call and its end, within the activity's 60."""


class ServersProblem(Exception):
    """The file cannot be used; the text says why, in one sentence."""


class McpServer(Contract):
    """One server.

    Attributes:
        command: what starts it, to be spoken to over its input and output.
        url: where it is, for streamable HTTP.
        token_file: a file with what is sent there as `Authorization: Bearer`.
        search: the tool that finds, given `query`.
        fetch: the tool that brings one text, given `id`.
    """

    command: tuple[str, ...] = ()
    url: str | None = None
    token_file: Path | None = None
    search: str = Field(default="search", min_length=1)
    fetch: str = Field(default="fetch", min_length=1)

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if bool(self.command) == (self.url is not None):
            raise ValueError("it needs either a command or a url")
        if self.url is not None and urlsplit(self.url).scheme not in {"http", "https"}:
            raise ValueError("its url must begin with http:// or https://")
        if self.token_file is not None and self.url is None:
            raise ValueError("a token_file is for a server with a url")
        return self


_SERVERS = TypeAdapter(dict[str, McpServer])


def servers(file: Path) -> dict[str, McpServer]:
    """Read the servers by name.

    Raises:
        ServersProblem: the file cannot be read, or has a mistake.
    """
    try:
        with file.open("rb") as opened:
            found = _SERVERS.validate_python(tomllib.load(opened))
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise ServersProblem(
            f"{file} cannot be read ({reason}): docs/mcp.md shows what stands there."
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise ServersProblem(f"{file} is no TOML: {error}") from None
    except ValidationError as error:
        raise ServersProblem(f"{file} has a mistake: {first_mistake(error)}") from None
    return found


def bounded(most: int) -> Callable[[httpx2.Response], Awaitable[None]]:
    """Make what a client calls with each answer before it reads it.

    Args:
        most: bytes of one answer's body.
    """

    async def bound(answer: httpx2.Response) -> None:
        if answer.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
            raise httpx2.ReadError("It answers packed, unasked.", request=answer.request)
        answer.stream = _Counted(cast("httpx2.AsyncByteStream", answer.stream), most)

    return bound


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
    """A server, asked anew for each call: what one leaves in it reaches no other.

    Attributes:
        name: of the server, as the settings call it.
        server: how it is reached.
        total_s: seconds for everything.
        arriving_bytes: of one answer over HTTP.
    """

    name: str
    server: McpServer
    total_s: float = _TOTAL_S
    arriving_bytes: int = _ARRIVING_BYTES

    async def call(self, tool: str, given: dict[str, str]) -> dict[str, Any]:
        """Call a tool and return the object that it answers with.

        Raises:
            PortFailure: it does not answer, not in time, or with no such object.
        """
        try:
            async with asyncio.timeout(self.total_s), self._connected() as client:
                result = await client.call_tool(tool, given)
        except TimeoutError:
            raise timed_out(
                f"{self._subject} does not answer in time.", resource=self.name
            ) from None
        except MCPError:
            raise invalid(
                f"{self._subject} does not know the tool “{tool[:60]}”, or refuses it.",
                resource=self.name,
            ) from None
        except (OSError, httpx2.HTTPError, ExceptionGroup, RuntimeError, ValueError) as error:
            raise self._lost(error) from None
        texts = [each.text for each in result.content if isinstance(each, TextContent)]
        if result.is_error:
            # Its own words are a stranger's, and may be anything.
            raise not_found(
                f"{self._subject} answers “{tool[:60]}” with an error.", resource=self.name
            )
        return self._object(result.structured_content, texts)

    @property
    def _subject(self) -> str:
        return f"The MCP server {self.name}"

    def _object(self, structured: Any, texts: list[str]) -> dict[str, Any]:
        if sum(map(len, texts)) > LONGEST:
            raise invalid(
                f"{self._subject} answers with more than {LONGEST:,} characters.",
                resource=self.name,
            )
        if isinstance(structured, dict) and structured:
            return structured
        try:
            found = json.loads("".join(texts))
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise invalid(
                f"{self._subject} answers with something else than a JSON object.",
                resource=self.name,
            )
        return found

    def _lost(self, error: Exception) -> PortFailure:
        missing = isinstance(error, FileNotFoundError | PermissionError)
        why = "cannot be started" if missing else "cannot be reached, or broke off"
        return unavailable(f"{self._subject} {why}.", resource=self.name)

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Client]:
        if self.server.url is None:
            command, *arguments = self.server.command
            parameters = StdioServerParameters(command=command, args=arguments)
            async with Client(parameters) as client:
                yield client
            return
        async with (
            httpx2.AsyncClient(
                headers=_UNPACKED | await self._headers(),
                timeout=self.total_s,
                event_hooks={"response": [bounded(self.arriving_bytes)]},
            ) as http,
            Client(
                streamable_http_client(
                    self.server.url, http_client=http, max_sse_event_size=self.arriving_bytes
                )
            ) as client,
        ):
            yield client

    async def _headers(self) -> dict[str, str]:
        if self.server.token_file is None:
            return {}
        token = await asyncio.to_thread(self.server.token_file.read_text, "ascii")
        return {"Authorization": f"Bearer {token.strip()}"}
