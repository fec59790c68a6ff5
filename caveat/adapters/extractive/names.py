"""Names: which words of a run's claims are names, and what its topic speaks of."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from caveat.contracts.claim import Claim
from caveat.rules.text.words import build_word_list, is_content, stem


@dataclass(frozen=True)
class Names:
    """What is known of names before a sentence is read."""

    # lower-case words that are written as names within sentences, and never otherwise
    proper: frozenset[str]
    # runs of the words of topic and angles, each a tuple of stems
    asked: frozenset[tuple[str, ...]]

    def is_proper(self, text: str) -> bool:
        """Whether a phrase has a name in it; "the National Assembly" is one in every country."""
        return any(
            word.lower() in self.proper and stem(word) not in OFFICES
            for word in _WORD.findall(text)
        )

    def is_asked(self, text: str) -> bool:
        """Whether the topic speaks of just this, in these words."""
        return tuple(stem(word) for word in _WORD.findall(text) if is_content(word)) in self.asked


_WORD = re.compile(r"\w+")
_WITHIN = re.compile(r"(?<=[\w,;’')] )[^\W\d_]\w*")  # words that open no sentence


OFFICES = frozenset(
    stem(word)
    for word in build_word_list(
        "president presidency minister ministry government parliament senate assembly congress",
        "chamber house deputies representatives council court constitution cabinet commission",
        "committee department agency office bank army navy force police church university college",
        "school museum library party union national federal supreme central general royal state",
        "prime vice high grand united people public act law treaty king queen prince emperor",
        "north south east west northern southern eastern western new old great",
    )
)
"""Words that are written as names, and stand for another thing in every country or town."""


def learn_names(claims: Iterable[Claim], topics: Iterable[str]) -> Names:
    """Learn which words are names, and what is asked.

    Args:
        claims: words with a capital within their sentences, and never with a small letter, are
            names.
    """
    capital: set[str] = set()
    small: set[str] = set()
    for claim in claims:
        for word in _WITHIN.findall(claim.quote):
            (small if word[0].islower() else capital).add(word.lower())
    return Names(
        frozenset(capital - small),
        frozenset(run for text in topics for run in _list_word_runs(text)),
    )


_RUN = re.compile(r"[^,;:.?!()]+")
_LONGEST_RUN = 9  # words of what a topic speaks of, at most
_TITLE_CASE = 4  # words that all have capitals, above which they are a heading and no name


def _list_word_runs(topic: str) -> Iterator[tuple[str, ...]]:
    """Cut a topic into what it may speak of: neighbouring words, but no part of a longer name."""
    for part in _RUN.findall(topic):
        found = [word for word in _WORD.findall(part) if is_content(word)]
        heading = len(found) > _TITLE_CASE and all(word[0].isupper() for word in found)
        for start, end in combinations(range(len(found) + 1), 2):
            around = (*found[max(0, start - 1) : start], *found[end : end + 1])
            is_part = any(word[0].isupper() for word in around) and not heading
            if end - start <= _LONGEST_RUN and not (is_part and found[start][0].isupper()):
                yield tuple(stem(word) for word in found[start:end])
