"""Windows: the passages of a source by BM25, and in each the sentence that answers a question.

A sentence is seldom understood alone: its neighbours and its heading say what it is about. So whole
passages are weighed, in one measure for all sources.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from caveat.adapters.text.question import Question
from caveat.contracts.source import Landmark, Snapshot
from caveat.rules.text import Span, split_sentences
from caveat.rules.text.words import split_words

_K1, _B = 1.2, 0.75  # of BM25, as usual in the literature

_LONGEST, _AVERAGE = 1_000, 150
"""Characters of a passage at most, and words of a common one: some of the index's, whose bounds are
700 and 1,200."""

_LEAST = 40  # words that a passage counts at least: else a line under a heading would come first

_OWN = 0.1  # what a sentence's own words count beside what its passage means

_PATH = " › "

_ROW = re.compile(r"^[^\t\n]*\t[^\n]*$", re.MULTILINE)  # a row of a table, as readers write it


@dataclass(frozen=True)
class Ranked:
    """A sentence, `text[start:end]`, and its relevance, 0 to 1."""

    start: int
    end: int
    relevance: float


def select_best_windows(
    snapshot: Snapshot,
    question: Question,
    wanted: int,
    similar: Mapping[str, float] = MappingProxyType({}),
    *,
    of_angle: bool = False,
) -> tuple[Ranked, ...]:
    """Choose the sentence of each passage that answers a question best; best passage first.

    Args:
        similar: texts that a search found by their meaning, with their cosine to the question's.
        of_angle: whether the first word of the question is an angle's. Every sentence is chosen
            that has it.
    """
    page = _Page(snapshot, question, similar, of_angle=of_angle)
    chosen: dict[str, Ranked] = {}
    for each in sorted(page.score_passages(), key=lambda one: (-one.relevance, one.start)):
        if len(chosen) >= wanted:
            break
        chosen.setdefault(snapshot.text[each.start : each.end], each)
    return tuple(chosen.values())


_MARKERS = re.compile(r"(?:\s?\[[\w,;–\s^-]{1,80}\]){1,20}\Z")
_BULLET = re.compile(r"(?:(?:[-*•‣▪◦]|\(?\d{1,3}[.)]|\[\d{1,3}\])\s+)+")


def trim_span(text: str, span: Span) -> Span:
    """Leave out a list's bullet before the sentence and reference marks behind it."""
    start, end = span
    bullet = _BULLET.match(text, start, end)
    start = bullet.end() if bullet else start
    markers = _MARKERS.search(text, start, end)
    return Span(start, markers.start() if markers else end)


class _Sentence(NamedTuple):
    """A sentence, its heading, the row that it is a cell of, and what it says of the question."""

    span: Span
    mark: Landmark | None
    row: Span | None
    size: int  # in words
    stems: Sequence[str]  # those that the question asks for, as often as it has them


class _Page:
    """The sentences of a source with what they say of a question."""

    def __init__(
        self,
        snapshot: Snapshot,
        question: Question,
        similar: Mapping[str, float],
        *,
        of_angle: bool,
    ) -> None:
        self._text, self._marks = snapshot.text, snapshot.landmarks
        self._question, self._of_angle = question, of_angle
        # of each stem the places of its words in the question, and what it counts there
        self._forms: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for place, term in enumerate(question.terms):
            for form, worth in term.forms.items():
                self._forms[form].append((place, worth))
        self._similar = [
            (Span(start, start + len(passage)), cosine)
            for passage, cosine in similar.items()
            if (start := snapshot.text.find(passage)) >= 0
        ]
        self._sentences = list(self._read())

    def score_passages(self) -> Iterator[Ranked]:
        """Score the passages that say anything of the question, by what answers best in each."""
        passage: list[_Sentence] = []
        for each in self._sentences:
            if passage and not _are_together(passage[0], each):
                yield from self._select_sentences(passage)
                passage = []
            passage.append(each)
        yield from self._select_sentences(passage)

    def _read(self) -> Iterator[_Sentence]:
        offsets = [mark.offset for mark in self._marks]
        names = set(map(_name, self._marks))
        columns = set(_list_columns(self._marks))
        matches = [*_ROW.finditer(self._text)]
        rows = [Span(*row.span()) for row in matches]
        heads = {row.start() for row in matches if row[0].rpartition("\t")[2] in columns}
        for span in split_sentences(self._text):
            said = self._text[span.start : span.end]
            place = bisect_right(offsets, span.start) - 1
            mark = self._marks[place] if place >= 0 else None
            near = bisect_right(rows, span.start, key=lambda row: row.start) - 1
            row = rows[near] if near >= 0 and span.start < rows[near].end else None
            # What lists others says nothing, nor does a heading or the row of a table's heads.
            is_name = said.rstrip(" :") in names or (row and row.start in heads)
            if is_name or (mark and mark.is_listing):
                continue
            # a cell, with the name of its column: "total_second_round"
            told = f"{_name(mark).replace('_', ' ')} {said}" if row else said
            stems, size = self._find_stems(told)
            yield _Sentence(span, mark, row, size, stems)

    def _select_sentences(self, passage: Sequence[_Sentence]) -> Iterator[Ranked]:
        """The sentence of a passage that says most, or all that have the word of an angle."""
        said = [each for each in passage if not self._states_nothing(each)]
        if not said:
            return
        label = said[0].mark.label if said[0].mark else ""
        head, _ = self._find_stems(label.rpartition(_PATH)[0] if said[0].row else label)
        found = [*head, *(stem for each in passage for stem in each.stems)]
        near = max(map(self._find_similarity, passage))
        if not (found or near):
            return
        size = max(_LEAST, sum(each.size for each in passage))
        weighed = self._weigh_stems(found, size)
        # Else no passage came near 1, and one with two of five words was taken for none on it.
        relevance = (1 + _K1) * weighed / (1 + _K1 * weighed)
        relevance = max(relevance, (1 - _OWN) * near + _OWN * relevance if near else 0.0)
        if self._of_angle:
            own = self._question.terms[0].forms.keys()
            best = [each for each in said if not own.isdisjoint(each.stems)]
        else:
            weights = [self._question.weigh({*each.stems}) for each in said]
            best = [said[weights.index(max(weights))]]
            row, is_undecided = said[0].row, weights.count(max(weights)) > 1  # among its columns
            if row and is_undecided and row.end - row.start <= _LONGEST:
                best = [said[0]._replace(span=row)]
        for each in best:
            yield Ranked(*trim_span(self._text, each.span), round(min(1.0, relevance), 4))

    def _weigh_stems(self, stems: Iterable[str], size: int) -> float:
        """Weigh what a passage says of the question by BM25, of the most that it could be."""
        times: dict[int, float] = defaultdict(float)
        for stem in stems:
            for place, worth in self._forms[stem]:
                times[place] += worth
        room = _K1 * (1 - _B + _B * size / _AVERAGE)
        asked = self._question.terms
        return sum(asked[place].weight * n / (n + room) for place, n in times.items()) / (
            self._question.whole
        )

    def _find_similarity(self, sentence: _Sentence) -> float:
        """How near in meaning the passage is that a sentence stands in."""
        start = sentence.span.start
        near = (cosine for span, cosine in self._similar if span.start <= start < span.end)
        return max(near, default=0.0)

    def _states_nothing(self, sentence: _Sentence) -> bool:
        """Whether it is a question, or nothing is left of it to quote."""
        span = trim_span(self._text, sentence.span)
        return self._text.endswith("?", *sentence.span) or span.end <= span.start

    def _find_stems(self, text: str) -> tuple[list[str], int]:
        """The stems of the question in a text, as often as it has them, and its number of words."""
        found = split_words(text, self._question.language)
        return [word.stem for word in found if word.stem in self._forms], len(found)


def _are_together(first: _Sentence, other: _Sentence) -> bool:
    """Whether two sentences are of one passage: cells of a row, or under one heading."""
    if first.row or other.row:
        return first.row == other.row
    return first.mark is other.mark and other.span.end - first.span.start <= _LONGEST


def _name(mark: Landmark | None) -> str:
    return mark.label.rsplit(_PATH, 1)[-1] if mark else ""


def _list_columns(marks: Iterable[Landmark]) -> Iterator[str]:
    """The heads of columns, which are named behind their rows: `Orlen, Entry`."""
    row = ""
    for name in map(_name, marks):
        if row and name.startswith(f"{row}, "):
            yield name.removeprefix(f"{row}, ")
        else:
            row = name
