"""When two addresses are the same source, and two documents the same work.

Format twins, translations and editions have one author, and are one voice. That is told by where
their keeper put them: the same address but for the ending, a language or a version. What a document
says of itself counts for nothing here.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlsplit

from caveat.contracts.source import SourceRef

ID_DIGITS = 10
"""40 bits: among the 10,000 sources of a large run the odds of one collision are 1 in 20,000."""

_DOI = re.compile(
    r"(?:doi:\s*|(?:https?://)?(?:www\.|dx\.)?doi\.org/+)?(10\.\d{4,9}/\S+)", re.IGNORECASE
)
_TRACKING = re.compile(
    r"(?:utm_\w+|(?:g|fb|d|y|ms|tw)cl(?:id|kid|src)|gbraid|wbraid|mc_[ce]id|igshid|mkt_tok|"
    r"_hs(?:enc|mi)|_ga|_gl|ref_src|cmpid|spm)",
    re.IGNORECASE,
)
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_UNWRITTEN = re.compile(r"[\s\x00-\x1f\x7f]")
_HOST = re.compile(r"(?=.*\w)[\w.-]+|[0-9a-f.]*+:[0-9a-f:.]*")
_DEFAULT_PORTS = frozenset({None, 80, 443})


def normalise_url(url: str) -> str:
    """Write an address in the canonical form of all its spellings; idempotent.

    For comparing, not for fetching: `http` becomes `https`, and `www.`, fragment, tracking
    parameters, default ports and trailing slashes go; the query is sorted; escapes follow RFC 3986,
    section 6.2.2. A DOI becomes `https://doi.org/10...` in lower case (DOI Handbook, 2.4).
    """
    text = url.strip()
    doi = _DOI.fullmatch(text)
    if doi is not None:
        plain = unquote(doi.group(1).partition("#")[0]).lower().rstrip("/")
        return f"https://doi.org/{quote(plain, safe='/:;()[]<>.,_-~+')}"
    parts = _split_address(text)
    return text if parts is None else _normalise_web_address(parts)


def compute_source_id(address: str) -> str:
    """Name a source by its address: `s-` and the first digits of its canonical form's SHA-256."""
    canonical = normalise_url(address).encode("utf-8", "surrogateescape")
    return f"s-{hashlib.sha256(canonical).hexdigest()[:ID_DIGITS]}"


def disambiguate_titles(sources: Iterable[SourceRef]) -> dict[str, str]:
    """Title sources by id; equal titles get their place, as editions of a policy."""
    known = {source.id: source for source in sources}
    times = Counter(source.title for source in known.values())
    return {
        name: f"{source.title} ({place})"
        if times[source.title] > 1 and (place := source.path or source.url)
        else source.title
        for name, source in known.items()
    }


def parse_host(address: str | None) -> str:
    """Return the host of an address in lower case, or an empty string; never raises."""
    parts = _split_address((address or "").strip())
    return "" if parts is None else (parts.hostname or "").rstrip(".")


def _split_address(text: str) -> SplitResult | None:
    """Split a web address; None for another scheme, no host, or what cannot be parsed."""
    if "//" not in text:  # a path, which most documents have
        return None
    try:
        parts = urlsplit(text)
        host = _HOST.fullmatch((parts.hostname or "").rstrip("."))
        usable = parts.scheme in {"http", "https"} and host is not None and parts.port != -1
    except ValueError:
        return None
    return parts if usable else None


def _normalise_web_address(parts: SplitResult) -> str:
    host = (parts.hostname or "").rstrip(".")
    while host.startswith("www.") and host.count(".") > 1:
        host = host.removeprefix("www.")
    host = f"[{host}]" if ":" in host else host
    port = "" if parts.port in _DEFAULT_PORTS else f":{parts.port}"
    path = _normalise_escapes(parts.path).rstrip("/")
    pairs = [_normalise_escapes(pair) for pair in parts.query.split("&") if pair]
    parameters = sorted(pair for pair in pairs if not _TRACKING.fullmatch(pair.partition("=")[0]))
    query = "&".join(parameters)
    return f"https://{host}{port}{path}{'?' if query else ''}{query}"


def _normalise_escapes(text: str) -> str:
    """Decode escapes of characters that need none, write the others in upper case."""
    # White space and controls are escaped: browsers do so, and they would not survive trimming.

    def normalise_escape(match: re.Match[str]) -> str:
        character = chr(int(match.group(1), 16))
        return character if character in _UNRESERVED else match.group(0).upper()

    return _ESCAPE.sub(normalise_escape, _UNWRITTEN.sub(lambda match: quote(match.group()), text))


_ENDINGS = re.compile(
    r"(?:\.(?:html?|xhtml|txt|text|md|markdown|rst|pdf|docx?|odt|epub|rtf|tex|ps|gz|xml|json)){1,4}\Z",
    re.IGNORECASE,
)
_LANGUAGES = (
    "ar|bg|ca|cs|da|de|el|en|eo|es|et|eu|fa|fi|fr|gl|he|hi|hr|hu|id|it|ja|ka|ko|lt|lv|nb|nl|nn|no|pl"
    "|pt|ro|ru|sk|sl|sr|sv|ta|th|tr|uk|vi|zh"
)
_LANGUAGE = re.compile(
    # A file that is called after a code alone, as "it.md" on Italy, keeps its name.
    rf"(?<=[/._-])(?:{_LANGUAGES})(?:[-_](?:[A-Za-z]{{2}}|Han[st]|Latn|Cyrl))?(?=[/._]|\Z)(?<!/.{{2}}\Z)"
)
_VERSION = re.compile(
    r"(?<![A-Za-z\d.])(?:v|ed(?:ition)?[-_ ]?)\d+(?:\.\d+)*(?![\w])|(?<![\w.])\d+(?:\.\d+)+(?!\w)",
    re.IGNORECASE,
)
"""A number with points in it, or behind "v" or "edition"; chapters and years are no versions."""


_PLACE = re.compile(r"(?<![^/])\d{1,3}[-_ ]+(?=[^\W\d_])")
"""The place of a file in its keeper's list: "04-manual-1.3"."""


class _Edition(NamedTuple):
    work: str
    versions: tuple[tuple[int, ...], ...]


def name_work(source: SourceRef) -> str:
    """Name the work of which a document is a format, translation or edition."""
    # Two documents that give one public address are of one author as well.
    if source.url:
        return normalise_url(source.url)
    return _parse_edition(source).work if source.path else source.id


def index_voices(sources: Iterable[SourceRef]) -> dict[str, str]:
    """Name the voice of each source: those of one work, publication, author or body are one."""
    owned = {
        each.id: {name_work(each), *_list_publications(each), *_list_owners(each)}
        for each in sources
    }
    voices: list[set[str]] = []
    for own in owned.values():
        same = [each for each in voices if not own.isdisjoint(each)]
        voices = [*(each for each in voices if each not in same), own.union(*same)]
    return {name: min(v) for name, own in owned.items() for v in voices if not own.isdisjoint(v)}


_PART = re.compile(
    r"(?<![^\W\d_])(?:chapters?|chap|ch|parts?|sections?|annexe?|appendix|kapitel|kap|teil|anhang"
    r"|chapitre|partie|cap[ií]tulo|cap|parte)[-_ .:/]*(?:\d{1,3}|[ivxl]+)(?![^\W_])",
    re.IGNORECASE,
)
"""The number of a chapter in an address or title: "report/chapter-3", "Sea report, part II"."""


def _list_publications(source: SourceRef) -> Iterator[str]:
    """What a source is a numbered part of, by its address or its title."""
    for text, least in ((_build_address(source), 0), (source.title, 2)):
        whole, *rest = _PART.split(text, maxsplit=1)
        if rest and len(whole.split()) >= least:  # "Chapter 3" names no publication
            yield f"part of {whole.casefold().rstrip(' /-–—_.:,(')}"


def _list_owners(source: SourceRef) -> Iterator[str]:
    """Who speaks: its authors, else its publisher, else the title that it shares in its folder."""
    for author in map(str.casefold, source.authors):
        names = re.split(r"[,;]\s+", author)  # a reader may name several at once
        yield from names if all(" " in name for name in names) else [author]
    if source.authors:
        return
    if publisher := find_publisher(source):
        yield publisher
    elif source.path and len(source.title.split()) > 2:  # "Interview" tells nothing
        yield f"{source.path.rpartition('/')[0]} {source.title}".casefold()


ANYONE_HOSTS = (
    "blogspot.com", "facebook.com", "linkedin.com", "medium.com", "quora.com", "reddit.com",
    "substack.com", "tiktok.com", "tumblr.com", "twitter.com", "wordpress.com", "x.com",
    "youtube.com",
)  # fmt: skip

SHARED_HOSTS = frozenset(
    (*ANYONE_HOSTS, "archive.org", "arxiv.org", "doi.org", "github.com", "zenodo.org")
)
"""Hosts that many unrelated authors publish at: a ruling on one of them says nothing of the next.

Resolvers, archives and repositories count with the open platforms here, though not in credibility.
"""


def find_publisher(source: SourceRef) -> str | None:
    """Return the publishing host; None for a shared host and for files."""
    host = parse_host(normalise_url(source.url or ""))
    return None if is_in_domains(host, SHARED_HOSTS) else host or None


def is_in_domains(host: str, domains: Collection[str]) -> bool:
    """Whether a host is one of these domains or below one; look-alikes are not."""
    labels = host.split(".")
    return any(".".join(labels[at:]) in domains for at in range(len(labels)))


def are_editions(one: SourceRef, other: SourceRef) -> bool:
    """Whether two sources are one work in two versions."""
    # Addresses on the web count where one host has both: it is who published them.
    here, there = _parse_edition(one), _parse_edition(other)
    if not here.work or here.work != there.work or len(here.versions) != len(there.versions):
        return False
    # "docs-1.4/api-1.4" changes twice, and alike.
    return len({(a, b) for a, b in zip(here.versions, there.versions, strict=True) if a != b}) == 1


def find_version(source: SourceRef) -> str:
    """Return the version in the address of a document, or an empty string."""
    version = _VERSION.search(_build_address(source))
    return version[0] if version else ""


def _build_address(source: SourceRef) -> str:
    if source.path:
        return f"{source.corpus or ''}/{source.path}"
    return normalise_url(source.url) if source.url and parse_host(source.url) else ""


def _parse_edition(source: SourceRef) -> _Edition:
    bare = _ENDINGS.sub("", _build_address(source))
    written = _VERSION.findall(bare)
    plain = _LANGUAGE.sub("…", _VERSION.sub("#", bare))
    plain = _PLACE.sub("", plain) if written else plain  # "01-minutes" and "02-minutes" are two
    folders = [part for part in plain.split("/") if part not in {"", "…"}]
    versions = tuple(tuple(map(int, re.findall(r"\d+", each))) for each in written)
    return _Edition(re.sub(r"[._-]…", "", "/".join(folders)).casefold(), versions)
