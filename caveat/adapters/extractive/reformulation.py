"""Other wordings of a query: fewer words, or words that the sources themselves use."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from caveat.adapters.extractive.phrases import candidate_stems, phrases
from caveat.adapters.extractive.planning import DIRECT
from caveat.adapters.extractive.topics import core_words
from caveat.adapters.extractive.vocabulary import Passage, Vocabulary
from caveat.adapters.extractive.words import Word, content_stems
from caveat.contracts.plan import Assignment

_FEEDBACK = 20
"""Passages that other words are taken from: few, so that they stay close to what is looked for."""


@dataclass(frozen=True)
class Reformulator:
    """Says a query in other words; it knows no synonyms, only what the corpus says."""

    vocabulary: Vocabulary

    async def reformulate(
        self,
        topic: str,
        assignment: Assignment,
        tried: Sequence[str],
        corpus: tuple[str, ...],
    ) -> str | None:
        """Return a query with other words than those tried, None when nothing is left to try."""
        wording = topic if assignment.title == DIRECT else f"{assignment.title} {topic}"
        asked = core_words(wording)
        counts = await self.vocabulary.document_frequencies(
            corpus, sorted({word.stem for word in asked})
        )
        known = [word for word in asked if counts.get(word.stem, 0) > 0]
        if not known:
            return None  # no word of it is in the corpus, so there is nothing to build on
        feedback = await self._feedback(known, corpus)
        past = {content_stems(query) for query in tried}
        for query in _wordings(assignment, known, counts, feedback):
            if content_stems(query) not in past:
                return query
        return None

    async def _feedback(self, known: Sequence[Word], corpus: tuple[str, ...]) -> list[str]:
        query = " ".join(word.text for word in known)
        passages: list[Passage] = await self.vocabulary.passages(corpus, query, _FEEDBACK)
        stems = await asyncio.to_thread(candidate_stems, passages)
        counts = await self.vocabulary.document_frequencies(corpus, sorted(stems))
        documents = max(1, await self.vocabulary.document_count(corpus))
        shares = {stem: counts.get(stem, 0) / documents for stem in stems}
        own = frozenset(word.stem for word in known)
        found = await asyncio.to_thread(phrases, passages, own, shares)
        return [phrase.surface for phrase in found[:2]]


def _wordings(
    assignment: Assignment,
    known: Sequence[Word],
    counts: Mapping[str, int],
    feedback: Sequence[str],
) -> Iterator[str]:
    """Other wordings, nearest to the first one first."""
    # Without the words that no document has.
    yield _text(known)
    # With a phrase that the best passages use.
    for phrase in feedback:
        yield f"{_text(known)} {phrase}"
    # Without the rarest word, which most likely narrows too much.
    if len(known) > 1:
        rarest = min(known, key=lambda word: counts[word.stem])
        yield _text([word for word in known if word is not rarest])
    # The angle alone, in any context.
    if assignment.title != DIRECT:
        yield assignment.title
    yield from feedback


def _text(chosen: Sequence[Word]) -> str:
    return " ".join(word.text for word in chosen)
