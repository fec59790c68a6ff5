"""Reads one source for every angle: its best sentences become claims."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from caveat.adapters.extractive.windows import Ranked, best_windows
from caveat.adapters.text.question import Question, Term, asked_stems, question, unmet
from caveat.adapters.text.vocabulary import Vocabulary
from caveat.contracts.claim import Analysis, Claim
from caveat.contracts.plan import Assignment
from caveat.contracts.source import Snapshot
from caveat.contracts.tasks import AnalysisTask
from caveat.quantities.kinds import CUES
from caveat.rules.report import DIRECT
from caveat.rules.text.questions import parts
from caveat.rules.text.words import content_stems, language_of

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
        ranks = {each: await self._ranking(task, each) for each in task.assignments}
        size = len(snapshot.text)
        best: dict[Assignment, list[Ranked]] = {each: [] for each in task.assignments}
        for start, end in _segments(snapshot.text, task.start_at):
            part = _part(snapshot, start, end)
            for each, rank_ in ranks.items():
                found = await asyncio.to_thread(rank_, part)
                shifted = [
                    Ranked(start + one.start, start + one.end, one.relevance) for one in found
                ]
                both = [*best[each], *shifted]
                best[each] = sorted(both, key=lambda one: (-one.relevance, one.start))
            if end < size:
                on_partial(_analysis(task, snapshot, best, end), end / size)
        return _analysis(task, snapshot, best, size)

    async def _ranking(
        self, task: AnalysisTask, assignment: Assignment
    ) -> Callable[[Snapshot], Sequence[Ranked]]:
        """Choose what answers the topic, each of its parts, or tells of an angle."""
        title, wanted = task.source.title, task.wanted
        if assignment.title != DIRECT:
            of_angle, own = await self._of_angle(task, assignment)
            similar = await self._similar(task, f"{assignment.title} {task.topic}")
            return lambda part: [
                each
                for each in best_windows(part, title, of_angle, wanted, similar, own)
                if each.relevance >= FLOOR
            ]
        asked = [
            (await self._question(task, each), await self._similar(task, each))
            for each in parts(task.topic)
        ]
        return lambda part: _alternating(
            [best_windows(part, title, each, wanted, similar) for each, similar in asked]
        )

    async def _of_angle(self, task: AnalysisTask, assignment: Assignment) -> tuple[Question, int]:
        """Ask of an angle: its title and the topic, or any of a specialist's own words.

        Returns:
            The question, and how many of its words, from the first, are the angle's.
        """
        cues = " ".join(CUES[kind] for kind in assignment.figures)
        named = f"{assignment.title} {task.topic}"
        told = f"{' '.join(assignment.queries)} {cues}"
        asked = await self._question(task, f"{named} {told}")
        topic = content_stems(task.topic, asked.language)
        beyond = content_stems(told, asked.language) - content_stems(named, asked.language)
        own = [each for each in asked.terms if each.stem not in topic] or [*asked.terms]
        rest = [each for each in asked.terms if each not in own]
        forms = {form: worth for each in own for form, worth in each.forms.items()}
        whole = sum(each.weight for each in own)
        if beyond:  # many ways of saying one thing
            own = [Term(own[0].stem, whole, forms)]
        share = _ANGLE * sum(each.weight for each in rest) / whole if rest else 1.0
        own = [replace(each, weight=each.weight * share) for each in own]
        # What the topic asks for, a day or a price, is no business of an angle.
        return Question((*own, *rest), (), language=asked.language), len(own)

    async def _question(self, task: AnalysisTask, topic: str) -> Question:
        language = language_of(topic)
        stems = asked_stems(topic, language)
        counts = await self.vocabulary.document_frequencies(task.corpus, stems)
        lacking = unmet(topic, counts, language)
        near = await self.vocabulary.nearest(task.corpus, lacking)
        total = await self.vocabulary.document_count(task.corpus)
        return question(topic, counts, total, language, near)

    async def _similar(self, task: AnalysisTask, topic: str) -> dict[str, float]:
        """The source's passages that a search for a topic finds by meaning, with their cosine."""
        found = await self.vocabulary.passages(task.corpus, topic, LOOKED_AT)
        return {
            passage.text: passage.similarity
            for passage in found
            if passage.source_id == task.source.id and passage.similarity is not None
        }


def _alternating(found: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """The best of each part of a question, then the second best, each place once at its best."""
    places: dict[tuple[int, int], Ranked] = {}
    for row in zip_longest(*found):
        for each in filter(None, row):
            known = places.setdefault((each.start, each.end), each)
            places[each.start, each.end] = max(known, each, key=lambda one: one.relevance)
    return list(places.values())


def _segments(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Cut a text at blank lines, so that a long one can be taken up where it was left."""
    while start < len(text):
        cut = text.find("\n\n", start + SEGMENT)
        end = len(text) if cut < 0 else cut + 2
        yield start, end
        start = end


def _part(snapshot: Snapshot, start: int, end: int) -> Snapshot:
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


def _analysis(
    task: AnalysisTask,
    snapshot: Snapshot,
    best: Mapping[Assignment, Sequence[Ranked]],
    read_to: int,
) -> Analysis:
    claims = [
        _claim(task, assignment, snapshot, found)
        for assignment, ranked in best.items()
        for found in _short(ranked)[: task.wanted]
    ]
    return Analysis(claims=tuple(claims), read_to=read_to)


def _short(ranked: Sequence[Ranked]) -> list[Ranked]:
    return [found for found in ranked if found.end - found.start <= _CLAIM_LIMIT]


def _claim(task: AnalysisTask, assignment: Assignment, snapshot: Snapshot, found: Ranked) -> Claim:
    quote = snapshot.text[found.start : found.end]
    return Claim(
        id=f"{assignment.id}-{task.source.id}-{found.start}",
        text=quote,
        quote=quote,
        source_id=task.source.id,
        assignment_id=assignment.id,
        start=found.start,
        end=found.end,
        location=snapshot.location(found.start),
        relevance=found.relevance,
    )
