"""From what engines say to the sources that a run knows."""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from caveat.adapters.documents.metadata import parse_date, parse_title
from caveat.adapters.http.meanings import RefusedAddressError
from caveat.adapters.http.target import Target
from caveat.contracts.source import Hit, SearchResults, SourceKind, SourceRef
from caveat.rules.sources.elsewhere import find_arxiv_id
from caveat.rules.sources.identity import compute_source_id, normalise_url, parse_host


@dataclass(frozen=True)
class Result:
    url: str  # where it is
    title: str  # what it is called; may be cut short or empty
    published: str = ""  # its day, in any spelling; empty where the engine does not say
    kind: SourceKind = SourceKind.UNKNOWN  # what sort of publication the engine knows it to be
    doi: str = ""  # the DOI of the same work, where the engine names one


def build_results(query: str, results: Iterable[Result], limit: int) -> SearchResults:
    """Write an engine's results, best first, each source once."""
    # What is not on the public web by its address (another scheme, a user name, no host) is left
    # out: nobody could read it.
    sources: dict[str, SourceRef] = {}
    for source in _build_sources(results):
        sources.setdefault(source.id, source)
    best_first = list(sources.values())[:limit]
    return SearchResults(query=query, hits=tuple(Hit(source=source) for source in best_first))


def _build_sources(results: Iterable[Result]) -> Iterator[SourceRef]:
    for result in results:
        try:
            number = find_arxiv_id(result.url.strip())
            # Every address of a paper on arXiv leads to its full text; others show its abstract.
            full_text = result.url.strip() if number is None else f"https://arxiv.org/pdf/{number}"
            url = Target.from_url(full_text).url
        except RefusedAddressError:
            continue
        # Only what becomes an address of doi.org: an engine passes on what authors typed.
        address = normalise_url(result.doi)
        day = parse_date(result.published)
        # A day that is yet to come is a mistake of the page's, and would count as recent.
        yield SourceRef(
            id=compute_source_id(url),
            title=parse_title(result.title) or url[:300],
            url=url,
            published=(day if day is None or day <= dt.datetime.now(dt.UTC).date() else None),
            kind=result.kind,
            also_at=((address,) if parse_host(address) == "doi.org" else ()),
        )


def find_objects(value: object, *path: str) -> Iterator[dict[str, object]]:
    """Yield the objects of a list that lies below some names; nothing where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict):
            yield item


def find_text(record: dict[str, object], *names: str) -> str:
    """Return the first of some values that is text; empty where none is."""
    return next((value for value in map(record.get, names) if isinstance(value, str)), "")
