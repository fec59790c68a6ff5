"""Works: which documents are one work in another format, language or edition, and which is newer.

Format twins, translations and editions have one author, and are one voice. That is told by where
they lie, which whoever keeps them chose: the same address but for the ending, a language or a
version. What a document says of itself counts for nothing here.
"""

import re
from typing import NamedTuple

from caveat.contracts.source import SourceRef
from caveat.rules.sources.identity import canonical_url, web_host

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


class _Edition(NamedTuple):
    work: str
    versions: tuple[tuple[int, ...], ...]


def work(source: SourceRef) -> str:
    """Name the work that a document is a format, a translation or an edition of.

    Two documents that give one public address are of one author as well.
    """
    if source.url:
        return canonical_url(source.url)
    return _edition(source).work if source.path else source.id


def newer(one: SourceRef, other: SourceRef) -> int | None:
    """Tell which of two editions of one work is the newer: 0 or 1; None where they are none.

    Addresses on the web count where one host has both: it is who published them.
    """
    here, there = _edition(one), _edition(other)
    if not here.work or here.work != there.work or len(here.versions) != len(there.versions):
        return None
    differing = [(a, b) for a, b in zip(here.versions, there.versions, strict=True) if a != b]
    if not differing or len(set(differing)) > 1:  # "docs-1.4/api-1.4" changes twice, and alike
        return None
    mine, theirs = differing[0]
    return 0 if mine > theirs else 1


def edition(source: SourceRef) -> str:
    """Write the version of a document as its address does, empty where it has none."""
    found = _VERSION.search(_address(source))
    return found[0] if found else ""


def _address(source: SourceRef) -> str:
    if source.path:
        return f"{source.corpus or ''}/{source.path}"
    return canonical_url(source.url) if source.url and web_host(source.url) else ""


def _edition(source: SourceRef) -> _Edition:
    bare = _ENDINGS.sub("", _address(source))
    found = _VERSION.findall(bare)
    plain = _LANGUAGE.sub("…", _VERSION.sub("#", bare))
    folders = [part for part in plain.split("/") if part not in {"", "…"}]
    versions = tuple(tuple(map(int, re.findall(r"\d+", each))) for each in found)
    return _Edition(re.sub(r"[._-]…", "", "/".join(folders)).casefold(), versions)
