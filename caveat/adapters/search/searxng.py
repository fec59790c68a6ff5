"""A SearXNG of one's own (docs.searxng.org/dev/search_api)."""

from dataclasses import dataclass

from caveat.adapters.http.meanings import DOWN, UNFIT, Meaning
from caveat.adapters.results import Result, objects, results, text
from caveat.adapters.search.asking import MALFORMED, EngineApi, EngineRequest, Resources, failed
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask

NAME = "searxng"
URL_NAME = "SEARXNG_URL"
_STATUSES: dict[int, Meaning] = {
    403: (*UNFIT, "does not serve JSON: its setting search.formats has to name it")
}
_NO_URL: Meaning = (*UNFIT, f"has no address here: {URL_NAME} is not set")
_ALL_DOWN: Meaning = (*DOWN, "got no answer from the engines behind it")


@dataclass(frozen=True)
class SearXng:
    """Searches with whatever engines an instance asks.

    Attributes:
        api: asks it.
        resources: knows its address.
    """

    api: EngineApi
    resources: Resources

    async def search(self, task: SearchTask) -> SearchResults:
        """Run one query; see `ports.SearchEngine`."""
        base = self.resources.setting(URL_NAME)
        if base is None:
            raise failed(NAME, _NO_URL)
        question = EngineRequest(
            f"{base.rstrip('/')}/search",
            {"q": task.query, "format": "json", "pageno": "1"},
            query=task.query,
        )
        found = self.api.parsed(await self.api.ask(question))
        if not isinstance(found.get("results"), list):
            raise failed(NAME, MALFORMED)
        pages = [
            Result(text(page, "url"), text(page, "title"), text(page, "publishedDate"))
            for page in objects(found, "results")
        ]
        # Nothing from engines that did not answer is not the same as nothing found.
        if not pages and found.get("unresponsive_engines"):
            raise failed(NAME, _ALL_DOWN)
        return results(task.query, pages, task.limit)


def make(resources: Resources) -> SearXng:
    """Make the engine; its address is `SEARXNG_URL`."""
    return SearXng(EngineApi(NAME, resources.client, _STATUSES), resources)
