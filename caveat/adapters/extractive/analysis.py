"""Reads one source for every angle: its best sentences become claims."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from caveat.adapters.extractive.windows import Ranked, select_best_windows
from caveat.adapters.text.question import Question, Term, list_wanted_stems, parse_question
from caveat.adapters.text.vocabulary import Vocabulary
from caveat.contracts.plan import Assignment
from caveat.contracts.source import Analysis, Claim, Snapshot, SourceRef
from caveat.contracts.tasks import AnalysisTask
from caveat.rules.evidence.claims import quote_span
from caveat.rules.report.answering import DIRECT
from caveat.rules.text.questions import split_question
from caveat.rules.text.sentences import split_sentences
from caveat.rules.text.words import detect_language, find_stems, list_content_stems

LOOKED_AT = 60  # passages of a search whose meaning counts
FLOOR = 0.25  # relevance of a window that says two fifths of an angle and its topic
_ANGLE = 1.5  # what an angle counts beside the topic: it says where to look

_CLAIM_LIMIT = 2_000  # characters that a claim may have by its contract


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
            short = [each for each in windows if each.end - each.start <= _CLAIM_LIMIT]
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
        """Choose what answers each part of the topic, or tells of an angle."""
        if angle.title != DIRECT:
            asked = await self._build_angle_question(task, angle)
            similar = await self._find_similar_passages(task, f"{angle.title} {task.topic}")
            ranked = await asyncio.to_thread(
                select_best_windows, snapshot, asked, task.wanted, similar, of_angle=True
            )
            return [each for each in ranked if each.relevance >= FLOOR]
        best: dict[tuple[int, int], Ranked] = {}
        for part in split_question(task.topic):
            asked = await self._build_question(task, part)
            similar = await self._find_similar_passages(task, part)
            ranked = await asyncio.to_thread(
                select_best_windows, snapshot, asked, task.wanted, similar
            )
            for each in ranked:
                known = best.setdefault((each.start, each.end), each)
                best[each.start, each.end] = max(known, each, key=lambda one: one.relevance)
        return sorted(best.values(), key=lambda one: (-one.relevance, one.start))

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
            if each.end - each.start <= _CLAIM_LIMIT
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
