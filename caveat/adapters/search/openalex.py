"""OpenAlex, an open catalogue of scholarly works (docs.openalex.org).

It takes up what Crossref, DataCite and PubMed register, so that one place says of a DOI or a PMID
what sort of publication it is, how often it is cited, and whether it was retracted.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from caveat.adapters.documents.metadata import date_of
from caveat.adapters.results.found import Result, results
from caveat.adapters.results.values import objects, text
from caveat.adapters.search.asking import EngineApi, EngineRequest
from caveat.adapters.search.failures import MALFORMED, failed
from caveat.adapters.search.resources import Resources
from caveat.contracts.source import Hit, SearchResults, SourceKind, SourceRef
from caveat.contracts.tasks import SearchTask
from caveat.rules.sources import arxiv_number, canonical_url, doi_of

NAME = "openalex"
KEY_NAME = "OPENALEX_API_KEY"
_BASE = "https://api.openalex.org"
MOST = 100
"""Works of a page, and identifiers in one filter."""

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


@dataclass(frozen=True)
class Work:
    """What the catalogue knows of one work.

    Attributes:
        kind: what sort of publication it is.
        citations: how often it is cited.
        published: its day, in the catalogue's spelling.
        retracted: whether it was withdrawn.
    """

    kind: SourceKind
    citations: int | None
    published: str
    retracted: bool

    def told(self, source: SourceRef) -> SourceRef:
        """Complete what is known of a source; a work that was withdrawn is no publication."""
        facts: dict[str, object] = {"citations": self.citations}
        if self.retracted:
            retracted = f"Retracted: {source.title.removeprefix('Retracted: ')}"
            return source.model_copy(update={"kind": SourceKind.UNKNOWN, "title": retracted})
        if self.kind is not SourceKind.UNKNOWN:
            facts["kind"] = self.kind
        if source.published is None and (day := date_of(self.published)) is not None:
            facts["published"] = day
        return source.model_copy(update=facts)


@dataclass(frozen=True)
class OpenAlex:
    """Searches works, and says what is known of those that other engines find.

    Attributes:
        api: asks it.
        resources: knows the key, if there is one; with one more may be asked a day.
        base: where it is asked.
    """

    api: EngineApi
    resources: Resources
    base: str = _BASE

    async def search(self, task: SearchTask) -> SearchResults:
        """Run one query; see `ports.SearchEngine`."""
        asked = {"search": task.query, "per-page": str(min(task.limit, MOST))}
        works = await self._asked(asked, task.query)
        found = results(task.query, (_result(each) for each in works), task.limit)
        return completed(found, _by_name(works))

    async def works(self, named: Sequence[str]) -> dict[str, Work]:
        """Look works up.

        Args:
            named: DOIs in lower case, and PMIDs, at most `MOST` together.

        Returns:
            Those that the catalogue knows, by name.

        Raises:
            PortFailure: it does not answer, or not with works.
        """
        found: dict[str, Work] = {}
        for kind, each in (("doi", _dois(named)), ("pmid", _pmids(named))):
            if each:
                asked = {"filter": f"{kind}:{'|'.join(each)}", "per-page": str(MOST)}
                found |= _by_name(await self._asked(asked))
        return found

    async def _asked(
        self, parameters: Mapping[str, str], query: str = ""
    ) -> list[dict[str, object]]:
        key = self.resources.setting(KEY_NAME)
        own = {"api_key": key} if key else {}
        question = EngineRequest(
            f"{self.base}/works", {**parameters, "select": _FIELDS, **own}, query=query
        )
        found = self.api.parsed(await self.api.ask(question))
        if not isinstance(found.get("results"), list):
            raise failed(NAME, MALFORMED)
        return list(objects(found, "results"))


def completed(results: SearchResults, works: Mapping[str, Work]) -> SearchResults:
    """Return results with what is known of the works among them."""
    return results.model_copy(update={"hits": tuple(_hit(hit, works) for hit in results.hits)})


def _hit(hit: Hit, works: Mapping[str, Work]) -> Hit:
    work = next((works[name] for name in names(hit.source) if name in works), None)
    return hit if work is None else hit.model_copy(update={"source": work.told(hit.source)})


def names(source: SourceRef) -> Iterator[str]:
    """Yield the DOIs and PMIDs that a source's addresses name."""
    for address in filter(None, (source.url, *source.also_at)):
        if (doi := doi_of(address)) is not None:
            yield doi.lower()
        if (paper := arxiv_number(address)) is not None:
            yield f"10.48550/arxiv.{paper}".lower()
        if (pubmed := _PUBMED.match(address)) is not None:
            yield pubmed.group(1)


def _dois(named: Sequence[str]) -> list[str]:
    # A comma or a bar would begin another filter; hardly a DOI has one.
    return [name for name in named if "/" in name and not set(name) & set(",|")]


def _pmids(named: Sequence[str]) -> list[str]:
    return [name for name in named if name.isdigit()]


def _by_name(works: Sequence[dict[str, object]]) -> dict[str, Work]:
    return {name: _work(each) for each in works for name in _ids(each)}


def _ids(work: dict[str, object]) -> Iterator[str]:
    if (doi := doi_of(text(work, "doi"))) is not None:
        yield doi.lower()
    ids = work.get("ids")
    pubmed = _PUBMED.match(text(ids, "pmid")) if isinstance(ids, dict) else None
    if pubmed is not None:
        yield pubmed.group(1)


def _work(work: dict[str, object]) -> Work:
    cited = work.get("cited_by_count")
    return Work(
        kind=_kind(work),
        citations=cited if isinstance(cited, int) and cited >= 0 else None,
        published=text(work, "publication_date"),
        retracted=work.get("is_retracted") is True,
    )


def _kind(work: dict[str, object]) -> SourceKind:
    named = text(work, "type")
    if named not in _REVIEWED:
        return _KINDS.get(named, SourceKind.UNKNOWN)
    place = work.get("primary_location")
    venue = place.get("source") if isinstance(place, dict) else None
    sort = text(venue, "type") if isinstance(venue, dict) else ""
    if sort in _VENUES:
        return SourceKind.PEER_REVIEWED
    return SourceKind.PREPRINT if sort == "repository" else SourceKind.UNKNOWN


def _result(work: dict[str, object]) -> Result:
    """A work where it can be read: its open copy, else where its DOI leads."""
    doi = text(work, "doi")
    copy = work.get("best_oa_location")
    place = text(copy, "pdf_url", "landing_page_url") if isinstance(copy, dict) else ""
    return Result(
        url=place or doi,
        title=text(work, "display_name"),
        published=text(work, "publication_date"),
        kind=_kind(work),
        doi=canonical_url(doi) if doi else "",
    )


def make(resources: Resources) -> OpenAlex:
    """Make the engine; `OPENALEX_API_KEY` is its key, which it does without for a little."""
    return OpenAlex(EngineApi(NAME, resources.client), resources)
