"""Plans by pseudo-relevance feedback: what the best passages talk about becomes the angles."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from caveat.adapters.extractive.phrases import Phrase, candidate_stems, phrases
from caveat.adapters.extractive.topics import TERSE, core, core_words
from caveat.adapters.extractive.vocabulary import Passage, Vocabulary
from caveat.adapters.extractive.words import content_stems
from caveat.contracts.plan import Assignment

FEEDBACK = 150
"""Passages: enough for phrases to recur across sources, also where the same manual lies in the
corpus as a page, as a book and as plain text; their weight falls with their rank."""

DIRECT = "Direct answers"
"""Title of the first angle, the topic itself: readers want an answer before its sides."""

_ENOUGH = 3
"""Angles beside the direct one that make a report; single common nouns only fill up to them."""

_BALANCE = 0.7
"""Share of weight against newness in maximal marginal relevance, as usual in the literature."""


@dataclass(frozen=True)
class Planner:
    """Makes assignments of what a corpus says about a topic."""

    vocabulary: Vocabulary

    async def plan(
        self, topic: str, corpus: tuple[str, ...], wanted: int
    ) -> tuple[Assignment, ...]:
        """Plan the topic itself, then its most distinctive and diverse phrases.

        Args:
            topic: what was asked.
            corpus: folders to search.
            wanted: assignments at most.

        Returns:
            At least the topic itself; nothing else when no passage matches it.
        """
        passages = await self.vocabulary.passages(corpus, core(topic), FEEDBACK)
        stems = await asyncio.to_thread(candidate_stems, passages)
        stems |= content_stems(topic)
        counts = await self.vocabulary.document_frequencies(corpus, sorted(stems))
        documents = await self.vocabulary.document_count(corpus)
        shares = {stem: counts.get(stem, 0) / max(1, documents) for stem in stems}
        chosen = await asyncio.to_thread(_angles, topic, passages, shares, wanted)
        angles = (
            _assignment(topic, phrase, number, shares)
            for number, phrase in enumerate(chosen, start=2)
        )
        return (_direct(topic, chosen), *angles)[:wanted]


def _angles(
    topic: str, passages: Sequence[Passage], shares: dict[str, float], wanted: int
) -> list[Phrase]:
    found = phrases(passages, content_stems(topic), shares)
    telling = diverse([phrase for phrase in found if phrase.is_telling], wanted)
    return telling if len(telling) >= min(wanted, _ENOUGH) else diverse(found, wanted)


def diverse(found: Sequence[Phrase], wanted: int) -> list[Phrase]:
    """Choose phrases by maximal marginal relevance: heavy ones that are unlike those before."""
    rest = list(found[:200])  # further down the list nothing is heavy enough to be chosen
    heaviest = max((phrase.weight for phrase in rest), default=0.0) or 1.0
    chosen: list[Phrase] = []
    while rest and len(chosen) < wanted:

        def gain(phrase: Phrase) -> float:
            alike = max((_likeness(phrase, other) for other in chosen), default=0.0)
            return _BALANCE * phrase.weight / heaviest - (1 - _BALANCE) * alike

        best = max(rest, key=gain)
        chosen.append(best)
        rest = [phrase for phrase in rest if _likeness(phrase, best) < 1]
    return chosen


def _likeness(phrase: Phrase, other: Phrase) -> float:
    """How much two phrases overlap, 0 to 1; a shared head or all words shared make them one."""
    shared = set(phrase.stems) & set(other.stems)
    if phrase.stems[-1] == other.stems[-1] or len(shared) == min(
        len(set(phrase.stems)), len(set(other.stems))
    ):
        return 1.0
    together = len(phrase.passages & other.passages) / len(phrase.passages | other.passages)
    return min(0.99, together + 0.5 * len(shared))


def _direct(topic: str, chosen: Sequence[Phrase]) -> Assignment:
    """The topic itself; a terse one is said once more with the sources' own heaviest phrase."""
    queries = [core(topic)]
    if chosen and len(core_words(topic)) <= TERSE:
        queries.append(f"{core(topic)} {chosen[0].surface}")
    return Assignment(id="a1", title=DIRECT, question=topic, queries=tuple(queries))


def _assignment(topic: str, phrase: Phrase, number: int, shares: dict[str, float]) -> Assignment:
    name = phrase.surface
    return Assignment(
        id=f"a{number}",
        title=f"{name[0].upper()}{name[1:]}",
        question=f"What do the sources say about “{name}” with regard to: {_short(topic)}",
        queries=_queries(topic, phrase, shares),
    )


def _queries(topic: str, phrase: Phrase, shares: dict[str, float]) -> tuple[str, ...]:
    """The phrase with the topic's words, and with the topic's rarest word alone."""
    said = set(phrase.stems)
    others = [word for word in core_words(topic) if word.stem not in said]
    first = " ".join([phrase.surface, *(word.text for word in others)])
    if len(others) < 2:
        return (first,)
    rarest = min(others, key=lambda word: shares.get(word.stem, 1.0))
    return (first, f"{phrase.surface} {rarest.text}")


def _short(topic: str) -> str:
    """Keep a question readable: 160 characters are two lines."""
    return topic if len(topic) <= 160 else topic[:159].rsplit(" ", 1)[0] + "…"
