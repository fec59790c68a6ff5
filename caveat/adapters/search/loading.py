"""Search engines by their names, and several as one."""

from collections.abc import Mapping
from dataclasses import dataclass
from pkgutil import resolve_name

from caveat.adapters.search.asking import Resources
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask
from caveat.failures import PortFailure
from caveat.ports import SearchEngine

SHIPPED = {
    "arxiv": "caveat.adapters.search.arxiv:Arxiv",
    "brave": "caveat.adapters.search.web:Brave",
    "openalex": "caveat.adapters.search.openalex:OpenAlex",
    "searxng": "caveat.adapters.search.web:SearXng",
    "tavily": "caveat.adapters.search.web:Tavily",
    "wikipedia": "caveat.adapters.search.wikipedia:Wikipedia",
}


def create_engine(name: str, resources: Resources) -> SearchEngine:
    shipped: SearchEngine = resolve_name(SHIPPED[name])(resources)
    return shipped


@dataclass(frozen=True)
class SeveralEngines:
    """Routes a query to the engine that it names; see `ports.SearchEngines`."""

    # One engine a call, so that each answers, fails, waits and is tried again on its own account:
    # what an engine has found is never asked for again because another one failed.

    engines: Mapping[str, SearchEngine]  # by name, in the order that decides between equal places

    def name_engines(self, corpus: tuple[str, ...]) -> tuple[str, ...]:
        del corpus
        return tuple(self.engines)

    async def search(self, task: SearchTask) -> SearchResults:
        """Run one query on the engine of its name."""
        engine = self.engines.get(task.engine or "")
        if engine is None:
            message = (
                f"The search engine “{task.engine}” is not set up on the worker that was asked: "
                "name it in its CAVEAT_SEARCH."
                if task.engine
                else "This worker has several search engines, and the search names none of them."
            )
            raise PortFailure(
                Failure(
                    category=FailureCategory.BUSINESS,
                    failure_type=FailureType.PERMANENT,
                    message=message,
                    resource=task.engine,
                    provider=task.engine,
                )
            )
        return await engine.search(task)
