"""Entities: what a statement is about, named in the sentence or in the headings above it."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from caveat.adapters.extractive.names import OFFICES, Names
from caveat.contracts.claim import Claim
from caveat.contracts.source import SourceRef
from caveat.rules.text.words import build_word_list, list_content_stems, stem

Key = tuple[str, ...]
"""The stems of a name in alphabetical order, so that word order does not tell names apart."""


@dataclass(frozen=True)
class Reference:
    """How a sentence refers to what it speaks of."""

    key: Key  # stems of the words that it uses; none for a pronoun, or when it says nothing
    anchored: bool  # whether heading or title must say the rest, as for "it" and "the lens"
    said: str = ""


UNSAID = Reference((), anchored=True)  # the sentence leaves it to the heading or title

_PRONOUNS = frozenset(build_word_list("it they he she this that these those its their his her one"))
_DEFINITE = re.compile(r"(?:the|this|that|these|those|its|their|his|her|our)\s+", re.IGNORECASE)
_INDEFINITE = re.compile(r"(?:an?|some|any|every|each|another|most|many|all|no)\s+", re.IGNORECASE)
BRACKETS = re.compile(r"(?<!\s)\s*+[(\[][^()\[\]]*+[)\]]")
_INVERTED = re.compile(r"[A-Z][\w’'-]*+(?:\s[A-Z][\w’'-]*+){0,2}\s?,\s[A-Z][\w\s.’'-]*\Z")
"""A name turned round ("Korea, South") or placed ("Paris, Texas"): the comma belongs to it."""
_KIND = re.compile(
    r"(?:the\s+)?(?:chemical\s+)?(?:element|metal|gas|country|city|town|village|planet|star|river"
    r"|company)\s+(?:of\s+)?(?=[A-Z]|[a-z]+\Z)"
)
"""What kind of thing a name names, said before it: "the element iron"."""
_ANAPHORS = frozenset(
    stem(word)
    for word in build_word_list(
        "element metal gas substance material compound country nation state republic kingdom",
        "territory city town village island lake river mountain planet star galaxy moon company",
        "organisation organization language species person author",
    )
)
"""Nouns that behind "the" stand for what the heading names."""

_CLAUSE = re.compile(
    r":|\b(?:that|which|who|whose|where|when|is|are|was|were|has|have|had|been)\b|\A(?:by|in|on|at)\b"
)
"""What stands in clauses and not in names."""

_LONGEST = 9  # words of a name at most; longer ones are clauses that were read wrongly


def parse_reference(phrase: str, known: Names) -> Reference | None:
    """Read a noun phrase.

    Returns:
        What it refers to; None for things in general ("a host"), of which there are many, and for
        what is no phrase. What the topic names is one thing even then. Plurals ("women") are of the
        place that heading or title name.
    """
    text = BRACKETS.sub("", phrase).strip(" .:;“”\"'")
    text = text if _INVERTED.match(text) else text.split(",")[0]
    if text.lower() in _PRONOUNS:
        return UNSAID
    if _CLAUSE.search(text) or len(text.split()) > _LONGEST:
        return None
    return _read_reference(_KIND.sub("", text), known)


def _read_reference(text: str, known: Names) -> Reference | None:
    definite, indefinite = _DEFINITE.match(text), _INDEFINITE.match(text)
    opening = definite or indefinite
    bare = text[opening.end() :] if opening else text
    key = build_key(bare)
    if not key or (bare[0].isdigit() and len(key) == 1):
        return None
    if known.is_proper(bare) or known.is_asked(bare):
        return Reference(key, anchored=False, said=bare)
    if definite or OFFICES.issuperset(key) or _is_class(bare):
        said = tuple(part for part in key if part not in _ANAPHORS)
        return Reference(said, anchored=True, said=text if said else "")
    return None if indefinite else Reference(key, anchored=False, said=bare)


_PREPOSITION = re.compile(r"\s(?:of|in|at|with|for|from|on|under|over|by|to|per)\s")
_PLURAL = re.compile(r"(?:[a-hj-rtv-z-]s|people|children|men|women)\Z")


def _is_class(phrase: str) -> bool:
    """Whether it is a plural such as "women at birth": there are others, elsewhere."""
    return _PLURAL.search(_PREPOSITION.split(phrase)[0].split()[-1]) is not None


def build_key(phrase: str) -> Key:
    """The stems of a phrase's content words, in alphabetical order."""
    return tuple(sorted(list_content_stems(phrase)))


_GENERAL = frozenset(
    stem(word)
    for word in build_word_list(
        "abstract about appendix background basics chapter comparison conclusion contents data",
        "definition description detail discussion fact faq figure general history index",
        "information introduction issue key main measurement method news note number overview page",
        "part preface profile property question quick readme reference result section statistics",
        "summary table text value",
    )
)
"""Words of titles that structure a text and name nothing."""

_CRUMB = " › "
_NUMBERED = re.compile(
    r"\A(?:(?:chapter|section|part|appendix)\s)?[\dA-Z]?(?:[\d.]+)?[.:)]?\s", re.IGNORECASE
)
_PARTS = re.compile(r"\s[|–—-]\s|:\s|\s?[(›]")


def list_titles(sources: Iterable[SourceRef]) -> frozenset[Key]:
    """The names that the sources of a run bear as titles."""
    return frozenset(key for source in sources for key in _build_keys(_split_title(source)))


def list_contexts(
    claim: Claim, source: SourceRef | None, titles: Collection[Key], known: Names
) -> list[Key]:
    """What headings and title say that a claim is about, most specific first."""
    # Of a title its part before a dash, colon or bracket counts as well. A heading counts if it has
    # a name in it, or is what another source is titled, or what the topic asks for: "Installation"
    # stands in every manual and names nothing.
    headings = reversed((claim.location or "").split(_CRUMB))
    found = [
        key
        for heading in headings
        for key in _build_keys([heading])
        if key in titles or known.is_proper(heading) or known.is_asked(heading)
    ]
    if source is not None:
        found += _build_keys(_split_title(source))
    return list(dict.fromkeys(found))


def _split_title(source: SourceRef) -> tuple[str, str]:
    return _PARTS.split(source.title)[0], source.title


def _build_keys(phrases: Iterable[str]) -> Iterator[Key]:
    for phrase in phrases:
        key = build_key(_KIND.sub("", _NUMBERED.sub("", phrase)))
        named = [part for part in key if not part.isdigit()]
        if named and len(key) <= _LONGEST and not _GENERAL.issuperset(named):
            yield key
