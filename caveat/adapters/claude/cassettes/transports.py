"""What the SDK's client sends its requests through: it records what passes, or replays it."""

import asyncio
import base64
import datetime as dt
import json
import logging
import re
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote

import anthropic
import httpx2

from caveat.adapters.claude.cassettes.folder import (
    Answered,
    Asked,
    Exchange,
    Folder,
    Manifest,
    NotRecorded,
    OtherCassette,
    address,
    read,
)

_log = logging.getLogger(__name__)

_STAND_IN = "stand_in"
"""What the request ids of this project's stand-in hold; a cassette of it says so by itself."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""Line feeds alone: what else Unicode takes for a line's end is a model's own text."""

_UNPACKED = ("content-encoding", "content-length", "transfer-encoding")
"""Headers that say how a body was packed: it is passed on, and kept, as text."""

SCRUBBED = "scrubbed"
"""Stands where something was taken out."""

_SHORTEST = 12
"""Characters from which a value is looked for in texts. A key has about a hundred; the words that
local servers accept as one ("ollama") are no secrets, and stand in texts for other reasons."""

_KEYS = re.compile(r"sk-ant-[\w-]{8,}")
"""Anything in the form of Anthropic's keys, whoever's it is."""

_CREDENTIALS = ("x-api-key", "authorization", "proxy-authorization")
_CUSTOMER = ("anthropic-organization-id", "anthropic-workspace-id")
_MARKS = ("request-id", "x-request-id", "cf-ray", *_CUSTOMER)

_ACTED_UPON = ("content-type", "retry-after", "retry-after-ms", "x-should-retry")
"""Headers of responses that a client acts upon. What is left of a rate limit is not among them: it
was true when it was recorded, and tells how large a customer is."""


class Recording(httpx2.AsyncBaseTransport):
    """Passes requests on, and keeps each exchange that came to its end.

    What broke off is not kept: it holds no answer, and whoever replays is spared the accident. A
    folder that can no longer be written costs the cassette and not the answer: it is logged.

    Args:
        transport: to the server.
        folder: of the cassette; exchanges are added to those that it holds.

    Raises:
        PortFailure: the folder holds something else than a cassette, or cannot be written.
    """

    def __init__(self, transport: httpx2.AsyncBaseTransport, folder: Path) -> None:
        self._transport = transport
        self._folder = Folder(folder)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request.

        Raises:
            OtherCassette: the cassette holds what another server said.
        """
        asked = await request.aread()
        host = request.url.netloc.decode("ascii")
        if self._folder.host not in (None, host):
            raise OtherCassette(f"The cassette was recorded from {self._folder.host}.")
        answer = await self._transport.handle_async_request(request)
        headers = [pair for pair in answer.headers.multi_items() if pair[0] not in _UNPACKED]
        tape = _Tape(self._folder, request, asked, answer)
        return httpx2.Response(
            answer.status_code, headers=headers, stream=tape, extensions=answer.extensions
        )

    async def aclose(self) -> None:
        """Close the transport to the server."""
        await self._transport.aclose()


class _Tape(httpx2.AsyncByteStream):
    """The body of an answer, which is kept once it is whole."""

    def __init__(
        self, folder: Folder, request: httpx2.Request, asked: bytes, answer: httpx2.Response
    ) -> None:
        self._folder = folder
        self._request = request
        self._asked = asked
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces: list[bytes] = []
        async for piece in self._answer.aiter_bytes():
            pieces.append(piece)
            yield piece
        await asyncio.to_thread(self._keep, b"".join(pieces))

    async def aclose(self) -> None:
        await self._answer.aclose()

    def _keep(self, body: bytes) -> None:
        try:
            self._folder.keep(self._exchange(body), self._manifest())
        except OSError as error:
            _log.warning("An exchange cannot be recorded (%s)", error.strerror or "OSError")

    def _exchange(self, body: bytes) -> Exchange:
        request = self._request
        asked = json.loads(self._asked or b"null")
        secret = _secrets(request.headers, self._answer.headers)
        said = scrubbed(body.decode("utf-8", "replace"), secret)
        return Exchange(
            address=address(request.method, request.url.path, asked),
            request=Asked(
                method=request.method,
                path=request.url.path,
                body=json.loads(scrubbed(json.dumps(asked), secret)),
            ),
            response=Answered(
                status=self._answer.status_code,
                headers=_headers_of(self._answer.headers),
                body=tuple(_LINE.findall(said)),
            ),
        )

    def _manifest(self) -> Manifest:
        return Manifest(
            recorded_from=self._request.url.netloc.decode("ascii"),
            recorded_at=dt.datetime.now(dt.UTC),
            sdk=anthropic.__version__,
            stand_in=_STAND_IN in self._answer.headers.get("request-id", ""),
        )


def _secrets(request: Mapping[str, str], response: Mapping[str, str]) -> tuple[str, ...]:
    """Gather what the headers of an exchange hold that its bodies must not."""
    # The scheme of an authorization is no part of the key.
    values = [request[name].split()[-1] for name in _CREDENTIALS if request.get(name, "").strip()]
    values += [response[name] for name in _MARKS if name in response]
    return tuple(dict.fromkeys(value for value in values if len(value) >= _SHORTEST))


def scrubbed(text: str, secret: Iterable[str]) -> str:
    """Take secrets out of a text, also as JSON, URLs and base64 write them."""
    forms = {form for value in secret for form in _forms(value)}
    # Longer ones first: one may begin with another.
    for form in sorted(forms, key=len, reverse=True):
        text = text.replace(form, SCRUBBED)
    return _KEYS.sub(SCRUBBED, text)


def _headers_of(response: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that matter."""
    return {name: response[name] for name in _ACTED_UPON if name in response}


def _forms(value: str) -> Iterable[str]:
    yield value
    yield json.dumps(value)[1:-1]
    yield quote(value, safe="")
    yield from _in_base64(value.encode())


def _in_base64(value: bytes) -> Iterable[str]:
    """Write a value as it looks inside of base64, wherever it begins in a group of three bytes."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + value).decode()
        # Six bits a character: those that a neighbour has a part in are not the value's alone.
        begin, end = -(-before * 8 // 6), (before + len(value)) * 8 // 6
        yield encoded[begin:end]
        yield encoded[begin:end].replace("+", "-").replace("/", "_")


class Replaying(httpx2.AsyncBaseTransport):
    """Answers each request as its like was answered when the cassette was recorded.

    A request that was recorded several times has its answers in the order in which they came, and
    the last one for ever after, whatever becomes of the run in between.

    Args:
        folder: of the cassette.

    Raises:
        PortFailure: it is none, it is damaged, or of a version that is not known here.
    """

    def __init__(self, folder: Path) -> None:
        self.manifest, exchanges = read(folder)
        self._answers: dict[str, deque[Answered]] = {}
        for exchange in exchanges:
            self._answers.setdefault(exchange.address, deque()).append(exchange.response)
        _log.info(
            "Answers come from a cassette that was recorded from %s%s on %s",
            self.manifest.recorded_from,
            ", a stand-in and no model," if self.manifest.stand_in else "",
            self.manifest.recorded_at.date(),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer a request.

        Raises:
            NotRecorded: the cassette holds no answer to it.
        """
        asked = json.loads(await request.aread() or b"null")
        answers = self._answers.get(address(request.method, request.url.path, asked))
        if answers is None:
            raise NotRecorded("The cassette holds no answer to this call.")
        answer = answers.popleft() if len(answers) > 1 else answers[0]
        return httpx2.Response(answer.status, headers=answer.headers, stream=_Events(answer.body))


class _Events(httpx2.AsyncByteStream):
    """A body, an event of its stream at a time."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines

    async def __aiter__(self) -> AsyncIterator[bytes]:
        event: list[str] = []
        for line in self._lines:
            event.append(line)
            if line == "\n":
                yield "".join(event).encode()
                event = []
        if event:
            yield "".join(event).encode()


class Mode(StrEnum):
    """What is done with a cassette."""

    RECORD = "record"
    REPLAY = "replay"


@dataclass(frozen=True)
class Cassette:
    """A cassette, and what is done with it."""

    mode: Mode
    folder: Path

    def transport(self) -> httpx2.AsyncBaseTransport:
        """Make what the SDK's client sends its requests through; see `connection.sdk`.

        Raises:
            PortFailure: the folder is no cassette that this can be done with.
        """
        match self.mode:
            case Mode.RECORD:
                return Recording(httpx2.AsyncHTTPTransport(), self.folder)
            case Mode.REPLAY:
                return Replaying(self.folder)


def cassette_of(text: str) -> Cassette:
    """Read `record:FOLDER` or `replay:FOLDER`.

    Raises:
        ValueError: it is neither; the message is the end of a sentence that names the setting.
    """
    mode, _, folder = text.partition(":")
    if mode not in set(Mode) or not folder.strip():
        raise ValueError("write record:FOLDER or replay:FOLDER")
    return Cassette(Mode(mode), Path(folder.strip()).expanduser().absolute())
