"""Sentences of one source, ranked for a question by what they cover of it.

A score says how much of the question a sentence covers, weighted by how rare the words are. It
does not depend on the other sentences of the source, so scores can be compared across sources.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import pairwise
from typing import NamedTuple

from caveat.adapters.extractive.prose import independence, is_prose
from caveat.contracts.claim import FigureKind
from caveat.contracts.source import Snapshot
from caveat.quantities.kinds import figures_of
from caveat.quantities.reading import quantities
from caveat.quantities.units import Kind
from caveat.rules.text import Span, differ, sentences
from caveat.rules.text.words import WORD, content_stems, stem, words

FLOOR = 0.3
"""Relevance below which a sentence is no answer. A sentence that covers two of five equally rare
words reaches it; one that has a single word of three does not."""

_COVERAGE, _TOGETHER, _ANSWER = 0.75, 0.1, 0.15
"""Shares of a score: what a sentence is about decides, its form only orders what is alike."""

_INSPECTED = 400
"""Sentences that are looked at closely: twenty for each that is wanted at most, so that a text of a
megabyte takes a second and not three."""

_NAMED = 0.5  # what a word counts that only the heading or the title has: it is meant, but not said

_RELATED = 0.6
"""What a word counts that only shares its root with one asked for (expand, expansion)."""

_STAND_IN = 0.8
"""What the sources' own phrase counts for the topic's words when a fitting quantity is with it."""

_MANY = 2
"""Words of a vocabulary that make a sentence fully about its angle; one may be there by chance."""

_ALIKE = 0.7
"""Share of content words in common from which a second sentence of one source says little that is
new, unless it has other numbers, a negation or an opposite."""


class Sought(NamedTuple):
    """What is looked for."""

    # stems of the angle's own words; empty when the angle is the topic itself
    angle: frozenset[str]
    topic: frozenset[str]
    pairs: frozenset[tuple[str, str]]  # neighbours among those words, in order
    rarity: Mapping[str, float]
    # kinds of quantities that answer the question; none when no number does
    kinds: frozenset[Kind] = frozenset()
    # stems that say in the sources' words what the topic asks for; with a fitting quantity they
    # answer as the topic's own words do
    stand_ins: frozenset[str] = frozenset()
    # stems that say in many ways what the angle is about, where somebody wrote them down; a few of
    # them are enough, and `angle` does not count beside them
    vocabulary: frozenset[str] = frozenset()
    # words by which a sentence shows that it answers, for questions that have such
    cue: re.Pattern[str] | None = None
    # kinds of figures that a specialist looks for; a sentence that states one answers
    figures: frozenset[FigureKind] = frozenset()

    @property
    def stems(self) -> frozenset[str]:
        """Every stem that is looked for."""
        return self.angle | self.topic | self.stand_ins | self.vocabulary


@dataclass(frozen=True)
class Ranked:
    """A sentence, `text[start:end]`, and its relevance, 0 to 1."""

    start: int
    end: int
    relevance: float


def rank(snapshot: Snapshot, title: str, query: Sought, wanted: int) -> tuple[Ranked, ...]:
    """Choose the sentences of a source that answer a question best.

    Returns:
        Best first, without repetitions; empty when no sentence is relevant enough.
    """
    context = _Context(snapshot, title, query)
    candidates = [
        candidate
        for span, stems in _Matcher(snapshot.text, query).candidates()
        if (candidate := _candidate(span, stems, context.around(span.start), query))
    ]
    promising = nlargest(_INSPECTED, candidates, key=lambda candidate: candidate.promise)
    found = [
        ranked for candidate in promising if (ranked := _inspected(snapshot.text, candidate, query))
    ]
    found.sort(key=lambda ranked: (-ranked.relevance, ranked.start))
    return tuple(_distinct(snapshot.text, found, wanted))


_MARKERS = re.compile(r"(?:\s?\[[\w,;–\s^-]{1,80}\]){1,20}\Z")
_BULLET = re.compile(r"(?:(?:[-*•‣▪◦]|\(?\d{1,3}[.)]|\[\d{1,3}\])\s+)+")


def quotable(text: str, span: Span) -> Span:
    """Leave out a list's bullet before the sentence and reference marks behind it."""
    start, end = span
    bullet = _BULLET.match(text, start, end)
    start = bullet.end() if bullet else start
    markers = _MARKERS.search(text, start, end)
    return Span(start, markers.start() if markers else end)


class _Matcher:
    """Finds the sentences that have words of the query, without stemming all the others."""

    def __init__(self, text: str, query: Sought) -> None:
        self._text = text
        self._asked = query.stems

    def candidates(self) -> Iterator[tuple[Span, tuple[str, ...]]]:
        """Yield sentences with their matching stems in order of occurrence, "" for other words."""
        meant: dict[str, str] = {}
        for span in sentences(self._text):
            matched = []
            for match in WORD.finditer(self._text, span.start, span.end):
                word = match[0]
                if word not in meant:
                    meant[word] = _meaning(word, self._asked)
                matched.append(meant[word])
            if any(matched):
                yield span, tuple(matched)


def _meaning(word: str, asked: frozenset[str]) -> str:
    """The stem that a word stands for: itself, `~` and a related one, or nothing."""
    found = stem(word)
    if found in asked:
        return found
    for other in sorted(asked):
        if _related(found, other):
            return f"~{other}"
    return ""


def _related(first: str, second: str) -> bool:
    """Whether two stems share their root: four fifths of the longer one, at least five letters."""
    shared = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        shared += 1
    return shared >= 5 and shared >= 0.8 * max(len(first), len(second))


class _Context:
    """The words of the query that title and headings have."""

    def __init__(self, snapshot: Snapshot, title: str, query: Sought) -> None:
        self._offsets = [mark.offset for mark in snapshot.landmarks]
        asked = query.stems
        self._title = content_stems(title) & asked
        known: dict[str, frozenset[str]] = {}
        for mark in snapshot.landmarks:
            if mark.label not in known:
                known[mark.label] = (content_stems(mark.label) & asked) | self._title
        self._named = [known[mark.label] for mark in snapshot.landmarks]

    def around(self, offset: int) -> frozenset[str]:
        """The words named above an offset."""
        position = bisect_right(self._offsets, offset) - 1
        return self._named[position] if position >= 0 else self._title


class _Candidate(NamedTuple):
    """A sentence that has the words; `answering` and `plain` are worths with and without a form."""

    span: Span
    answering: float
    plain: float
    together: float

    @property
    def promise(self) -> float:
        """The most that the sentence can be worth, before its form is looked at."""
        return _COVERAGE * self.answering + _TOGETHER * self.together


def _candidate(
    span: Span, stems: Sequence[str], named: frozenset[str], query: Sought
) -> _Candidate | None:
    said = _said(stems)
    if not _says_enough(said, named, query):
        return None
    return _Candidate(
        span=span,
        answering=_coverage(said, named, query, answers=True),
        plain=_coverage(said, named, query, answers=False),
        together=_togetherness(stems, query),
    )


def _inspected(text: str, candidate: _Candidate, query: Sought) -> Ranked | None:
    span = quotable(text, candidate.span)
    sentence = text[span.start : span.end]
    if not is_prose(sentence):
        return None
    answers = _answers(sentence, query)
    worth = (
        _COVERAGE * (candidate.answering if answers else candidate.plain)
        + _TOGETHER * candidate.together
        + _ANSWER * answers
    )
    relevance = worth * independence(sentence)
    if relevance < FLOOR:
        return None
    return Ranked(span.start, span.end, round(relevance, 4))


def _said(stems: Sequence[str]) -> dict[str, float]:
    said: dict[str, float] = {}
    for found in stems:
        if found.startswith("~"):
            said[found[1:]] = max(_RELATED, said.get(found[1:], 0.0))
        elif found:
            said[found] = 1.0
    return said


def _says_enough(said: Mapping[str, float], named: frozenset[str], query: Sought) -> bool:
    """Whether the sentence itself has the angle's words and not only one word of many."""
    # Both of two are needed, since "standard siren" is no "standard ruler"; the heading may have
    # said one of them.
    if query.vocabulary:
        return not query.vocabulary.isdisjoint(said)
    if query.angle:
        own = sum(_presence(part, said, named) for part in query.angle)
        return own >= 0.6 * len(query.angle) and not query.angle.isdisjoint(said)
    return len(said) >= min(2, len(query.topic))


def _presence(part: str, said: Mapping[str, float], named: frozenset[str]) -> float:
    return max(said.get(part, 0.0), _NAMED if part in named else 0.0)


def _coverage(
    said: Mapping[str, float], named: frozenset[str], query: Sought, *, answers: bool
) -> float:
    topic = _share(query.topic - query.angle, said, named, query.rarity)
    if query.vocabulary:
        spoken = sum(said.get(part, 0.0) for part in query.vocabulary)
        return 0.6 * min(1.0, spoken / _MANY) + 0.4 * topic
    if not query.angle:
        if answers and query.stand_ins:
            return max(topic, _share(query.stand_ins, said, named, query.rarity) * _STAND_IN)
        return topic
    angle = _share(query.angle, said, named, query.rarity)
    # The angle decides where to look, the topic what is asked about it.
    return 0.6 * angle + 0.4 * topic


def _share(
    asked: frozenset[str],
    said: Mapping[str, float],
    named: frozenset[str],
    rarity: Mapping[str, float],
) -> float:
    """Share of the asked words, by rarity, that a sentence says or its headings name."""
    # The rarest word counts twice what the commonest does, not more: in a collection about one
    # subject its name is in every document, and is still what the question is about.
    rarest = max((rarity.get(part, 0.0) for part in asked), default=0.0) or 1.0
    weights = {part: 1 + rarity.get(part, 0.0) / rarest for part in sorted(asked)}
    whole = sum(weights.values())
    found = sum(weight * _presence(part, said, named) for part, weight in weights.items())
    return found / whole if whole else 1.0


def _togetherness(stems: Sequence[str], query: Sought) -> float:
    """Share of the query's neighbouring words that stand side by side in the sentence."""
    if not query.pairs:
        return 0.0
    found = {pair for pair in pairwise(stems) if pair in query.pairs}
    return len(found) / len(query.pairs)


COMPARISON = re.compile(
    r"\b(?:above|below|(?:higher|lower|larger|smaller|more|less|greater) than|agrees?|consistent"
    r"|close to|differs?|tension|compared|exceeds?|middle)\b"
)
"""A sentence that sets values side by side; those are mostly other people's."""


def _answers(sentence: str, query: Sought) -> float:
    """How well a sentence has the form of an answer, 0 to 1: a fitting quantity or a cue."""
    if figures_of(sentence, query.figures):
        return 1.0
    fitting = [found for found in quantities(sentence) if found.kind in query.kinds]
    if any(found.uncertain for found in fitting) and not COMPARISON.search(sentence):
        return 1.0  # whoever states an uncertainty has measured, unless it compares
    if fitting:
        return 0.7
    return 0.5 if query.cue and query.cue.search(sentence) else 0.0


def _distinct(text: str, found: list[Ranked], wanted: int) -> Iterator[Ranked]:
    chosen: list[tuple[frozenset[str], str]] = []
    for ranked in found:
        if len(chosen) == wanted:
            return
        sentence = text[ranked.start : ranked.end]
        stems = content_stems(sentence)
        if not any(
            similarity(stems, other) >= _ALIKE and not differ(sentence, said)
            for other, said in chosen
        ):
            chosen.append((stems, sentence))
            yield ranked


def similarity(first: frozenset[str], second: frozenset[str]) -> float:
    """Share of words that two sentences have in common (Jaccard), 0 to 1."""
    together = first | second
    return len(first & second) / len(together) if together else 1.0


def neighbours(text: str) -> frozenset[tuple[str, str]]:
    """Pairs of content words that stand side by side in a question."""
    found = [word.stem for word in words(text)]
    known = content_stems(text)
    pairs = pairwise(found)
    return frozenset(pair for pair in pairs if pair[0] in known and pair[1] in known)
