"""Reads one source for every angle: its best sentences become claims."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from caveat.adapters.extractive.windows import Ranked, select_best_windows
from caveat.adapters.text.question import Question, Term, list_wanted_stems, parse_question
from caveat.adapters.text.vocabulary import Vocabulary
from caveat.contracts.claim import Analysis, Claim
from caveat.contracts.plan import Assignment
from caveat.contracts.source import Snapshot, SourceRef
from caveat.contracts.tasks import AnalysisTask
from caveat.rules.evidence import quote_span
from caveat.rules.report import DIRECT
from caveat.rules.text import split_sentences
from caveat.rules.text.questions import split_question
from caveat.rules.text.words import StemFinder, detect_language, list_content_stems

SEGMENT = 200_000
"""Characters that are ranked at once: a fifth of a second, so that little is lost with a worker."""

LOOKED_AT = 60  # passages of a search whose meaning counts
FLOOR = 0.25  # relevance of a window that says two fifths of an angle and its topic
_ANGLE = 1.5  # what an angle counts beside the topic: it says where to look

_CLAIM_LIMIT = 2_000  # characters that a claim may have by its contract


@dataclass(frozen=True)
class Analyst:
    """Quotes the sentences of a source that answer a question."""

    vocabulary: Vocabulary

    async def analyse(
        self, task: AnalysisTask, snapshot: Snapshot, on_partial: Callable[[Analysis, float], None]
    ) -> Analysis:
        """Return the best sentences as claims; none when no passage is relevant enough."""
        ranks = {angle: await self._build_ranking(task, angle) for angle in task.assignments}
        size, end = len(snapshot.text), task.start_at
        best: dict[Assignment, list[Ranked]] = {angle: [] for angle in task.assignments}
        # Cut at blank lines, so that a long text can be taken up where it was left.
        while (start := end) < size:
            cut = snapshot.text.find("\n\n", start + SEGMENT)
            end = size if cut < 0 else cut + 2
            part = _slice_snapshot(snapshot, start, end)
            for angle, rank_ in ranks.items():
                windows = await asyncio.to_thread(rank_, part)
                shifted = [
                    Ranked(start + one.start, start + one.end, one.relevance) for one in windows
                ]
                both = [*best[angle], *shifted]
                best[angle] = sorted(both, key=lambda one: (-one.relevance, one.start))
            if end < size:
                on_partial(_build_analysis(task, snapshot, best, end), end / size)
        return _build_analysis(task, snapshot, best, size)

    async def _build_ranking(
        self, task: AnalysisTask, assignment: Assignment
    ) -> Callable[[Snapshot], Sequence[Ranked]]:
        """Choose what answers the topic, each of its parts, or tells of an angle."""
        wanted = task.wanted
        if assignment.title != DIRECT:
            angle = await self._build_angle_question(task, assignment)
            similar = await self._find_similar_passages(task, f"{assignment.title} {task.topic}")
            return lambda part: [
                each
                for each in select_best_windows(part, angle, wanted, similar, of_angle=True)
                if each.relevance >= FLOOR
            ]
        asked = [
            (await self._build_question(task, each), await self._find_similar_passages(task, each))
            for each in split_question(task.topic)
        ]
        return lambda part: _interleave(
            [select_best_windows(part, each, wanted, similar) for each, similar in asked]
        )

    async def _build_angle_question(self, task: AnalysisTask, assignment: Assignment) -> Question:
        """Ask of an angle: the topic, and as one more word any of the angle's own."""
        own = " ".join((assignment.title, *assignment.queries))
        asked = await self._build_question(task, f"{task.topic} {own}")
        topic = list_content_stems(task.topic, asked.language)
        terms = [each for each in asked.terms if each.stem in topic]
        forms = {
            form: worth
            for each in asked.terms
            if each not in terms
            for form, worth in each.forms.items()
        }
        weight = _ANGLE * sum(each.weight for each in terms) or 1.0
        return Question((Term(assignment.title, weight, forms), *terms), asked.language)

    async def _build_question(self, task: AnalysisTask, topic: str) -> Question:
        language = detect_language(topic)
        stems = list_wanted_stems(topic, language)
        counts = await self.vocabulary.count_frequencies(task.corpus, stems)
        total = await self.vocabulary.count_documents(task.corpus)
        return parse_question(topic, counts, total, language)

    async def _find_similar_passages(self, task: AnalysisTask, topic: str) -> dict[str, float]:
        """The source's passages that a search for a topic finds by meaning, with their cosine."""
        passages = await self.vocabulary.find_passages(task.corpus, topic, LOOKED_AT)
        return {
            passage.text: passage.similarity
            for passage in passages
            if passage.source_id == task.source.id and passage.similarity is not None
        }


def _interleave(windows: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """The best of each part of a question, then the second best, each place once at its best."""
    places: dict[tuple[int, int], Ranked] = {}
    for row in zip_longest(*windows):
        for window in filter(None, row):
            known = places.setdefault((window.start, window.end), window)
            places[window.start, window.end] = max(known, window, key=lambda one: one.relevance)
    return list(places.values())


def _slice_snapshot(snapshot: Snapshot, start: int, end: int) -> Snapshot:
    if (start, end) == (0, len(snapshot.text)):
        return snapshot
    above = [mark for mark in snapshot.landmarks if mark.offset <= start][-1:]
    within = [mark for mark in snapshot.landmarks if start < mark.offset < end]
    return Snapshot(
        text=snapshot.text[start:end],
        landmarks=tuple(
            mark.model_copy(update={"offset": max(0, mark.offset - start)})
            for mark in (*above, *within)
        ),
    )


def _build_analysis(
    task: AnalysisTask,
    snapshot: Snapshot,
    best: Mapping[Assignment, Sequence[Ranked]],
    read_to: int,
) -> Analysis:
    claims = [
        quote_span(
            snapshot, (window.start, window.end), task.source.id, window.relevance, assignment.id
        )
        for assignment, ranked in best.items()
        for window in _filter_short(ranked)[: task.wanted]
    ]
    return Analysis(claims=tuple(claims), read_to=read_to)


def _filter_short(ranked: Sequence[Ranked]) -> list[Ranked]:
    return [window for window in ranked if window.end - window.start <= _CLAIM_LIMIT]


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
        stems = StemFinder(list_wanted_stems(part, language), language)
        counts = Counter(stem for _, snapshot in texts for stem in stems.find(snapshot.text))
        asked = parse_question(part, counts, len(texts), language)
        claims = [
            _quote_whole_row(snapshot, each, source.id)
            for source, snapshot in texts
            for each in _filter_short(select_best_windows(snapshot, asked, wanted))
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
    paragraph = snapshot.text[claim.end : claim.end + _CLAIM_LIMIT].partition("\n")[0]
    spans = split_sentences(paragraph) if "\t" not in claim.quote else ()
    for span in spans[:1]:
        start, end = claim.end + span.start, claim.end + span.end
        return quote_span(snapshot, (start, end), claim.source_id, claim.relevance / 2)
    return None


def _quote_whole_row(snapshot: Snapshot, window: Ranked, source_id: str) -> Claim:
    """Quote a sentence, or of a cell its row: a figure alone says nothing to who writes from it."""
    text, start, end = snapshot.text, window.start, window.end
    begin, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line = slice(begin, stop if stop >= 0 else len(text))
    if "\t" not in text[line] or len(text[line]) > _CLAIM_LIMIT:
        return quote_span(snapshot, (start, end), source_id, window.relevance)
    return quote_span(snapshot, (line.start, line.stop), source_id, window.relevance)
