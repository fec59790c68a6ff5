"""What a page's head says about it."""

import json
import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser

from caveat.adapters.documents.loaded import Metadata
from caveat.adapters.documents.metadata import date_of, known_kind_of, title_of, url_of
from caveat.contracts.source import SourceKind

_TITLES = ("citation_title", "og:title", "dc.title", "dcterms.title")
_URLS = ("citation_doi", "dc.identifier", "dcterms.identifier", "prism.doi")
_DATES = (
    "citation_publication_date", "citation_date", "citation_online_date", "citation_year",
    "article:published_time", "datepublished", "dc.date.issued", "dcterms.issued", "dc.date",
    "dcterms.date", "dcterms.created", "og:published_time", "date",
)  # fmt: skip
_KINDS = ("dc.type", "dcterms.type", "citation_type", "kind")
_GENERATORS = re.compile(
    r"docutils|sphinx|docbook|publican|mkdocs|doxygen|docusaurus|antora|texinfo|makeinfo|javadoc|"
    r"asciidoctor|mdbook",
    re.IGNORECASE,
)
"""Programs that make manuals and nothing else."""
_PREPRINT_SERVERS = frozenset(
    {"arxiv", "biorxiv", "medrxiv", "chemrxiv", "ssrn", "research square"}
)
_DEPTH_LIMIT = 6
"""Levels of JSON-LD that are looked at; real pages use two or three."""


def html_metadata(tree: LexborHTMLParser) -> Metadata:
    """Read `<title>`, `meta` elements (Highwire, Dublin Core, Open Graph), canonical, JSON-LD."""
    meta = _meta(tree)
    linked = list(_linked_data(tree))
    return Metadata(
        title=_title(tree, meta),
        url=_url(tree, meta),
        published=next(
            (day for day in map(date_of, _dates(meta, linked)) if day is not None), None
        ),
        kind=_kind(meta, linked),
    )


def _meta(tree: LexborHTMLParser) -> dict[str, str]:
    """Map names (in lower case) to contents; the first of a name wins."""
    found: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        values = node.attributes
        name = values.get("name") or values.get("property") or values.get("itemprop") or ""
        content = (values.get("content") or "").strip()
        if content:
            found.setdefault(name.strip().lower(), content)
    return found


def _title(tree: LexborHTMLParser, meta: dict[str, str]) -> str | None:
    node = tree.css_first("head > title") or tree.css_first("title")
    heading = tree.css_first("h1")
    candidates = [
        *(meta[name] for name in _TITLES if name in meta),
        node.text() if node is not None else "",
        heading.text() if heading is not None else "",
    ]
    return next((title for title in map(title_of, candidates) if title), None)


def _url(tree: LexborHTMLParser, meta: dict[str, str]) -> str | None:
    canonical = tree.css_first("link[rel=canonical]")
    candidates = [
        *(meta[name] for name in _URLS if name in meta),
        (canonical.attributes.get("href") or "") if canonical is not None else "",
        meta.get("og:url", ""),
        meta.get("citation_public_url", ""),
    ]
    return next((url for url in map(url_of, candidates) if url), None)


def _dates(meta: dict[str, str], linked: list[dict[str, object]]) -> Iterator[str]:
    yield from (meta[name] for name in _DATES if name in meta)
    stated = (thing.get("datePublished") for thing in linked)
    yield from (date for date in stated if isinstance(date, str))


def _kind(meta: dict[str, str], linked: list[dict[str, object]]) -> SourceKind:
    journal = meta.get("citation_journal_title", "").lower()
    if "citation_arxiv_id" in meta or journal in _PREPRINT_SERVERS:
        return SourceKind.PREPRINT
    if journal or "citation_conference_title" in meta:
        return SourceKind.PEER_REVIEWED
    types = [meta[name] for name in _KINDS if name in meta]
    # Schema.org's plain "Article" may be anything, where "article" in front matter is a paper.
    types += [t for t in _types(linked) if t != "Article"]
    stated = next((kind for kind in map(known_kind_of, types) if kind is not None), None)
    if stated is not None:
        return stated
    is_manual = _GENERATORS.search(meta.get("generator", "")) is not None
    return SourceKind.DOCUMENTATION if is_manual else SourceKind.UNKNOWN


def _types(linked: list[dict[str, object]]) -> Iterator[str]:
    for thing in linked:
        stated = thing.get("@type")
        for name in stated if isinstance(stated, list) else [stated]:
            if isinstance(name, str):
                yield name


def _linked_data(tree: LexborHTMLParser) -> Iterator[dict[str, object]]:
    for node in tree.css("script[type='application/ld+json']"):
        try:
            found = json.loads(node.text())
        except (ValueError, RecursionError):
            continue
        yield from _things(found, _DEPTH_LIMIT)


def _things(found: object, depth: int) -> Iterator[dict[str, object]]:
    """Yield the objects that describe the page itself: top level, lists and `@graph`."""
    if isinstance(found, list) and depth:
        for item in found:
            yield from _things(item, depth - 1)
    elif isinstance(found, dict):
        yield found
        yield from _things(found.get("@graph"), depth - 1) if depth else ()
