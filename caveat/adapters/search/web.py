"""The whole web, by the JSON APIs of search engines: Brave, Tavily, and a SearXNG of one's own."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from caveat.adapters.http.meanings import CLOSED, DOWN, UNFIT, WITHHELD, Meaning
from caveat.adapters.results import Result, build_results, find_objects, find_text
from caveat.adapters.search.asking import MALFORMED, HttpEngine, build_failure
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask


def _build_results(
    task: SearchTask, pages: Iterable[dict[str, object]], published: str
) -> SearchResults:
    """Write pages as sources; their day stands in a field of this name."""
    results = (
        Result(find_text(page, "url"), find_text(page, "title"), find_text(page, published))
        for page in pages
    )
    return build_results(task.query, results, task.limit)


_BRAVE_MOST = 20  # `count`
_BRAVE_LONGEST, _BRAVE_WORDS = 400, 50  # characters and words of a query


@dataclass(frozen=True)
class Brave(HttpEngine):
    # See api-dashboard.search.brave.com/app/documentation/web-search.

    name = "brave"
    # SUBSCRIPTION_TOKEN_INVALID; queries are cut to fit.
    statuses: ClassVar[Mapping[int, Meaning]] = {422: (*CLOSED, "does not accept the key")}
    base: str = "https://api.search.brave.com"

    async def search(self, task: SearchTask) -> SearchResults:
        answer = await self.ask(
            f"{self.base}/res/v1/web/search",
            {
                "q": " ".join(task.query.split()[:_BRAVE_WORDS])[:_BRAVE_LONGEST],
                "count": str(min(task.limit, _BRAVE_MOST)),
                "result_filter": "web",
                "text_decorations": "false",
            },
            {"X-Subscription-Token": self.require_key("BRAVE_API_KEY")},
            query=task.query,
        )
        parsed = self.parse_json(answer)
        if parsed.get("type") != "search":
            raise build_failure(self.name, MALFORMED)
        # Without results the answer has no `web` at all.
        return _build_results(task, find_objects(parsed, "web", "results"), "page_age")


_TAVILY_MOST = 20  # `max_results`
_TAVILY_LONGEST = 400  # characters of a query


@dataclass(frozen=True)
class Tavily(HttpEngine):
    # See docs.tavily.com/documentation/api-reference/endpoint/search.

    name = "tavily"
    statuses: ClassVar[Mapping[int, Meaning]] = {
        432: (*WITHHELD, "has used up the plan’s searches"),
        433: (*WITHHELD, "has reached the limit of what may be spent"),
    }
    base: str = "https://api.tavily.com"

    async def search(self, task: SearchTask) -> SearchResults:
        answer = await self.ask(
            f"{self.base}/search",
            headers={"Authorization": f"Bearer {self.require_key('TAVILY_API_KEY')}"},
            content={
                "query": task.query[:_TAVILY_LONGEST],
                "max_results": min(task.limit, _TAVILY_MOST),
            },
            query=task.query,
        )
        pages = self.require_results(self.parse_json(answer))
        return _build_results(task, pages, "published_date")


_NO_URL: Meaning = (*UNFIT, "has no address here: SEARXNG_URL is not set")
_ALL_DOWN: Meaning = (*DOWN, "got no answer from the engines behind it")


@dataclass(frozen=True)
class SearXng(HttpEngine):
    """Searches with whatever engines a SearXNG of one's own asks."""

    # See docs.searxng.org/dev/search_api.

    name = "searxng"
    statuses: ClassVar[Mapping[int, Meaning]] = {
        403: (*UNFIT, "does not serve JSON: its setting search.formats has to name it")
    }

    async def search(self, task: SearchTask) -> SearchResults:
        base = self.setting("SEARXNG_URL")
        if base is None:
            raise build_failure(self.name, _NO_URL)
        answer = await self.ask(
            f"{base.rstrip('/')}/search",
            {"q": task.query, "format": "json", "pageno": "1"},
            query=task.query,
        )
        parsed = self.parse_json(answer)
        pages = self.require_results(parsed)
        # Nothing from engines that did not answer is not the same as nothing found.
        silent = parsed.get("unresponsive_engines")
        if not pages and silent:
            raise build_failure(self.name, _ALL_DOWN)
        listed = silent if isinstance(silent, list) else []
        named = {str(engine[0]) for engine in listed if isinstance(engine, list) and engine}
        results = _build_results(task, pages, "publishedDate")
        return results.model_copy(update={"silent": tuple(sorted(named))})
