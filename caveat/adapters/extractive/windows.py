"""Windows: of a source's passages, cut and weighed as the index does it, the best sentences."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from caveat.adapters.documents.composer import PARAGRAPH_BREAK
from caveat.adapters.documents.passages import split_passages
from caveat.adapters.text.question import Question
from caveat.contracts.source import Snapshot
from caveat.rules.text.sentences import Span, split_sentences
from caveat.rules.text.words import find_stems, split_words

_K1, _B = 1.2, 0.75  # of BM25, as usual in the literature

_LEAST, _AVERAGE = 40, 150
"""Words that a passage counts at least, else a line under a heading would come first, and words of
a common one."""

_LONGEST = 1_000  # characters of a row that is quoted whole

_OWN = 0.1  # what a passage's words count beside what it means

_CRUMB = " › "


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
    text, own = snapshot.text, question.terms[0].forms.keys() if of_angle else ()
    forms = {form for term in question.terms for form in term.forms}
    find_forms = partial(find_stems, wanted=forms, language=question.language)
    find = lru_cache(1_000)(find_forms)  # headings return
    ranked: list[Ranked] = []

    def may_answer(heading: str, whole: str) -> bool:
        return bool(whole in similar or find(heading) or find(whole))

    for passage in _cut(snapshot, may_answer):
        relevance = _weigh(question, f"{passage.heading} {passage.text}")
        if near := similar.get(passage.whole, 0.0):
            relevance = max(relevance, (1 - _OWN) * near + _OWN * relevance)
        if not relevance:
            continue
        stems = [
            find(f"{head} {text[slice(*span)]}")
            for head, span in zip(passage.heads, passage.spans, strict=True)
        ]
        weights = list(map(question.weigh, stems))
        if of_angle:
            best = [
                span
                for span, there in zip(passage.spans, stems, strict=True)
                if not there.isdisjoint(own)
            ]
        elif passage.row and weights.count(max(weights)) > 1:  # nobody asks for one column
            best = [passage.row]
        else:
            best = [passage.spans[weights.index(max(weights))]]
        ranked += (Ranked(*each, round(min(1.0, relevance), 4)) for each in best)
    chosen: dict[str, Ranked] = {}
    for each in sorted(ranked, key=lambda one: (-one.relevance, one.start)):
        if len(chosen) < wanted:
            chosen.setdefault(text[each.start : each.end], each)
    return tuple(chosen.values())


def _weigh(question: Question, text: str) -> float:
    """Weigh what a text says of a question by BM25, of the most that it could be."""
    words = split_words(text, question.language)
    times = Counter(word.stem for word in words)
    room = _K1 * (1 - _B + _B * max(_LEAST, len(words)) / _AVERAGE)
    counts = [
        (term.weight, sum(worth * times[form] for form, worth in term.forms.items()))
        for term in question.terms
    ]
    weighed = sum(weight * n / (n + room) for weight, n in counts) / question.whole
    # Else no passage came near 1, and one with two of five words was taken for none on it.
    return (1 + _K1) * weighed / (1 + _K1 * weighed)


_MARKERS = re.compile(r"(?:\s?\[[\w,;–\s^-]{1,80}\]){1,20}\Z")
_BULLET = re.compile(r"(?:(?:[-*•‣▪◦]|\(?\d{1,3}[.)]|\[\d{1,3}\])\s+)+")


def trim_span(text: str, span: Span) -> Span:
    """Leave out a list's bullet before the sentence and reference marks behind it."""
    start, end = span
    bullet = _BULLET.match(text, start, end)
    start = bullet.end() if bullet else start
    markers = _MARKERS.search(text, start, end)
    return Span(start, markers.start() if markers else end)


class _Passage(NamedTuple):
    """Sentences under one heading, or the cells of a row."""

    heading: str
    text: str  # of a row with the heads of its columns
    whole: str  # the passage of the index that it is part of
    spans: Sequence[Span]  # of what may be quoted
    heads: Sequence[str]  # of each of these the column; empty for a sentence
    row: Span | None = None  # where it is a row that may be quoted whole


def _cut(snapshot: Snapshot, may_answer: Callable[[str, str], bool]) -> Iterator[_Passage]:
    """Cut a source into passages, of a table each row; what lists others says nothing."""
    text, at = snapshot.text, 0
    offsets = [mark.offset for mark in snapshot.landmarks]
    names = {mark.label.rpartition(_CRUMB)[2] for mark in snapshot.landmarks}
    are_rows_named = any(", " in name for name in names)
    for heading, whole, _ in split_passages(snapshot):
        paragraphs = whole.split(PARAGRAPH_BREAK)  # of which one may be a part of a long one
        begins: list[int] = []
        for paragraph in paragraphs:
            begins.append(text.index(paragraph, at))
            at = begins[-1] + len(paragraph)
        if snapshot.is_listing(begins[0]) or not may_answer(heading, whole):
            continue
        spans = (
            Span(begin + start, begin + end)
            for begin, paragraph in zip(begins, paragraphs, strict=True)
            for start, end in split_sentences(paragraph)
        )
        for row, group in groupby(spans, lambda span: _find_row(text, span)):
            quotable = [
                trimmed
                for span in group
                if text[slice(*span)].rstrip(" :") not in names and text[span.end - 1] != "?"
                if (trimmed := trim_span(text, span)).end > trimmed.start
            ]
            if not quotable:
                continue
            if row is None:
                yield _Passage(heading, whole, whole, quotable, [""] * len(quotable))
                continue
            labels = [snapshot.find_location(span.start) or "" for span in quotable]
            heads = [label.rpartition(_CRUMB)[2].replace("_", " ") for label in labels]
            said = " ".join([text[slice(*row)], *heads])
            short = row if row.end - row.start <= _LONGEST else None
            # the row of a table's heads has no head itself
            first, last = (bisect_left(offsets, end) for end in row)
            if first < last or not are_rows_named:
                yield _Passage(heading, said, whole, quotable, heads, short)


def _find_row(text: str, span: Span) -> Span | None:
    """Find the row of a table that a cell stands in; None for a sentence."""
    start, stop = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end)
    row = Span(start, stop if stop >= 0 else len(text))
    return row if "\t" in text[slice(*row)] else None
