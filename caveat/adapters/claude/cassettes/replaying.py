"""A transport that reaches no network: it answers what was answered before."""

import json
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import httpx2

from caveat.adapters.claude.cassettes.folder import Answered, NotRecorded, address, read

_log = logging.getLogger(__name__)


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
