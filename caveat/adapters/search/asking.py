"""One question to a search engine's HTTP interface."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from caveat.adapters.http.client import Answer, Client, Request
from caveat.adapters.http.failures import FAULTS
from caveat.adapters.http.meanings import Meaning
from caveat.adapters.http.target import Target
from caveat.adapters.search.failures import MALFORMED, failed

_LARGEST = 4 * 1000 * 1000
"""Bytes of an answer, unpacked; two hundred results with their excerpts take a quarter of it."""


@dataclass(frozen=True)
class EngineRequest:
    """A question in an engine's own terms.

    Attributes:
        url: where it goes, without parameters.
        parameters: the query string.
        headers: what authenticates it, and whatever else the engine wants.
        content: the body of a POST as JSON; None for a GET.
        query: what was typed, where it is sent as it was typed; else empty.
    """

    url: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    content: Mapping[str, object] | None = None
    query: str = ""

    def request(self) -> Request:
        """Write it as HTTP."""
        query = f"?{urlencode(self.parameters)}" if self.parameters else ""
        target = Target.of(self.url + query)
        if self.content is None:
            return Request(target, self.headers)
        headers = {"Content-Type": "application/json", **self.headers}
        return Request(target, headers, "POST", json.dumps(self.content).encode())


@dataclass(frozen=True)
class EngineApi:
    """Asks one engine.

    Attributes:
        engine: its name, as failures say it.
        client: sends requests.
        statuses: what the engine means by HTTP statuses, where that is not what everybody means.
        patience_s: seconds for a whole answer; engines answer within this or not at all.
    """

    engine: str
    client: Client
    statuses: Mapping[int, Meaning] = field(default_factory=dict)
    patience_s: float = 10.0

    async def ask(self, question: EngineRequest) -> Answer:
        """Return an answer with a body.

        Raises:
            PortFailure: there is none.
        """
        try:
            async with asyncio.timeout(self.patience_s):
                answer = await self.client.send(question.request(), _bound)
        except FAULTS as fault:
            raise failed(self.engine, fault) from fault
        if answer.status != 200:
            raise failed(self.engine, answer, self.statuses, query=question.query)
        return answer

    def parsed(self, answer: Answer) -> dict[str, object]:
        """Return the JSON object that an answer holds.

        Raises:
            PortFailure: it holds something else.
        """
        try:
            found = json.loads(answer.body)
        except (ValueError, RecursionError) as error:
            raise failed(self.engine, MALFORMED) from error
        if not isinstance(found, dict):
            raise failed(self.engine, MALFORMED)
        return found


def _bound(head: Answer) -> int:
    return _LARGEST if head.status == 200 else 0
