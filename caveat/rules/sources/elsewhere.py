"""Where else the same thing may be had: other addresses of a page, other words of a query.

Pure and by fixed forms alone: an address is built from a DOI, or was stated by a search engine;
none is ever taken out of a page's text. Each is fetched under the same rules as any other address.
"""

import re
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from caveat.contracts.envelope import FailureType
from caveat.rules.sources.identity import normalise_url, parse_host

MOST_WORDS = 12
"""Words of a simplified query; engines that found one too long take this many."""

_ARXIV = re.compile(
    r"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/"
    r"((?:[a-z-]+(?:\.[A-Z]{2})?/\d{7})|\d{4}\.\d{4,5})(?:v\d+)?(?:\.pdf)?/?(?:[?#].*)?"
)
"""A paper's addresses: identifiers since 2007, and before."""

_DOI_IN_PATH = re.compile(r"/(10\.\d{4,9}/[^?#]+)")
_VIEW = re.compile(
    r"(?:/(?:full|abstract|summary|pdf|epdf|html|meta|fulltext)|\.(?:full|pdf)){1,4}/?$"
)
"""What publishers put behind a DOI in the address of one view of an article."""

_OPERATOR = re.compile(r"(?<!\S)(?:AND|OR|NOT)(?!\S)|\b[a-z]+:(?=\S)")
_WORD = re.compile(r"\w+(?:['’-]\w+)*")


def find_arxiv_id(url: str) -> str | None:
    """Return the identifier of a paper by one of its addresses on arXiv, without its version."""
    match = _ARXIV.fullmatch(url)
    return None if match is None else match.group(1)


def find_doi(url: str) -> str | None:
    """Return the DOI that an address names: of doi.org, or of a publisher's page of an article."""
    canonical = normalise_url(url)
    if parse_host(canonical) == "doi.org":
        return unquote(urlsplit(canonical).path).removeprefix("/")
    doi = _DOI_IN_PATH.search(unquote(url))
    return None if doi is None else _VIEW.sub("", doi.group(1)).rstrip("/")


def list_alternatives(url: str, failed: FailureType, stated: Sequence[str] = ()) -> tuple[str, ...]:
    """List other addresses of a page that cannot be had at its own, the likeliest first.

    Args:
        failed: what happened there; a host that only wants a pause has no alternatives.

    Returns:
        Addresses; never the address itself.
    """
    if failed is FailureType.RATE_LIMITED:
        return ()
    addresses = [*stated]
    doi = find_doi(url)
    if doi is not None and failed is FailureType.NOT_FOUND and parse_host(url) != "doi.org":
        # A page that is closed or out of order is where its DOI leads, so only where it moved.
        addresses.append(normalise_url(doi))
    return tuple(each for each in dict.fromkeys(addresses) if each != url)


def suggest_query(query: str) -> tuple[str, ...]:
    """Suggest a query without marks, operators and fields for an engine that understood none."""
    plainer = " ".join(_WORD.findall(_OPERATOR.sub(" ", query))[:MOST_WORDS])
    return (plainer,) if plainer and plainer != query.strip() else ()
