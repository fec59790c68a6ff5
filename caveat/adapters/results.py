"""From what engines say to the sources that a run knows."""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from caveat.adapters.documents.metadata import date_of, title_of
from caveat.adapters.http.meanings import RefusedAddress
from caveat.adapters.http.target import Target
from caveat.contracts.source import Hit, SearchResults, SourceKind, SourceRef
from caveat.rules.sources import arxiv_number, canonical_url, source_id, web_host


@dataclass(frozen=True)
class Result:
    """One result as an engine states it."""

    url: str  # where it is
    title: str  # what it is called; may be cut short or empty
    published: str = ""  # its day, in any spelling; empty where the engine does not say
    kind: SourceKind = SourceKind.UNKNOWN  # what sort of publication the engine knows it to be
    doi: str = ""  # the DOI of the same work, where the engine names one


def results(query: str, found: Iterable[Result], limit: int) -> SearchResults:
    """Write an engine's results, best first, each source once."""
    # What is not on the public web by its address (another scheme, a user name, no host) is left
    # out: nobody could read it.
    sources: dict[str, SourceRef] = {}
    for source in _sources(found):
        sources.setdefault(source.id, source)
    best_first = list(sources.values())[:limit]
    hits = (Hit(source=source, score=1 / rank) for rank, source in enumerate(best_first, start=1))
    return SearchResults(query=query, hits=tuple(hits))


def _sources(found: Iterable[Result]) -> Iterator[SourceRef]:
    for result in found:
        try:
            url = Target.of(_whole_paper(result.url.strip())).url
        except RefusedAddress:
            continue
        yield SourceRef(
            id=source_id(url),
            title=title_of(result.title) or url[:300],
            url=url,
            published=_day(result.published),
            kind=result.kind,
            also_at=_at_its_doi(result.doi),
        )


def _whole_paper(url: str) -> str:
    """Lead every address of a paper on arXiv to its full text; the others show its abstract."""
    number = arxiv_number(url)
    return url if number is None else f"https://arxiv.org/pdf/{number}"


def _at_its_doi(doi: str) -> tuple[str, ...]:
    # Only what becomes an address of doi.org: an engine passes on what authors typed.
    address = canonical_url(doi)
    return (address,) if web_host(address) == "doi.org" else ()


def _day(published: str) -> dt.date | None:
    day = date_of(published)
    # A day that is yet to come is a mistake of the page's, and would count as recent.
    return day if day is None or day <= dt.datetime.now(dt.UTC).date() else None


def objects(found: object, *path: str) -> Iterator[dict[str, object]]:
    """Yield the objects of a list that lies below some names; nothing where there is none."""
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    for item in found if isinstance(found, list) else ():
        if isinstance(item, dict):
            yield item


def text(found: dict[str, object], *names: str) -> str:
    """Return the first of some values that is text; empty where none is."""
    return next((value for value in map(found.get, names) if isinstance(value, str)), "")
