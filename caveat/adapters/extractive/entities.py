"""Entities: what a statement is about, named in the sentence or in the headings above it."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from caveat.adapters.extractive.words import content_stems, is_content, listing, stem
from caveat.contracts.claim import Claim
from caveat.contracts.source import SourceRef

Key = tuple[str, ...]
"""The stems of a name in alphabetical order, so that word order does not tell names apart."""


@dataclass(frozen=True)
class Reference:
    """How a sentence refers to what it speaks of.

    Attributes:
        key: stems of the words that it uses; none for a pronoun, or when it says nothing.
        anchored: whether heading or title must say the rest, as for "it" and "the lens".
        said: the words themselves, for people.
    """

    key: Key
    anchored: bool
    said: str = ""


UNSAID = Reference((), anchored=True)
"""The sentence leaves it to the heading or title."""

EVERYWHERE = Reference((), anchored=False)
"""The attribute names a single thing in the world by itself, as "the Hubble constant" does."""


@dataclass(frozen=True)
class Names:
    """What is known of names before a sentence is read.

    Attributes:
        proper: lower-case words that are written as names within sentences, and never otherwise.
        asked: runs of the words of topic and angles, each a tuple of stems.
    """

    proper: frozenset[str]
    asked: frozenset[tuple[str, ...]]

    def is_proper(self, text: str) -> bool:
        """Whether a phrase has a name in it; "the National Assembly" is one in every country."""
        return any(
            word.lower() in self.proper and stem(word) not in _OFFICES
            for word in _WORD.findall(text)
        )

    def is_asked(self, text: str) -> bool:
        """Whether the topic speaks of just this, in these words."""
        return tuple(stem(word) for word in _WORD.findall(text) if is_content(word)) in self.asked


_WORD = re.compile(r"\w+")
_WITHIN = re.compile(r"(?<=[\w,;’')] )[^\W\d_]\w*")
"""Words that open no sentence."""


_OFFICES = frozenset(
    stem(word)
    for word in listing(
        "president presidency minister ministry government parliament senate assembly congress",
        "chamber house deputies representatives council court constitution cabinet commission",
        "committee department agency office bank army navy force police church university college",
        "school museum library party union national federal supreme central general royal state",
        "prime vice high grand united people public act law treaty king queen prince emperor",
        "north south east west northern southern eastern western new old great",
    )
)
"""Words that are written as names, and stand for another thing in every country or town."""


def names(claims: Iterable[Claim], topics: Iterable[str]) -> Names:
    """Learn which words are names, and what is asked.

    Args:
        claims: words with a capital within their sentences, and never with a small letter, are
            names.
        topics: the topic of the run and the titles of its angles.
    """
    capital: set[str] = set()
    small: set[str] = set()
    for claim in claims:
        for word in _WITHIN.findall(claim.quote):
            (small if word[0].islower() else capital).add(word.lower())
    return Names(
        frozenset(capital - small), frozenset(run for text in topics for run in _runs(text))
    )


_RUN = re.compile(r"[^,;:.?!()]+")
_TITLE_CASE = 4
"""Words that all have capitals, above which they are a heading and no name."""


def _runs(topic: str) -> Iterator[tuple[str, ...]]:
    """Cut a topic into what it may speak of: neighbouring words, but no part of a longer name."""
    for part in _RUN.findall(topic):
        found = [word for word in _WORD.findall(part) if is_content(word)]
        heading = len(found) > _TITLE_CASE and all(word[0].isupper() for word in found)
        for start, end in combinations(range(len(found) + 1), 2):
            around = (*found[max(0, start - 1) : start], *found[end : end + 1])
            is_part = any(word[0].isupper() for word in around) and not heading
            if end - start <= _LONGEST and not (is_part and found[start][0].isupper()):
                yield tuple(stem(word) for word in found[start:end])


_PRONOUNS = frozenset(listing("it they he she this that these those its their his her one"))
_DEFINITE = re.compile(r"(?:the|this|that|these|those|its|their|his|her|our)\s+", re.IGNORECASE)
_INDEFINITE = re.compile(r"(?:an?|some|any|every|each|another|most|many|all|no)\s+", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]")
_INVERTED = re.compile(r"(?:[A-Z][\w’'-]*\s?){1,3},\s[A-Z][\w\s.’'-]*\Z")
"""A name turned round ("Korea, South") or placed ("Paris, Texas"): the comma belongs to it."""
_KIND = re.compile(
    r"(?:the\s+)?(?:chemical\s+)?(?:element|metal|gas|country|city|town|village|planet|star|river"
    r"|company)\s+(?:of\s+)?(?=[A-Z]|[a-z]+\Z)"
)
"""What kind of thing a name names, said before it: "the element iron"."""
_ANAPHORS = frozenset(
    stem(word)
    for word in listing(
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

_LONGEST = 9
"""Words of a name at most; longer ones are clauses that were read wrongly."""


def reference(phrase: str, known: Names) -> Reference | None:
    """Read a noun phrase.

    Args:
        phrase: the subject of a sentence, or what stands behind "of".
        known: names and topic.

    Returns:
        What it refers to; None for things in general ("a host"), of which there are many, and for
        what is no phrase. What the topic names is one thing even then. Plurals ("women") are of the
        place that heading or title name.
    """
    text = _BRACKETS.sub("", phrase).strip(" .:;“”\"'")
    text = text if _INVERTED.match(text) else text.split(",")[0]
    if text.lower() in _PRONOUNS:
        return UNSAID
    if _CLAUSE.search(text) or len(text.split()) > _LONGEST:
        return None
    return _named_by(_KIND.sub("", text), known)


def _named_by(text: str, known: Names) -> Reference | None:
    definite, indefinite = _DEFINITE.match(text), _INDEFINITE.match(text)
    opening = definite or indefinite
    bare = text[opening.end() :] if opening else text
    key = key_of(bare)
    if not key or (bare[0].isdigit() and len(key) == 1):
        return None
    if known.is_proper(bare) or known.is_asked(bare):
        return Reference(key, anchored=False, said=bare)
    if definite or _OFFICES.issuperset(key) or _is_class(bare):
        said = tuple(part for part in key if part not in _ANAPHORS)
        return Reference(said, anchored=True, said=text if said else "")
    return None if indefinite else Reference(key, anchored=False, said=bare)


_PREPOSITION = re.compile(r"\s(?:of|in|at|with|for|from|on|under|over|by|to|per)\s")
_PLURAL = re.compile(r"(?:[a-z-]+(?<![siu])s|people|children|men|women)\Z")


def _is_class(phrase: str) -> bool:
    """Whether it is a plural such as "women at birth": there are others, elsewhere."""
    return _PLURAL.search(_PREPOSITION.split(phrase)[0].split()[-1]) is not None


def key_of(phrase: str) -> Key:
    """The stems of a phrase's content words, in alphabetical order."""
    return tuple(sorted(content_stems(phrase)))


_GENERAL = frozenset(
    stem(word)
    for word in listing(
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


def titled(sources: Iterable[SourceRef]) -> frozenset[Key]:
    """The names that the sources of a run bear as titles."""
    return frozenset(key for source in sources for key in _keys(_titles(source)))


def contexts(
    claim: Claim, source: SourceRef | None, titles: Collection[Key], known: Names
) -> list[Key]:
    """What headings and title say that a claim is about, most specific first.

    Of a title its part before a dash, colon or bracket counts as well. A heading counts if it has a
    name in it, or is what another source is titled, or what the topic asks for: "Installation"
    stands in every manual and names nothing.
    """
    headings = reversed((claim.location or "").split(_CRUMB))
    found = [
        key
        for heading in headings
        for key in _keys([heading])
        if key in titles or known.is_proper(heading) or known.is_asked(heading)
    ]
    if source is not None:
        found += _keys(_titles(source))
    return list(dict.fromkeys(found))


def _titles(source: SourceRef) -> tuple[str, str]:
    return _PARTS.split(source.title)[0], source.title


def _keys(phrases: Iterable[str]) -> Iterator[Key]:
    for phrase in phrases:
        key = key_of(_KIND.sub("", _NUMBERED.sub("", phrase)))
        named = [part for part in key if not part.isdigit()]
        if named and len(key) <= _LONGEST and not _GENERAL.issuperset(named):
            yield key
