"""One POST and the head of its answer.

Written on asyncio's streams, the standard library's: no HTTP client is among the runtime
dependencies, and `http.client` in a thread bounds each read but not the exchange, so that an
answer that drips outlives every limit, and its thread outlives the attempt.
"""

import asyncio
import io
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException, parse_headers

from caveat.adapters.notify.endpoint import Endpoint

_HEAD_END = b"\r\n\r\n"
_LONGEST_HEAD = 16 * 1024
"""Bytes of status line and headers; common servers send and accept 8 KiB."""
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?\r\n")


@dataclass(frozen=True)
class Limits:
    """How long a receiver may take.

    Attributes:
        connect_s: seconds for name, connection and TLS; a receiver that is up takes milliseconds.
        total_s: seconds for everything, well within the activity's 30.
    """

    connect_s: float = 5.0
    total_s: float = 10.0


@dataclass(frozen=True)
class Answer:
    """What a receiver says.

    Attributes:
        status: HTTP status code.
        retry_after: the header `Retry-After`, as it stands.
    """

    status: int
    retry_after: str | None


class NotHttp(Exception):
    """The receiver answers with something other than HTTP/1."""


async def post(
    endpoint: Endpoint, headers: Mapping[str, str], body: bytes, limits: Limits
) -> Answer:
    """Send one POST; redirects are not followed, proxies of the environment not used.

    Raises:
        TimeoutError: a limit has passed.
        OSError: no connection, no TLS, or the connection broke.
        asyncio.IncompleteReadError: the receiver closed the connection before it answered.
        NotHttp: the answer cannot be understood.
    """
    async with asyncio.timeout(limits.total_s):
        reader, writer = await _connected(endpoint, limits.connect_s)
        try:
            writer.write(_request(endpoint, headers, body))
            await writer.drain()
            return await _answer(reader)
        finally:
            # The status says everything, so no byte of the answer's body is waited for.
            writer.transport.abort()


async def _connected(
    endpoint: Endpoint, seconds: float
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    context = ssl.create_default_context() if endpoint.scheme == "https" else None
    async with asyncio.timeout(seconds):
        return await asyncio.open_connection(
            endpoint.host, endpoint.port, ssl=context, limit=_LONGEST_HEAD
        )


def _request(endpoint: Endpoint, headers: Mapping[str, str], body: bytes) -> bytes:
    fields = {
        "Host": endpoint.authority,
        "User-Agent": "caveat",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **headers,
    }
    lines = [
        f"POST {endpoint.target} HTTP/1.1",
        *(f"{name}: {value}" for name, value in fields.items()),
    ]
    return "\r\n".join(lines).encode("ascii") + _HEAD_END + body


async def _answer(reader: asyncio.StreamReader) -> Answer:
    while True:
        try:
            head = await reader.readuntil(_HEAD_END)
            answer = _parsed(head)
        except (asyncio.LimitOverrunError, HTTPException) as error:
            raise NotHttp from error
        if answer.status >= 200:  # those below announce an answer and are none
            return answer


def _parsed(head: bytes) -> Answer:
    line = _STATUS_LINE.match(head)
    if line is None:
        raise NotHttp
    headers = parse_headers(io.BytesIO(head[line.end() :]))
    return Answer(status=int(line.group(1)), retry_after=headers.get("Retry-After"))
