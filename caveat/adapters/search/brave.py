"""Brave's web search API (api-dashboard.search.brave.com/app/documentation/web-search)."""

from dataclasses import dataclass

from caveat.adapters.http.meanings import CLOSED, Meaning
from caveat.adapters.results import Result, objects, results, text
from caveat.adapters.search.asking import MALFORMED, EngineApi, EngineRequest, Resources, failed
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask

NAME = "brave"
KEY_NAME = "BRAVE_API_KEY"
_BASE = "https://api.search.brave.com"
_MOST = 20  # `count`
_LONGEST, _WORDS = 400, 50  # characters and words of a query
_STATUSES: dict[int, Meaning] = {
    # Brave says 422 of a key that is none (SUBSCRIPTION_TOKEN_INVALID); queries are cut to fit.
    422: (*CLOSED, "does not accept the key")
}


@dataclass(frozen=True)
class Brave:
    """Searches the web.

    Attributes:
        api: asks it.
        resources: knows the key.
        base: where it is asked.
    """

    api: EngineApi
    resources: Resources
    base: str = _BASE

    async def search(self, task: SearchTask) -> SearchResults:
        """Run one query; see `ports.SearchEngine`."""
        question = EngineRequest(
            f"{self.base}/res/v1/web/search",
            {
                "q": " ".join(task.query.split()[:_WORDS])[:_LONGEST],
                "count": str(min(task.limit, _MOST)),
                "result_filter": "web",
                "text_decorations": "false",
            },
            {"X-Subscription-Token": self.resources.key(NAME, KEY_NAME)},
            query=task.query,
        )
        found = self.api.parsed(await self.api.ask(question))
        if found.get("type") != "search":
            raise failed(NAME, MALFORMED)
        # Without results the answer has no `web` at all.
        pages = (
            Result(text(page, "url"), text(page, "title"), text(page, "page_age"))
            for page in objects(found, "web", "results")
        )
        return results(task.query, pages, task.limit)


def make(resources: Resources) -> Brave:
    """Make the engine; its key is `BRAVE_API_KEY`."""
    return Brave(EngineApi(NAME, resources.client, _STATUSES), resources)
