"""Entities: what a statement is about, named in the sentence or in the headings above it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from caveat.adapters.extractive.words import content_stems, listing, stem, words
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
    """

    key: Key
    anchored: bool


UNSAID = Reference((), anchored=True)
"""The sentence leaves it to the heading or title."""

EVERYWHERE = Reference((), anchored=False)
"""The attribute names a single thing in the world by itself, as "the Hubble constant" does."""


@dataclass(frozen=True)
class Names:
    """What is known of names before a sentence is read.

    Attributes:
        proper: lower-case words that are written as names within sentences, and never otherwise.
        topic: stems of the run's topic.
    """

    proper: frozenset[str]
    topic: frozenset[str]

    def is_proper(self, text: str) -> bool:
        """Whether a phrase has a name in it."""
        return any(word.text.lower() in self.proper for word in words(text))


_WITHIN = re.compile(r"(?<=[\w,;’')]\s)[A-Z][\w’-]*|(?<=[\w,;)]\s)[a-z][\w’-]*")


def names(claims: Iterable[Claim], topic: str) -> Names:
    """Learn which words are names: capitals within sentences, never a small letter."""
    capital: set[str] = set()
    small: set[str] = set()
    for claim in claims:
        for match in _WITHIN.finditer(claim.quote):
            for word in words(match[0]):
                (capital if match[0][0].isupper() else small).add(word.text.lower())
    return Names(frozenset(capital - small), content_stems(topic))


_PRONOUNS = frozenset(listing("it they he she this that these those its their his her one"))
_DEFINITE = re.compile(r"(?:the|this|that|these|those|its|their|his|her|our)\s+", re.IGNORECASE)
_INDEFINITE = re.compile(r"(?:an?|some|any|every|each|another|most|many|all|no)\s+", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]")
_KIND = re.compile(
    r"(?:the\s+)?(?:chemical\s+)?(?:element|metal|gas|metalloid|halogen|country|nation|city|town"
    r"|village|planet|star|river|company)\s+(?:of\s+)?(?=[A-Z]|[a-z]+\Z)"
)
"""What kind of thing a name names, said before it: "the element iron"."""
_ANAPHORS = frozenset(
    listing(
        "element metal gas metalloid nonmetal halogen substance material compound atom country",
        "nation state republic kingdom territory city town village island lake river mountain",
        "planet star galaxy moon company organisation organization language species person author",
        "total whole entity object item",
    )
)
"""Nouns that behind "the" stand for what the heading names."""

_LONGEST = 9
"""Words of a name at most; longer ones are clauses that were read wrongly."""


def reference(phrase: str, known: Names) -> Reference | None:
    """Read a noun phrase.

    Args:
        phrase: the subject of a sentence, or what stands behind "of".
        known: names and topic.

    Returns:
        What it refers to; None for things in general ("a host"), of which there are many, and for
        what is no phrase. What the topic names is one thing even then.
    """
    text = _BRACKETS.sub("", phrase).split(",")[0].strip(" .:;“”\"'")
    if text.lower() in _PRONOUNS:
        return UNSAID
    return _named_by(_KIND.sub("", text), known) if len(text.split()) <= _LONGEST else None


def _named_by(text: str, known: Names) -> Reference | None:
    definite, indefinite = _DEFINITE.match(text), _INDEFINITE.match(text)
    opening = definite or indefinite
    bare = text[opening.end() :] if opening else text
    key = key_of(bare)
    if not key or (bare[0].isdigit() and len(key) == 1):
        return None
    if known.is_proper(bare) or known.topic.issuperset(key):
        return Reference(key, anchored=False)
    if indefinite:
        return None
    if definite:
        said = tuple(sorted(set(key) - {stem(word) for word in _ANAPHORS}))
        return Reference(said, anchored=True)
    return Reference(key, anchored=False)


def key_of(phrase: str) -> Key:
    """The stems of a phrase's content words, in alphabetical order."""
    return tuple(sorted(content_stems(phrase)))


_GENERAL = frozenset(
    stem(word)
    for word in listing(
        "abstract about appendix background basics characteristics chapter comparison conclusion",
        "conclusions content contents data definition description details discovery discussion",
        "economy fact facts figure figures front geography government history identification index",
        "information introduction key main measurement measurements method methods notes number",
        "numbers overview page part people population preface properties property physical",
        "chemical general atomic thermal profile quick reference references result results section",
        "statistics",
        "summary systematic table tables text value values assumptions worry demographics society",
        "demography climate environment transportation energy communications terms isotopes",
        "electronic structure uses occurrence production applications issues",
    )
)
"""Words of headings that structure a text and name nothing."""

_CRUMB = " › "
_PARTS = re.compile(r"\s[|–—-]\s|:\s|\s?[(›]")


def contexts(claim: Claim, source: SourceRef | None) -> tuple[Key, ...]:
    """What heading and title say that a claim is about, most specific first.

    Of a path of headings each one counts, of a title also its part before a dash, colon or
    bracket; headings that only structure a text ("Results", "Geography") do not.
    """
    found: dict[Key, None] = {}
    for phrase in _named(claim, source):
        key = key_of(_KIND.sub("", phrase))
        if key and len(key) <= _LONGEST and not _GENERAL.issuperset(key) and not _is_number(key):
            found[key] = None
    return tuple(found)


def _named(claim: Claim, source: SourceRef | None) -> Iterator[str]:
    yield from reversed((claim.location or "").split(_CRUMB))
    if source is not None:
        yield _PARTS.split(source.title)[0]
        yield source.title


def _is_number(key: Key) -> bool:
    return all(part.isdigit() for part in key)
