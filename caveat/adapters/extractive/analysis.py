"""Reads one source for one angle: its best sentences become claims."""

import asyncio
from dataclasses import dataclass

from caveat.adapters.extractive.planning import DIRECT
from caveat.adapters.extractive.relevance import Query, Ranked, neighbours, rank
from caveat.adapters.extractive.topics import TERSE, core_words, cue, fitting_kinds, rarity
from caveat.adapters.extractive.vocabulary import Vocabulary
from caveat.adapters.extractive.words import content_stems
from caveat.contracts.claim import Analysis, Claim
from caveat.contracts.source import Snapshot
from caveat.contracts.tasks import AnalysisTask

_CLAIM_LIMIT = 2_000
"""Characters that a claim may have by its contract."""


@dataclass(frozen=True)
class Analyst:
    """Quotes the sentences of a source that answer a question."""

    vocabulary: Vocabulary

    async def analyse(self, task: AnalysisTask, snapshot: Snapshot) -> Analysis:
        """Return the best sentences as claims; none when no passage is relevant enough."""
        query = await self._query(task)
        ranked = await asyncio.to_thread(rank, snapshot, task.source.title, query, task.wanted)
        short = (found for found in ranked if found.end - found.start <= _CLAIM_LIMIT)
        return Analysis(
            claims=tuple(
                _claim(task, snapshot, found, number) for number, found in enumerate(short, start=1)
            )
        )

    async def _query(self, task: AnalysisTask) -> Query:
        topic = frozenset(word.stem for word in core_words(task.topic))
        angle = frozenset[str]()
        if task.assignment.title != DIRECT:
            angle = content_stems(task.assignment.title) - topic or content_stems(
                task.assignment.title
            )
        said = content_stems(" ".join(task.assignment.queries))
        kinds = fitting_kinds(task.topic)
        stand_ins = said - topic if kinds and not angle and len(topic) <= TERSE else frozenset()
        asked = sorted(topic | angle | stand_ins)
        counts = await self.vocabulary.document_frequencies(task.corpus, asked)
        documents = await self.vocabulary.document_count(task.corpus)
        return Query(
            angle=angle,
            topic=topic,
            pairs=neighbours(task.topic) | neighbours(task.assignment.title),
            rarity=rarity({stem: counts.get(stem, 0) for stem in asked}, documents),
            kinds=kinds,
            stand_ins=stand_ins,
            cue=cue(task.topic),
        )


def _claim(task: AnalysisTask, snapshot: Snapshot, found: Ranked, number: int) -> Claim:
    quote = snapshot.text[found.start : found.end]
    return Claim(
        id=f"{task.assignment.id}-{task.source.id}-{number}",
        text=quote,
        quote=quote,
        source_id=task.source.id,
        assignment_id=task.assignment.id,
        start=found.start,
        end=found.end,
        location=snapshot.location(found.start),
        relevance=found.relevance,
    )
