"""A process that receives what models answer, started with `-P -m` and the name of this module.

An answer is paid for once its last byte is sent, and a worker that is killed just then has not read
it yet. This process sends the requests in its place, outlives it, and keeps what nobody took.
"""

import asyncio
import hashlib
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from caveat import atomic

_LINE = 1024 * 1024  # bytes of what is told before a body: status and headers
_TAKEN = b"."  # from whoever has an answer, or wants it no more; one that is killed says nothing
_LONGEST_S = 1_800.0  # seconds of an answer that nobody waits for any more
_NOTICED_S = 1.0  # seconds after which the end of a killed worker is surely known
_LIMITS = httpx2.Limits(max_connections=1_000, max_keepalive_connections=100)  # as the SDK's


def _locate(folder: Path, url: str, body: bytes) -> Path:
    """Name where the answer to a request is kept."""
    name = hashlib.sha256(url.encode() + b"\n" + body).hexdigest()
    return folder / name[:2] / f"{name}.received"


def _format(told: dict[str, Any], content: bytes = b"") -> bytes:
    return json.dumps(told | {"size": len(content)}).encode() + b"\n" + content


def _list_headers(headers: httpx2.Headers) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers.raw]


def _build_headers(told: list[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in told]


def _build_response(told: dict[str, Any], stream: httpx2.AsyncByteStream) -> httpx2.Response:
    return httpx2.Response(told["status"], headers=_build_headers(told["headers"]), stream=stream)


@dataclass
class Receiver(httpx2.AsyncBaseTransport):
    """Has requests sent by a process of its own, which starts with the first one."""

    folder: Path  # where that process keeps what nobody took
    _process: subprocess.Popen[bytes] | None = None
    _line: socket.socket | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer by what was received for a killed worker, or have the request sent."""
        body = await request.aread()
        place = _locate(self.folder, str(request.url), body)
        with suppress(OSError):
            head, _, content = place.read_bytes().partition(b"\n")
            return _build_response(json.loads(head), _Kept(content, place))
        asked = {
            "method": request.method,
            "url": str(request.url),
            "headers": _list_headers(request.headers),
            "timeout": request.extensions.get("timeout", {}),
        }
        answer = _Answer(*await self._connect())
        try:
            answer.writer.write(_format(asked, body))
            told, _ = await answer.receive()
        except BaseException:
            await answer.aclose()
            raise
        return _build_response(told, answer)

    async def aclose(self) -> None:
        """End the process: who closes has its answers, or wants them no more."""
        if self._line is not None and self._process is not None:
            self._line.close()
            self._process.terminate()
            await asyncio.to_thread(self._process.wait)
            self._line = self._process = None

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        mine, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._start(), [_TAKEN], [theirs.fileno()])
        except OSError as error:
            mine.close()
            raise httpx2.ConnectError(f"No process can be asked to send this: {error}") from error
        return await asyncio.open_connection(sock=mine, limit=_LINE)

    def _start(self) -> socket.socket:
        if self._line is None or self._process is None or self._process.poll() is not None:
            self._line, other = socket.socketpair()
            with other:
                words = ("-P", "-m", __name__, str(other.fileno()), str(self.folder))
                self._process = subprocess.Popen(  # noqa: S603  # this very module
                    [sys.executable, *words],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,  # who reads the worker's would wait for this one too
                    pass_fds=[other.fileno()],
                    process_group=0,  # Ctrl-C is for the worker, which says what it wants no more
                )
        return self._line


@dataclass
class _Kept(httpx2.AsyncByteStream):
    """An answer that was received before; it is removed once it is read."""

    content: bytes
    place: Path

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self.content

    async def aclose(self) -> None:
        self.place.unlink(missing_ok=True)


@dataclass
class _Answer(httpx2.AsyncByteStream):
    """An answer as the process receives it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def receive(self) -> tuple[dict[str, Any], bytes]:
        """Take what comes next; raises what the process could not do."""
        try:
            told: dict[str, Any] = json.loads(await self.reader.readline())
            content = await self.reader.readexactly(told["size"])
        except (OSError, EOFError, ValueError) as error:
            raise httpx2.ReadError("The process that receives answers has ended.") from error
        if "error" in told:
            raise getattr(httpx2, told["error"], httpx2.TransportError)(told["said"])
        return told, content

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while piece := (await self.receive())[1]:
            yield piece

    async def aclose(self) -> None:
        if not self.writer.is_closing():
            self.writer.write(_TAKEN)
            self.writer.close()


@dataclass
class _Receiving:
    """The process: requests of one worker, and what becomes of them."""

    client: httpx2.AsyncClient
    folder: Path
    calls: set[asyncio.Task[None]] = field(default_factory=set)
    orphaned: asyncio.Event = field(default_factory=asyncio.Event)  # whether the worker is gone

    async def serve(self, line: socket.socket) -> None:
        """Send requests until the worker is gone, and receive what is on its way then."""
        while descriptors := (await asyncio.to_thread(socket.recv_fds, line, 1, 1))[1]:
            call = asyncio.create_task(self._call(socket.socket(fileno=descriptors[0])))
            self.calls.add(call)
            call.add_done_callback(self.calls.discard)
        self.orphaned.set()
        await asyncio.gather(*self.calls, return_exceptions=True)

    async def _call(self, taken: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=taken, limit=_LINE)
        asked = json.loads(await reader.readline())
        body = await reader.readexactly(asked["size"])
        ended = asyncio.create_task(_hear_end(reader))
        exchange = asyncio.create_task(self._exchange(asked, body, writer))
        await asyncio.wait({ended, exchange}, return_when=asyncio.FIRST_COMPLETED)
        # Who stops reading amid an answer ends like one that is killed, but keeps its line.
        if ended.done() and (ended.result() or not await self._is_orphaned()):
            exchange.cancel()
        try:
            whole = await exchange
            if whole is not None and not await ended and await self._is_orphaned():
                atomic.write(_locate(self.folder, asked["url"], body), whole)
        finally:
            writer.close()

    async def _is_orphaned(self) -> bool:
        with suppress(TimeoutError):
            await asyncio.wait_for(self.orphaned.wait(), _NOTICED_S)
        return self.orphaned.is_set()

    async def _exchange(
        self, asked: dict[str, Any], body: bytes, writer: asyncio.StreamWriter
    ) -> bytes | None:
        """Send a request and pass its answer on; return that if it is whole and paid for."""
        received = bytearray()

        def tell(told: dict[str, Any], content: bytes = b"") -> None:
            if not writer.is_closing():
                writer.write(_format(told, content))

        limits = {"timeout": asked["timeout"]}
        headers = _build_headers(asked["headers"])
        request = httpx2.Request(
            asked["method"], asked["url"], headers=headers, content=body, extensions=limits
        )
        try:
            async with asyncio.timeout(_LONGEST_S):
                response = await self.client.send(request, stream=True)
                head = {"status": response.status_code, "headers": _list_headers(response.headers)}
                tell(head)
                async for piece in response.aiter_raw():
                    received += piece
                    tell({}, piece)
                await response.aclose()
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as error:
            tell({"error": type(error).__name__, "said": str(error)})
            return None
        tell({})
        return _format(head, bytes(received)) if response.is_success and body else None


async def _hear_end(reader: asyncio.StreamReader) -> bytes:
    """Wait until whoever asked says that they have an answer; nothing of one that was killed."""
    with suppress(OSError):  # killed before it had read all
        return await reader.read(1)
    return b""


async def _main(descriptor: str, folder: str) -> None:
    async with httpx2.AsyncClient(timeout=None, limits=_LIMITS) as client:
        with socket.socket(fileno=int(descriptor)) as line:
            await _Receiving(client, Path(folder)).serve(line)


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
