"""OpenAlex, an open catalogue of scholarly works (docs.openalex.org).

It takes up what Crossref, DataCite and PubMed register, so that one place says of a DOI or a PMID
what sort of publication it is, how often it is cited, and whether it was retracted. It is an
engine, and completes what other engines find.
"""

import asyncio
import logging
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from caveat.adapters.documents.metadata import parse_date
from caveat.adapters.results import Result, build_results, find_text
from caveat.adapters.search.asking import HttpEngine
from caveat.contracts.source import Hit, SearchResults, SourceKind, SourceRef
from caveat.contracts.tasks import SearchTask
from caveat.failures import PortFailure
from caveat.ports import SearchEngine
from caveat.rules.sources.elsewhere import find_arxiv_id, find_doi
from caveat.rules.sources.identity import normalise_url

_MOST = 100  # works of a page, and identifiers in one filter

_FIELDS = (
    "doi,ids,display_name,type,cited_by_count,publication_date,is_retracted,"
    "primary_location,best_oa_location"
)

_KINDS = {
    "book": SourceKind.BOOK,
    "book-chapter": SourceKind.BOOK,
    "dataset": SourceKind.DATASET,
    "dissertation": SourceKind.REPORT,
    "preprint": SourceKind.PREPRINT,
    "reference-entry": SourceKind.ENCYCLOPEDIA,
    "report": SourceKind.REPORT,
    "standard": SourceKind.STANDARD,
}
"""What the types of docs.openalex.org/api-entities/works/work-object mean here."""

_REVIEWED = frozenset({"article", "letter", "review"})
"""Types that are peer-reviewed where a journal or conference published them."""

_VENUES = frozenset({"journal", "conference"})

_PUBMED = re.compile(
    r"https?://(?:pubmed\.ncbi\.nlm\.nih\.gov|www\.ncbi\.nlm\.nih\.gov/pubmed)/(\d+)"
)

_KEPT = 4_096  # works that a process remembers, a quarter of a kilobyte each
_PATIENCE_S = 3.0  # seconds for what is known of the results of one search

_REST_S = 300.0
"""Seconds without a question after one that was not answered: kinds and citations are welcome, and
no search waits for them again and again."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class CataloguedWork:
    kind: SourceKind
    citations: int | None
    published: str
    retracted: bool  # whether it was withdrawn

    def complete_source(self, source: SourceRef) -> SourceRef:
        """Complete a source; a retracted work is no publication."""
        facts: dict[str, object] = {"citations": self.citations}
        if self.retracted:
            retracted = f"Retracted: {source.title.removeprefix('Retracted: ')}"
            return source.model_copy(update={"kind": SourceKind.UNKNOWN, "title": retracted})
        if self.kind is not SourceKind.UNKNOWN:
            facts["kind"] = self.kind
        if source.published is None and (day := parse_date(self.published)) is not None:
            facts["published"] = day
        return source.model_copy(update=facts)


@dataclass(frozen=True)
class OpenAlex(HttpEngine):
    """Searches works, and says what is known of those that other engines find."""

    name = "openalex"
    base: str = "https://api.openalex.org"

    async def search(self, task: SearchTask) -> SearchResults:
        parameters = {"search": task.query, "per-page": str(min(task.limit, _MOST))}
        works = await self._fetch_works(parameters, task.query)
        results = build_results(task.query, map(_build_result, works), task.limit)
        return _complete_results(results, _index_by_name(works))

    async def look_up_works(self, named: Sequence[str]) -> dict[str, CataloguedWork]:
        """Look works up.

        Args:
            named: DOIs in lower case, and PMIDs, at most `_MOST` together.
        """
        works: dict[str, CataloguedWork] = {}
        # A comma or a bar would begin another filter; hardly a DOI has one.
        dois = [name for name in named if "/" in name and not set(name) & set(",|")]
        for kind, ids in (("doi", dois), ("pmid", [name for name in named if name.isdigit()])):
            if ids:
                parameters = {"filter": f"{kind}:{'|'.join(ids)}", "per-page": str(_MOST)}
                works |= _index_by_name(await self._fetch_works(parameters))
        return works

    async def _fetch_works(
        self, parameters: Mapping[str, str], query: str = ""
    ) -> list[dict[str, object]]:
        key = self.setting("OPENALEX_API_KEY")  # with one more may be asked a day
        own = {"api_key": key} if key else {}
        answer = await self.ask(
            f"{self.base}/works", {**parameters, "select": _FIELDS, **own}, query=query
        )
        return self.require_results(self.parse_json(answer))


def _complete_results(results: SearchResults, works: Mapping[str, CataloguedWork]) -> SearchResults:
    hits: list[Hit] = []
    for hit in results.hits:
        names = _list_ids(hit.source.url, *hit.source.also_at)
        work = next((works[name] for name in names if name in works), None)
        source = hit.source if work is None else work.complete_source(hit.source)
        hits.append(hit.model_copy(update={"source": source}))
    return results.model_copy(update={"hits": tuple(hits)})


def _list_ids(*addresses: str | None) -> Iterator[str]:
    """Yield the DOIs and PMIDs in addresses."""
    for address in filter(None, addresses):
        if (doi := find_doi(address)) is not None:
            yield doi.lower()
        if (paper := find_arxiv_id(address)) is not None:
            yield f"10.48550/arxiv.{paper}".lower()
        if (pubmed := _PUBMED.match(address)) is not None:
            yield pubmed.group(1)


def _index_by_name(works: Sequence[dict[str, object]]) -> dict[str, CataloguedWork]:
    known: dict[str, CataloguedWork] = {}
    for work in works:
        cited, ids = work.get("cited_by_count"), work.get("ids")
        catalogued = CataloguedWork(
            kind=_classify_work(work),
            citations=cited if isinstance(cited, int) and cited >= 0 else None,
            published=find_text(work, "publication_date"),
            retracted=work.get("is_retracted") is True,
        )
        pubmed = find_text(ids, "pmid") if isinstance(ids, dict) else ""
        known |= dict.fromkeys(_list_ids(find_text(work, "doi"), pubmed), catalogued)
    return known


def _classify_work(work: dict[str, object]) -> SourceKind:
    named = find_text(work, "type")
    if named not in _REVIEWED:
        return _KINDS.get(named, SourceKind.UNKNOWN)
    place = work.get("primary_location")
    venue = place.get("source") if isinstance(place, dict) else None
    sort = find_text(venue, "type") if isinstance(venue, dict) else ""
    if sort in _VENUES:
        return SourceKind.PEER_REVIEWED
    return SourceKind.PREPRINT if sort == "repository" else SourceKind.UNKNOWN


def _build_result(work: dict[str, object]) -> Result:
    """Locate a work at its open copy, else where its DOI leads."""
    doi = find_text(work, "doi")
    copy = work.get("best_oa_location")
    place = find_text(copy, "pdf_url", "landing_page_url") if isinstance(copy, dict) else ""
    return Result(
        url=place or doi,
        title=find_text(work, "display_name"),
        published=find_text(work, "publication_date"),
        kind=_classify_work(work),
        doi=normalise_url(doi) if doi else "",
    )


@dataclass
class Catalogued:
    engine: SearchEngine
    catalogue: OpenAlex
    _known: dict[str, CataloguedWork | None] = field(default_factory=dict)
    _rests_until: float = 0.0

    async def search(self, task: SearchTask) -> SearchResults:
        results = await self.engine.search(task)
        sources = [hit.source for hit in results.hits]
        await self._learn([name for each in sources for name in _list_ids(each.url, *each.also_at)])
        known = {name: work for name, work in self._known.items() if work is not None}
        return _complete_results(results, known)

    async def _learn(self, named: Sequence[str]) -> None:
        """Look up unknown works; without an answer results stay as they are."""
        new = [name for name in dict.fromkeys(named) if name not in self._known][:_MOST]
        if not new or time.monotonic() < self._rests_until:
            return
        try:
            async with asyncio.timeout(_PATIENCE_S):
                works = await self.catalogue.look_up_works(new)
        except (PortFailure, TimeoutError) as failure:
            self._rests_until = time.monotonic() + _REST_S
            _logger.warning("kinds and citations are not known: %s", failure or "no answer")
            return
        for name in list(self._known)[: max(0, len(self._known) + len(new) - _KEPT)]:
            del self._known[name]
        self._known |= {name: works.get(name) for name in new}
