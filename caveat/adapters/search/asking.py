"""How search engines are asked: by name, in which words, and what goes wrong."""

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlencode

from caveat.adapters.http.client import Client, HttpAnswer, Request
from caveat.adapters.http.failures import FAULTS, Fault, build_http_failure, find_meaning
from caveat.adapters.http.meanings import CLOSED, DOWN, UNFIT, Meaning
from caveat.adapters.http.target import Target
from caveat.adapters.results import find_objects
from caveat.atomic import read_secret_file
from caveat.failures import PortFailure
from caveat.rules.sources.elsewhere import suggest_query

_LONGEST_WAIT_S = 600.0
"""Seconds that a search waits for an engine at most. Without sources there is no report, so this is
longer than for a page, but a run does not wait for tomorrow's quota."""

_MISUNDERSTOOD: Meaning = (*UNFIT, "does not understand the query")
_TOO_LONG: Meaning = (*UNFIT, "finds the query too long")
"""What other words may help against, and nothing else."""

MALFORMED: Meaning = (*DOWN, "sends answers that cannot be understood")
"""A proxy's error page rather than a change of format is what this is most often."""

_STATUSES: dict[int, Meaning] = {
    2: MALFORMED,
    400: _MISUNDERSTOOD,
    401: (*CLOSED, "does not accept the key"),
    414: _TOO_LONG,
    422: _MISUNDERSTOOD,
}
"""What every engine means by these."""

_NO_STATUSES: Mapping[int, Meaning] = {}
_NONE: Mapping[str, str] = {}

_LARGEST = 4 * 1000 * 1000
"""Bytes of an answer, unpacked; two hundred results with their excerpts take a quarter of it."""


def build_failure(
    engine: str,
    ended: HttpAnswer | Fault | Meaning,
    statuses: Mapping[int, Meaning] = _NO_STATUSES,
    *,
    query: str = "",
    retry_after: str = "",
) -> PortFailure:
    """Translate what stopped a search.

    Args:
        ended: an answer without success, an error, or its meaning.
        statuses: the engine's own meanings of statuses.
        query: as typed; empty if the engine was given other words.
        retry_after: the header, if `ended` is a meaning.
    """
    known = {**_STATUSES, **statuses}
    words = (
        suggest_query(query) if find_meaning(ended, known) in {_MISUNDERSTOOD, _TOO_LONG} else ()
    )
    return build_http_failure(
        ended,
        subject=f"The search engine {engine}",
        resource=engine,
        provider=engine,
        longest_wait_s=_LONGEST_WAIT_S,
        statuses=known,
        retry_after=retry_after,
        alternatives=words,
    )


def read_setting(name: str) -> str | None:
    """Return an environment variable, or the content of the file that `NAME_FILE` names."""
    # Read anew each time, so that a key that was changed in its file works at once.
    value = os.environ.get(name, "").strip()
    file = os.environ.get(f"{name}_FILE", "").strip()
    if value or not file:
        return value or None
    try:
        return read_secret_file(Path(file))
    except ValueError:
        return None


_PATIENCE_S = 10.0  # for a whole answer; engines answer within this or not at all


@dataclass(frozen=True)
class HttpEngine:
    """What all engines have in common that are asked over HTTP."""

    name: ClassVar[str]
    # what the engine means by HTTP statuses, where that is not what everybody means
    statuses: ClassVar[Mapping[int, Meaning]] = {}
    client: Client  # sends requests within the bounds that all of Caveat's keep
    base: str = ""  # where it is asked
    # returns a setting or a secret by its name, or None. It is asked at every search, so that new
    # credentials count at once.
    setting: Callable[[str], str | None] = field(default=read_setting, repr=False)

    def require_key(self, name: str) -> str:
        key = self.setting(name)
        if not key or not (key.isascii() and key.isprintable() and " " not in key):
            raise build_failure(
                self.name, (*CLOSED, f"has no key here: {name} is not set or is empty")
            )
        return key

    async def ask(
        self,
        url: str,
        parameters: Mapping[str, str] = _NONE,
        headers: Mapping[str, str] = _NONE,
        *,
        content: Mapping[str, object] | None = None,
        query: str = "",
    ) -> HttpAnswer:
        """Ask the engine.

        Args:
            url: where it goes, without parameters.
            content: the body of a POST as JSON; None for a GET.
            query: what was typed, where it is sent as it was typed; else empty.
        """
        target = Target.from_url(f"{url}?{urlencode(parameters)}" if parameters else url)
        request = Request(target, headers)
        if content is not None:
            headers = {"Content-Type": "application/json", **headers}
            request = Request(target, headers, "POST", json.dumps(content).encode())
        try:
            async with asyncio.timeout(_PATIENCE_S):
                answer = await self.client.send(
                    request, lambda head: _LARGEST if head.status == 200 else 0
                )
        except FAULTS as fault:
            raise build_failure(self.name, fault) from fault
        if answer.status != 200:
            raise build_failure(self.name, answer, self.statuses, query=query)
        return answer

    def parse_json(self, answer: HttpAnswer) -> dict[str, object]:
        try:
            parsed = json.loads(answer.body)
        except (ValueError, RecursionError) as error:
            raise build_failure(self.name, MALFORMED) from error
        if not isinstance(parsed, dict):
            raise build_failure(self.name, MALFORMED)
        return parsed

    def require_results(self, answer: Mapping[str, object]) -> list[dict[str, object]]:
        """Return what an answer lists as its `results`, which every answer must have."""
        if not isinstance(answer.get("results"), list):
            raise build_failure(self.name, MALFORMED)
        return list(find_objects(answer, "results"))


SHIPPED = {
    "arxiv": "caveat.adapters.search.arxiv:Arxiv",
    "brave": "caveat.adapters.search.web:Brave",
    "openalex": "caveat.adapters.search.openalex:OpenAlex",
    "searxng": "caveat.adapters.search.web:SearXng",
    "tavily": "caveat.adapters.search.web:Tavily",
    "wikipedia": "caveat.adapters.search.wikipedia:Wikipedia",
}
