"""Reads one source for every angle: the best sentences of its passages become claims.

Passages are cut and weighed as the index does it.
"""

import asyncio
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, groupby
from types import MappingProxyType
from typing import NamedTuple

from caveat.adapters.documents.composer import PARAGRAPH_BREAK
from caveat.adapters.documents.passages import split_passages
from caveat.adapters.text.question import Question, list_wanted_stems, parse_question
from caveat.adapters.text.vocabulary import Vocabulary
from caveat.contracts.plan import Assignment
from caveat.contracts.source import CLAIM_LIMIT, Analysis, Claim, Snapshot, SourceRef
from caveat.contracts.tasks import AnalysisTask
from caveat.rules.evidence.claims import quote_span
from caveat.rules.report.answering import DIRECT
from caveat.rules.text.questions import split_question
from caveat.rules.text.sentences import Span, split_sentences
from caveat.rules.text.words import detect_language, find_stems, split_words

LOOKED_AT = 60  # passages of a search whose meaning counts
FLOOR = 0.45  # relevance of a window that says three fifths of a query of an angle


class Ranked(NamedTuple):
    """A sentence, `text[start:end]`, and its relevance, 0 to 1."""

    start: int
    end: int
    relevance: float


@dataclass(frozen=True)
class Analyst:
    """Quotes the sentences of a source that answer a question."""

    vocabulary: Vocabulary
    compares_meanings: bool = False  # else no passage has a cosine, and none is searched for

    async def analyse(self, task: AnalysisTask, snapshot: Snapshot) -> Analysis:
        """Return the best sentences as claims; none when no passage is relevant enough."""
        claims: list[Claim] = []
        for angle in task.assignments:
            windows = await self._rank(task, angle, snapshot)
            short = [each for each in windows if each.end - each.start <= CLAIM_LIMIT]
            claims += (
                quote_span(
                    snapshot, (each.start, each.end), task.source.id, each.relevance, angle.id
                )
                for each in short[: task.wanted]
            )
        return Analysis(claims=tuple(claims), read_to=len(snapshot.text))

    async def _rank(
        self, task: AnalysisTask, angle: Assignment, snapshot: Snapshot
    ) -> Sequence[Ranked]:
        """Choose what answers each part of the topic, or each query of an angle."""
        is_direct = angle.title == DIRECT
        best: dict[tuple[int, int], Ranked] = {}
        for part in split_question(task.topic) if is_direct else angle.queries:
            asked = await self._build_question(task, part)
            similar = await self._find_similar_passages(task, part)
            ranked = await asyncio.to_thread(
                select_best_windows, snapshot, asked, task.wanted, similar
            )
            for each in ranked:
                known = best.setdefault((each.start, each.end), each)
                best[each.start, each.end] = max(known, each, key=lambda one: one.relevance)
        near = (each for each in best.values() if is_direct or each.relevance >= FLOOR)
        return sorted(near, key=lambda one: (-one.relevance, one.start))

    async def _build_question(self, task: AnalysisTask, topic: str) -> Question:
        language = detect_language(topic)
        stems = list_wanted_stems(topic, language)
        counts = await self.vocabulary.count_frequencies(task.corpus, stems)
        total = await self.vocabulary.count_documents(task.corpus)
        return parse_question(topic, counts, total, language)

    async def _find_similar_passages(self, task: AnalysisTask, topic: str) -> dict[str, float]:
        """The source's passages that a search for a topic finds by meaning, with their cosine."""
        if not self.compares_meanings:
            return {}
        passages = await self.vocabulary.find_passages(task.corpus, topic, LOOKED_AT)
        return {
            passage.text: passage.similarity
            for passage in passages
            if passage.source_id == task.source.id and passage.similarity is not None
        }


def find_passages(
    question: str, texts: Sequence[tuple[SourceRef, Snapshot]], wanted: int
) -> tuple[Claim, ...]:
    """Quote the sentences of some texts that answer a question best, best first.

    Behind the best few stands the next sentence, which may say what they lead to.
    """
    snapshots = {source.id: snapshot for source, snapshot in texts}
    parts = split_question(question)
    chosen: dict[tuple[str, int], Claim] = {}
    for part in parts:
        language = detect_language(part)
        sought = list_wanted_stems(part, language)
        held = (find_stems(snapshot.text, sought, language) for _, snapshot in texts)
        counts = Counter(chain.from_iterable(held))
        asked = parse_question(part, counts, len(texts), language)
        claims = [
            _quote_whole_row(snapshot, each, source.id)
            for source, snapshot in texts
            for each in select_best_windows(snapshot, asked, wanted)
            if each.end - each.start <= CLAIM_LIMIT
        ]
        claims.sort(key=lambda claim: -claim.relevance)
        best = [
            claim
            for claim in claims[: wanted // len(parts)]
            if claim.relevance >= _LEAST * claims[0].relevance
            and ("\t" in claim.quote or len(claim.quote.split()) > _FEW_WORDS)
        ]
        for each in best:
            chosen.setdefault((each.source_id, each.start), each)
        for each in best[:_FOLLOWED]:
            if (behind := _quote_next_sentence(snapshots[each.source_id], each)) is not None:
                chosen.setdefault((behind.source_id, behind.start), behind)
    return tuple(chosen.values())


_LEAST = (
    0.33  # of the best quote's relevance; of 28 answers none stands below, and 6 of 31 quotes do
)
_FEW_WORDS = 3  # of greetings and labels

_FOLLOWED = 5  # quotes behind which the next sentence is quoted as well


def _quote_next_sentence(snapshot: Snapshot, claim: Claim) -> Claim | None:
    """Quote the sentence behind a quote; None at the end of its paragraph, and behind a row."""
    paragraph = snapshot.text[claim.end : claim.end + CLAIM_LIMIT].partition("\n")[0]
    spans = split_sentences(paragraph) if "\t" not in claim.quote else ()
    for span in spans[:1]:
        start, end = claim.end + span.start, claim.end + span.end
        return quote_span(snapshot, (start, end), claim.source_id, claim.relevance / 2)
    return None


def _quote_whole_row(snapshot: Snapshot, window: Ranked, source_id: str) -> Claim:
    """Quote a sentence, or of a cell its row: a figure alone says nothing to who writes from it."""
    span = Span(window.start, window.end)
    row = _find_row(snapshot.text, span)
    whole = row if row and row.end - row.start <= CLAIM_LIMIT else span
    return quote_span(snapshot, whole, source_id, window.relevance)


_K1, _B = 1.2, 0.75  # of BM25, as usual in the literature

_SHORTEST, _AVERAGE = 40, 150
"""Words that a passage counts at least, else a line under a heading would come first, and words of
a common one."""

_LONGEST = 1_000  # characters of a row that is quoted whole

_WIDEST = 20_000  # characters of a row on each side of a cell: a paragraph may be megabytes long

_OWN = 0.1  # what a passage's words count beside what it means

_CRUMB = " › "


def select_best_windows(
    snapshot: Snapshot,
    question: Question,
    wanted: int,
    similar: Mapping[str, float] = MappingProxyType({}),
) -> tuple[Ranked, ...]:
    """Choose the sentence of each passage that answers a question best; best passage first.

    Args:
        similar: texts that a search found by their meaning, with their cosine to the question's.
    """
    text = snapshot.text
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
        weights = [
            question.weigh(find(f"{head} {text[slice(*span)]}"))
            for head, span in zip(passage.heads, passage.spans, strict=True)
        ]
        best = passage.spans[weights.index(max(weights))]
        if passage.row and weights.count(max(weights)) > 1:  # nobody asks for one column
            best = passage.row
        ranked.append(Ranked(*best, round(min(1.0, relevance), 4)))
    chosen: dict[str, Ranked] = {}
    for each in sorted(ranked, key=lambda one: (-one.relevance, one.start)):
        if len(chosen) < wanted:
            chosen.setdefault(text[each.start : each.end], each)
    return tuple(chosen.values())


def _weigh(question: Question, text: str) -> float:
    """Weigh what a text says of a question by BM25, of the most that it could be."""
    words = split_words(text, question.language)
    times = Counter(word.stem for word in words)
    room = _K1 * (1 - _B + _B * max(_SHORTEST, len(words)) / _AVERAGE)
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
            words = " ".join([text[slice(*row)], *heads])
            short = row if row.end - row.start <= _LONGEST else None
            # the row of a table's heads has no head itself
            first, last = (bisect_left(offsets, end) for end in row)
            if first < last or not are_rows_named:
                yield _Passage(heading, words, whole, quotable, heads, short)


def _find_row(text: str, span: Span) -> Span | None:
    """Find the row of a table that a cell stands in; None for a sentence."""
    before = text[max(0, span.start - _WIDEST) : span.start].rpartition("\n")[2]
    behind = text[span.end : span.end + _WIDEST].partition("\n")[0]
    row = Span(span.start - len(before), span.end + len(behind))
    return row if "\t" in text[slice(*row)] else None
