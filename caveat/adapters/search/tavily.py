"""Tavily's search API (docs.tavily.com/documentation/api-reference/endpoint/search)."""

from dataclasses import dataclass

from caveat.adapters.http.meanings import WITHHELD, Meaning
from caveat.adapters.results import Result, objects, results, text
from caveat.adapters.search.asking import MALFORMED, EngineApi, EngineRequest, Resources, failed
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask

NAME = "tavily"
KEY_NAME = "TAVILY_API_KEY"
_BASE = "https://api.tavily.com"
_MOST = 20  # `max_results`
_LONGEST = 400  # characters of a query
_STATUSES: dict[int, Meaning] = {
    432: (*WITHHELD, "has used up the plan’s searches"),
    433: (*WITHHELD, "has reached the limit of what may be spent"),
}


@dataclass(frozen=True)
class Tavily:
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
            f"{self.base}/search",
            headers={"Authorization": f"Bearer {self.resources.key(NAME, KEY_NAME)}"},
            content={"query": task.query[:_LONGEST], "max_results": min(task.limit, _MOST)},
            query=task.query,
        )
        found = self.api.parsed(await self.api.ask(question))
        if not isinstance(found.get("results"), list):
            raise failed(NAME, MALFORMED)
        pages = (
            Result(text(page, "url"), text(page, "title"), text(page, "published_date"))
            for page in objects(found, "results")
        )
        return results(task.query, pages, task.limit)


def make(resources: Resources) -> Tavily:
    """Make the engine; its key is `TAVILY_API_KEY`."""
    return Tavily(EngineApi(NAME, resources.client, _STATUSES), resources)
