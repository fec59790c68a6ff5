"""A question as it is looked for: its words, what may stand for them, and FTS5's words for it."""

import functools
import math
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from importlib import resources
from types import MappingProxyType

from caveat.rules.text.words import (
    detect_language,
    find_measures,
    is_letter,
    list_content_words,
    stem,
)

STAND_IN = 0.6  # what a synonym counts for the word that was asked for

UNKNOWN = 0.5
"""What a word weighs that no document holds, of the mean of the others: by rarity alone it would
weigh most, and the writer's word for a thing would decide."""

FRAMING = 0.5
"""What a word counts that only frames a question: "come" is rare in a manual, and tells nothing."""


TERM_LIMIT = 32
"""Terms of a query that are searched for; a longer query is a text, whose first 32 content words
say what it is about, and time grows with each term."""

_NEAR = 6  # tokens between two words that still belong to one phrase ("constant of Edwin Hubble")


@dataclass(frozen=True)
class Term:
    """One word of a question."""

    stem: str
    weight: float  # how much it tells, from its rarity in the corpus
    forms: Mapping[str, float]  # stems that stand for it, itself among them, and what each counts


@dataclass(frozen=True)
class Question:
    """What is looked for."""

    terms: tuple[Term, ...]  # its words that carry meaning, in order
    language: str = "en"  # in which it is asked; what it is compared with is read as of the same
    whole: float = field(init=False)

    def __post_init__(self) -> None:
        """Add the weights up; a question without words weighs 1, so that shares of it are 0."""
        object.__setattr__(self, "whole", sum(term.weight for term in self.terms) or 1.0)

    def weigh(self, stems: Set[str]) -> float:
        """Weigh what a text of some stems says of it."""
        return sum(
            term.weight * max((term.forms[each] for each in stems & term.forms.keys()), default=0.0)
            for term in self.terms
        )


def list_wanted_stems(text: str, language: str = "en") -> tuple[str, ...]:
    """Name every stem whose frequency `parse_question` wants to know."""
    words = (*list_content_words(text, language), *find_measures(text, language))
    related = (other for each in words for other in _load_groups().get(each.stem, {}))
    return tuple(dict.fromkeys([*(word.stem for word in words), *related]))


def find_unmet_stems(text: str, frequencies: Mapping[str, int], language: str) -> tuple[str, ...]:
    """Name the stems of a question that no document holds in any of their forms."""
    return tuple(
        word.stem
        for word in list_content_words(text, language)
        if not is_letter(word.stem)
        and not any(map(frequencies.get, (word.stem, *_load_groups().get(word.stem, {}))))
    )


def parse_question(
    text: str, frequencies: Mapping[str, int], passages: int, language: str = "en"
) -> Question:
    """Read a question.

    Args:
        frequencies: passages of the corpus that hold each of its `list_wanted_stems`.
    """
    content = list_content_words(text, language)
    words = (*content, *find_measures(text, language))
    related = {word.stem: _load_groups().get(word.stem, {}) for word in words}
    counted = {
        each: frequencies.get(each, 0)
        or max((frequencies.get(other, 0) for other in others), default=0)
        for each, others in related.items()
    }
    rarity = {
        each: math.log(1 + (passages - count + 0.5) / (count + 0.5))
        for each, count in ((each, min(count, passages)) for each, count in counted.items())
        if count
    }
    mean = sum(rarity.values()) / len(rarity) if rarity else 1.0
    terms = tuple(
        Term(
            stem=word.stem,
            weight=mean
            if is_letter(word.stem)
            else rarity.get(word.stem, UNKNOWN * mean)
            # One with a capital letter is a name ("Skerry Point").
            * (FRAMING if word.text.islower() and word.stem in _load_framing() else 1.0),
            # Sorted: who adds their weights up gets the same sum in every process.
            forms={
                other: worth
                for other, worth in sorted(related[word.stem].items())
                if other not in related  # it is asked for itself
            }
            | {word.stem: 1.0},
        )
        for word in words
    )
    # "How deep is the lake?" prefers "is 30 metres deep", and asks for no word.
    named, types = terms[: len(content)], terms[len(content) :]
    least = min((term.weight for term in named), default=1.0)
    weighed = (replace(term, weight=min(term.weight, least)) for term in types)
    return Question((*named, *weighed), language)


def list_terms(text: str, language: str | None = None) -> list[str]:
    """Return the words of a query that carry meaning, in order, each once, in lower case."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return [word.text for word in list_content_words(plain, language or detect_language(plain))][
        :TERM_LIMIT
    ]


def build_term_expression(term: str) -> str:
    """Return the FTS5 expression for one word; quoting leaves it no operators."""
    return '"' + term.replace('"', '""') + '"'


def build_or_expression(forms: Iterable[str]) -> str:
    """Return the FTS5 expression for any of some words, however near."""
    return " OR ".join(map(build_term_expression, forms))


def build_near_expression(one: str, other: str) -> str:
    """Return the FTS5 expression for two words near each other, as in a phrase of the query."""
    return f"NEAR({build_term_expression(one)} {build_term_expression(other)}, {_NEAR})"


@functools.cache
def _load_framing() -> frozenset[str]:
    """Name the stems of words that only frame a question ("big", "thing", "come"), by hand."""
    return frozenset(each for line in _read_stem_lines("framing.txt") for each in line)


@functools.cache
def _load_groups() -> Mapping[str, dict[str, float]]:
    """Read the list, made by hand: the stems of a line stand for each other."""
    groups: dict[str, dict[str, float]] = defaultdict(dict)
    for stems in _read_stem_lines("synonyms.txt"):
        for each in stems:
            groups[each].update(dict.fromkeys(sorted(stems - {each}), STAND_IN))
    return MappingProxyType(groups)


def _read_stem_lines(name: str) -> Iterator[set[str]]:
    """Read the stems of each line, without what stands behind a number sign."""
    lines = resources.files(__package__).joinpath(name).read_text("utf-8").splitlines()
    return ({stem(word) for word in line.partition("#")[0].split()} for line in lines)
