"""Plans and other wordings by pseudo-relevance feedback: what the best passages talk about."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from caveat.adapters.extractive.phrases import Phrase, candidate_stems, phrases
from caveat.adapters.extractive.topics import core, core_words, is_question
from caveat.adapters.text.vocabulary import Passage, Vocabulary
from caveat.contracts.plan import Assignment
from caveat.rules.report import DIRECT
from caveat.rules.text.questions import parts
from caveat.rules.text.words import Word, content_stems

FEEDBACK = 150
"""Passages: enough for phrases to recur across sources, also where the same manual lies in the
corpus as a page, as a book and as plain text; their weight falls with their rank."""


DIRECT_SOURCES = 16
"""Sources read for the topic itself: twice what a side takes, since it is what was asked."""

DIRECT_CLAIMS = 7
"""Claims of one of them: as many as a section shows, for one document may answer everything."""

_SIDES = 2
"""Angles beside the direct one where a question is asked: it wants an answer, not a survey."""

_TOGETHER = 2  # words of a topic that a passage on it holds: one alone is shared by chance

_BALANCE = 0.7
"""Share of weight against newness in maximal marginal relevance, as usual in the literature."""

_REWORDING = 20
"""Passages that other words are taken from: few, so that they stay close to what is looked for."""


@dataclass(frozen=True)
class Planner:
    """Makes assignments of what a corpus says about a topic."""

    vocabulary: Vocabulary

    async def plan(
        self, topic: str, corpus: tuple[str, ...], wanted: int
    ) -> tuple[Assignment, ...]:
        """Plan the topic itself, then its most distinctive and diverse phrases.

        Returns:
            At least the topic itself; nothing else when no passage matches it.
        """
        if wanted == 1:
            return (_direct(topic),)
        passages = await self.vocabulary.passages(corpus, core(topic), FEEDBACK)
        stems = await asyncio.to_thread(candidate_stems, passages)
        stems |= content_stems(topic)
        shares = await _shares(self.vocabulary, corpus, stems)
        if is_question(topic):
            wanted = min(wanted, 1 + _SIDES)
        chosen = await asyncio.to_thread(_angles, topic, passages, shares, wanted)
        angles = (
            _assignment(topic, phrase, number, shares)
            for number, phrase in enumerate(chosen, start=2)
        )
        return (_direct(topic), *angles)[:wanted]


async def _shares(
    vocabulary: Vocabulary, corpus: tuple[str, ...], stems: frozenset[str]
) -> dict[str, float]:
    """The share of a corpus's documents that hold each stem, 0 to 1."""
    counts = await vocabulary.document_frequencies(corpus, sorted(stems))
    documents = max(1, await vocabulary.document_count(corpus))
    return {stem: counts.get(stem, 0) / documents for stem in stems}


def _angles(
    topic: str, passages: Sequence[Passage], shares: dict[str, float], wanted: int
) -> list[Phrase]:
    near = _near(topic, passages)
    found = [
        phrase
        for phrase in phrases(passages, content_stems(topic), shares)
        if phrase.is_telling and _is_about(phrase, near)
    ]
    return diverse(found, wanted)


def _near(topic: str, passages: Sequence[Passage]) -> frozenset[int]:
    """The places of the passages that hold several of a topic's words, not one of them alone."""
    asked = frozenset(word.stem for word in core_words(topic))
    # Who asks in two words is answered in others: then all that was found is on the topic.
    needed = _TOGETHER if len(asked) > _TOGETHER else 0
    return frozenset(
        place
        for place, passage in enumerate(passages)
        if len(asked & content_stems(f"{passage.title} {passage.heading} {passage.text}")) >= needed
    )


def _is_about(phrase: Phrase, near: frozenset[int]) -> bool:
    """Whether it is said where the topic's words stand together, and mostly there."""
    return len(phrase.passages & near) >= len(phrase.passages) / 2


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


def _direct(topic: str) -> Assignment:
    return Assignment(
        id="a1",
        title=DIRECT,
        question=topic,
        queries=parts(topic)[:3],
        sources=DIRECT_SOURCES,
        claims=DIRECT_CLAIMS,
    )


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


@dataclass(frozen=True)
class Reformulator:
    """Says a query in other words; it knows no synonyms, only what the corpus says."""

    vocabulary: Vocabulary

    async def reformulate(
        self, topic: str, assignment: Assignment, tried: Sequence[str], corpus: tuple[str, ...]
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
        passages: list[Passage] = await self.vocabulary.passages(corpus, query, _REWORDING)
        stems = await asyncio.to_thread(candidate_stems, passages)
        shares = await _shares(self.vocabulary, corpus, stems)
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
