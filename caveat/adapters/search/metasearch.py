"""Public search engines without a key, by the library ddgs.

The library reads result pages as a browser would get them, under a browser's name, so that engines
may refuse it at any time and their terms may forbid it: it is there for those who choose it.
"""

import asyncio

from ddgs import DDGS
from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

from caveat.adapters.http.meanings import BUSY, DOWN, TIMEOUT, Meaning
from caveat.adapters.results import Result, build_results
from caveat.adapters.search.asking import Resources, build_failure
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask

NAME = "ddgs"
_BACKENDS = "duckduckgo,brave,mojeek,startpage"
"""Engines of their own; Wikipedia, which the library would ask too, has its own adapter."""
_PATIENCE_S = 8  # seconds for one engine; the search activity allows thirty for all
_ERRORS: tuple[tuple[type[DDGSException], Meaning], ...] = (
    (RatelimitException, (*BUSY, "wants fewer queries")),
    (TimeoutException, (*TIMEOUT, "did not answer in time")),
    # Also where nothing was found: the library does not tell a refusal from an empty page.
    (DDGSException, (*DOWN, "found nothing or was refused, which it does not tell apart")),
)
"""The first that fits counts: classes stand before those that they derive from."""


class Metasearch:
    async def search(self, task: SearchTask) -> SearchResults:
        try:
            results = await asyncio.to_thread(self._search, task)
        except DDGSException as error:
            named = next(named for kind, named in _ERRORS if isinstance(error, kind))
            raise build_failure(NAME, named) from error
        pages = (Result(str(page.get("href", "")), str(page.get("title", ""))) for page in results)
        return build_results(task.query, pages, task.limit)

    def _search(self, task: SearchTask) -> list[dict[str, object]]:
        engines = DDGS(timeout=_PATIENCE_S)
        return engines.text(task.query, max_results=task.limit, backend=_BACKENDS)


def make(_: Resources) -> Metasearch:
    """Make the engine; it needs no key."""
    return Metasearch()
