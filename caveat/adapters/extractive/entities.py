"""Entities: what a value is of, named in the sentence or in the headings above it."""

import re
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.contracts.source import SourceRef
from caveat.rules.lines import build_word_list
from caveat.rules.text.words import is_content, list_content_stems, stem

Key = tuple[str, ...]
"""The stems of a name in alphabetical order, so that word order does not tell names apart."""

Topics = frozenset[tuple[str, ...]]
"""What a question may be about: its neighbouring content words, as stems."""


class Reference(NamedTuple):
    """How a sentence refers to what it speaks of."""

    key: Key  # stems of the words that it uses; none for a pronoun, or when it says nothing
    is_anchored: bool  # whether heading or title must say the rest, as for "it" and "the lens"
    said: str = ""


UNSAID = Reference((), is_anchored=True)  # the sentence leaves it to the heading or title

_DEFINITE = re.compile(r"(?:the|this|that|these|those|its|their|his|her|our)\s+", re.IGNORECASE)
_LONGEST = 9  # words of a name at most; longer ones are clauses that were read wrongly


def parse_reference(phrase: str, topics: Topics) -> Reference:
    """Read a noun phrase."""
    text = phrase.strip(" .:;“”\"'")
    definite = _DEFINITE.match(text)
    bare = text[definite.end() :] if definite else text
    key = build_key(bare)
    if not key:
        return UNSAID
    is_name = is_asked(bare, topics) or any(word[0].isupper() for word in bare.split())
    return Reference(key, definite is not None and not is_name, bare)


def build_key(phrase: str) -> Key:
    """The stems of a phrase's content words, in alphabetical order."""
    return tuple(sorted(list_content_stems(phrase)))


_WORD = re.compile(r"\w+")
_PART = re.compile(r"[^,;:.?!()]+")


def list_topics(questions: Iterable[str]) -> Topics:
    """Cut questions into what they may be about."""
    return frozenset(
        stems[start:end]
        for text in questions
        for stems in map(_list_stems, _PART.findall(text))
        for start, end in combinations(range(len(stems) + 1), 2)
        if end - start <= _LONGEST
    )


def is_asked(phrase: str, topics: Topics) -> bool:
    """Whether a question speaks of just this, in these words."""
    return _list_stems(phrase) in topics


def _list_stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in _WORD.findall(text) if is_content(word))


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


def list_contexts(claim: Claim, source: SourceRef | None, topics: Topics) -> list[Key]:
    """What headings and title say that a claim is about, most specific first.

    A heading counts if a question asks for it: "Installation" stands in every manual.
    """
    headings = reversed((claim.location or "").split(" › "))
    named = [
        *(each for each in headings if is_asked(each, topics)),
        *([source.title] if source else []),
    ]
    keys = (tuple(each for each in build_key(name) if each not in _GENERAL) for name in named)
    return [key for key in dict.fromkeys(keys) if key]
