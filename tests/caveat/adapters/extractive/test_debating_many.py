"""A debate about thousands of claims ends in seconds, and overlooks nothing that it says."""

import datetime as dt
import time

import pytest

from caveat.adapters.extractive.debating import REMARKS, SUBJECTS, debate
from caveat.contracts.claim import Claim
from caveat.contracts.debate import Participant
from caveat.contracts.source import SourceKind, SourceRef
from caveat.contracts.tasks import DebateTask
from tests.fakes.pace import slowness

MANY = 3_000
BOUND_S = 10.0
"""Five times what a fast machine takes; held against each other, all of them take four minutes."""


def claims() -> list[Claim]:
    """Sentences of which no two share half of their words."""
    quotes = [
        f"Keeper K{n} wrote of log{n} and lamp{n} and oil{n} at night{n}." for n in range(MANY)
    ]
    return [
        Claim(
            id=f"c{number}",
            text=quote,
            quote=quote,
            source_id=f"s{number}",
            assignment_id="a1",
            start=0,
            end=len(quote),
            relevance=0.9 - number / 10_000,
        )
        for number, quote in enumerate(quotes)
    ]


def task_of(participant: Participant, said: list[Claim]) -> DebateTask:
    sources = tuple(
        SourceRef(id=f"s{number}", title=f"Log {number}", kind=SourceKind.PREPRINT)
        for number in range(len(said))
    )
    return DebateTask(
        task_id="debate",
        description="Debate",
        topic="oil",
        participant=participant,
        claims=tuple(said),
        sources=sources,
        contradictions=(),
        today=dt.date(2026, 1, 1),
    )


@pytest.mark.parametrize("participant", list(Participant))
def test_thousands_of_claims_are_debated_in_seconds(participant: Participant) -> None:
    task = task_of(participant, claims())
    began = time.process_time()
    debate(task)
    assert time.process_time() - began < BOUND_S * slowness()


def test_what_somebody_far_behind_agrees_with_is_not_said_by_one_alone() -> None:
    said = claims()
    # The least weighty claim of all states what the weightiest one states, and so they support it.
    for at, ending in ((0, ""), (-1, ", by all that we know")):
        quote = f"The tower of Marrow has a height of 52 m{ending}."
        said[at] = said[at].model_copy(update={"text": quote, "quote": quote, "end": len(quote)})
    (support, *_) = debate(task_of(Participant.ADVOCATE, said))
    assert (support.claim_id, support.evidence) == ("c0", (f"c{MANY - 1}",))
    doubts = debate(task_of(Participant.METHODOLOGIST, said))
    assert len(doubts) == REMARKS < SUBJECTS < MANY
    assert "c0" not in {doubt.claim_id for doubt in doubts}
