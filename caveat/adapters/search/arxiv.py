"""Preprints, by arXiv's API (info.arxiv.org/help/api/user-manual)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from lxml import etree  # type: ignore[import-untyped]  # it ships no types

from caveat.adapters.http.manners import HostBusyError, Manners
from caveat.adapters.http.meanings import DOWN, UNFIT, Meaning
from caveat.adapters.results import Result, build_results
from caveat.adapters.search.asking import MALFORMED, HttpEngine, build_failure
from caveat.adapters.text.question import list_terms
from caveat.contracts.source import SearchResults, SourceKind
from caveat.contracts.tasks import SearchTask

_ATOM = "{http://www.w3.org/2005/Atom}"
_OWN = "{http://arxiv.org/schemas/atom}"
_INTERVAL_S = 3.0  # the API's terms of use: one request every three seconds, one at a time
_PATIENCE_S = 15.0
"""Seconds in line: five searches at once, as a deep run begins with, all get their turn."""
_ERRORS = "http://arxiv.org/api/errors#"
_TERMS = 12  # words of a query; more make it slower and its ranking no better


@dataclass(frozen=True)
class Arxiv(HttpEngine):
    """Searches titles, authors, abstracts and comments of all preprints."""

    name = "arxiv"
    statuses: ClassVar[Mapping[int, Meaning]] = {503: (*DOWN, "wants to be asked later")}
    base: str = "https://export.arxiv.org"
    # the line of requests; to be shared by all searches of a process
    manners: Manners = field(default_factory=lambda: Manners(interval_s=_INTERVAL_S))

    async def search(self, task: SearchTask) -> SearchResults:
        terms = list_terms(task.query)[:_TERMS]
        if not terms:
            return SearchResults(query=task.query)
        try:
            async with self.manners.turn(self.base, _PATIENCE_S):
                answer = await self.ask(
                    f"{self.base}/api/query",
                    {
                        "search_query": " OR ".join(f"all:{term}" for term in terms),
                        "max_results": str(task.limit),
                        "sortBy": "relevance",
                    },
                )
        except HostBusyError as busy:
            raise build_failure(Arxiv.name, busy) from busy
        return build_results(task.query, _parse_papers(answer.body), task.limit)


def _parse_papers(body: bytes) -> Iterator[Result]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        feed = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise build_failure(Arxiv.name, MALFORMED) from error
    if feed.tag != f"{_ATOM}feed":
        raise build_failure(Arxiv.name, MALFORMED)
    for entry in feed.iterfind(f"{_ATOM}entry"):
        address = (entry.findtext(f"{_ATOM}id") or "").strip()
        # Errors come as an entry of the feed (user manual, 3.4).
        if address.startswith(_ERRORS):
            raise build_failure(Arxiv.name, (*UNFIT, "does not understand the query"))
        yield Result(
            url=address,
            title=entry.findtext(f"{_ATOM}title") or "",
            published=entry.findtext(f"{_ATOM}published") or "",
            kind=SourceKind.PREPRINT,
            doi=(entry.findtext(f"{_OWN}doi") or "").strip(),
        )
