"""The plan, which is the topic itself."""

from caveat.contracts.plan import Assignment
from caveat.rules.report import DIRECT
from caveat.rules.text.questions import split_question

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
