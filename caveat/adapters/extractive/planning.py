"""The plan, which is the topic itself, and other wordings of a query."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from caveat.adapters.text.vocabulary import Vocabulary
from caveat.contracts.plan import Assignment
from caveat.rules.report import DIRECT
from caveat.rules.text.questions import split_question
from caveat.rules.text.words import Word, list_content_stems, list_content_words

DIRECT_SOURCES = 16
"""Sources read for the topic itself: twice what a side takes, since it is what was asked."""

DIRECT_CLAIMS = 7
"""Claims of one of them: as many as a section shows, for one document may answer everything."""


def build_direct_assignment(topic: str) -> Assignment:
    """Plan the topic itself: no more can be told of it without a model."""
    return Assignment(
        id="a1",
        title=DIRECT,
        question=topic,
        queries=split_question(topic)[:3],
        sources=DIRECT_SOURCES,
        claims=DIRECT_CLAIMS,
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
