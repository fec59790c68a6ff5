"""Which kept claims a follow-on question is answered from."""

import pytest

from caveat.contracts.contradiction import ContradictionState
from caveat.contracts.outcome import Evidence, Findings
from caveat.contracts.plan import Assignment
from caveat.contracts.synthesis import SectionDraft, Synthesis
from caveat.rules.contradictions.contest import leave_untold_disputes
from caveat.rules.run.asking import covers_question, select_kept_claims
from tests.fakes.claims import a_claim
from tests.fakes.disputes import a_dispute, sides_of
from tests.fakes.tasks import EVIDENCE

QUESTION = "When does the ferry to the island leave the harbour?"
CLAIMS = (
    a_claim("c1", "The ferry to the island leaves the harbour at seven.", "s1"),
    a_claim("c2", "The island has a ferry and a harbour.", "s2"),
    a_claim("c3", "The island measures two square miles.", "s3"),
    a_claim("c4", "The island measures three square miles.", "s4"),
)


def _evidence(*disputed: str) -> Evidence:
    angle = Assignment(id="a1", title="A", question="?", queries=("q",))
    found = Findings(assignment=angle, attempted=1, failed=0, claims=CLAIMS)
    disputes = (a_dispute(sides=sides_of(disputed)),) if disputed else ()
    return EVIDENCE.model_copy(update={"findings": (found,), "contradictions": disputes})


def test_claims_with_less_than_half_of_the_best_ones_words_bring_no_dispute() -> None:
    chosen = select_kept_claims(_evidence("c3", "c4"), (QUESTION,))
    assert [each.id for each in chosen] == ["c1", "c2"]
    assert covers_question(chosen, QUESTION)


def test_a_dispute_comes_with_all_of_its_sides() -> None:
    chosen = select_kept_claims(_evidence("c2", "c4"), (QUESTION,))
    assert [each.id for each in chosen] == ["c1", "c2", "c4"]


@pytest.mark.parametrize(
    ("said", "ruling", "shown"),
    [
        ("It is so [c1].", None, False),
        ("It is so [c3].", None, True),
        ("It is two square miles [c1].", None, True),
        ("It is so [c1].", "a", False),
        ("It is so [c3].", "a", True),
    ],
)
def test_answers_show_the_disputes_they_tell(said: str, ruling: str | None, *, shown: bool) -> None:
    (found,) = _evidence().findings
    state = ContradictionState.RESOLVED if ruling else ContradictionState.OPEN
    sides = [
        each.model_copy(update={"value": "two square miles"}) for each in sides_of(("c3", "c4"))
    ]
    dispute = a_dispute(sides=sides, ruling=ruling, state=state, affects_answer=False)
    section = SectionDraft(assignment_id="a1", title="A", summary="")
    answer = Synthesis(summary=said, sections=(section,))
    (left,), disputes = leave_untold_disputes((found,), (dispute,), answer)
    assert [each.affects_answer for each in disputes] == [True] * shown
    assert ({"c3", "c4"} <= {each.id for each in left.claims}) is shown
