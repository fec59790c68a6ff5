"""Plans and other wordings, from what the best passages of a corpus stand under."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from caveat.adapters.text.vocabulary import Passage, Vocabulary
from caveat.contracts.plan import Assignment
from caveat.rules.lines import shorten
from caveat.rules.report import DIRECT
from caveat.rules.text.questions import split_question
from caveat.rules.text.words import Word, list_content_stems, list_content_words

FEEDBACK = 150
"""Passages whose headings may become angles: many sections, whose worth falls with their rank."""


DIRECT_SOURCES = 16
"""Sources read for the topic itself: twice what a side takes, since it is what was asked."""

DIRECT_CLAIMS = 7
"""Claims of one of them: as many as a section shows, for one document may answer everything."""

_PATH = " › "


@dataclass(frozen=True)
class Planner:
    """Makes assignments of what a corpus says about a topic."""

    vocabulary: Vocabulary

    async def plan(
        self, topic: str, corpus: tuple[str, ...], wanted: int
    ) -> tuple[Assignment, ...]:
        """Plan the topic itself, then what the sections on it are called.

        Returns:
            At least the topic itself; nothing else when no passage matches it.
        """
        if wanted == 1:
            return (_build_direct_assignment(topic),)
        passages = await self.vocabulary.find_passages(corpus, topic, FEEDBACK)
        named = (
            _build_assignment(topic, name, number)
            for number, name in enumerate(_list_section_names(topic, passages), start=2)
        )
        return (_build_direct_assignment(topic), *named)[:wanted]


_LEGIBLE = 160  # characters of a question: two lines


def _list_section_names(topic: str, passages: Sequence[Passage]) -> list[str]:
    """Name the sections that the best passages stand in, each of which says something new."""
    asked, known = list_content_stems(topic), set[str]()
    found: list[str] = []
    for passage in passages:
        name = shorten((passage.heading or passage.title).rpartition(_PATH)[2], _LEGIBLE)
        new = set(filter(str.isalpha, list_content_stems(name) - asked))
        # A heading that shares a word with an earlier one is of much the same.
        if new and known.isdisjoint(new):
            known |= new
            found.append(name)
    return found


def _build_direct_assignment(topic: str) -> Assignment:
    return Assignment(
        id="a1",
        title=DIRECT,
        question=topic,
        queries=split_question(topic)[:3],
        sources=DIRECT_SOURCES,
        claims=DIRECT_CLAIMS,
    )


def _build_assignment(topic: str, name: str, number: int) -> Assignment:
    shown = shorten(topic, _LEGIBLE)
    return Assignment(
        id=f"a{number}",
        title=name,
        question=f"What do the sources say about “{name}” with regard to: {shown}",
        queries=(f"{name} {topic}",),
    )


@dataclass(frozen=True)
class Reformulator:
    """Says a query in fewer words: those that the corpus knows."""

    vocabulary: Vocabulary

    async def reformulate(
        self, topic: str, assignment: Assignment, tried: Sequence[str], corpus: tuple[str, ...]
    ) -> str | None:
        """Return a query with other words than those tried, None when nothing is left to try."""
        asked = list_content_words(
            topic if assignment.title == DIRECT else f"{assignment.title} {topic}"
        )
        counts = await self.vocabulary.count_frequencies(
            corpus, sorted({word.stem for word in asked})
        )
        known = [word for word in asked if counts.get(word.stem, 0) > 0]
        past = {list_content_stems(query) for query in tried}
        wordings = _list_wordings(assignment, known, counts) if known else ()
        return next((each for each in wordings if list_content_stems(each) not in past), None)


def _list_wordings(
    assignment: Assignment, known: Sequence[Word], counts: Mapping[str, int]
) -> Iterator[str]:
    """Other wordings, nearest to the first one first."""
    # Without the words that no document has.
    yield _join_words(known)
    # Without the rarest word, which most likely narrows too much.
    if len(known) > 1:
        rarest = min(known, key=lambda word: counts[word.stem])
        yield _join_words([word for word in known if word is not rarest])
    # The angle alone, in any context.
    if assignment.title != DIRECT:
        yield assignment.title


def _join_words(chosen: Sequence[Word]) -> str:
    return " ".join(word.text for word in chosen)
