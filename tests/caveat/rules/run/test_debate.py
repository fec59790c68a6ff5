import pytest

from caveat.contracts.debate import Challenge, Debate, Participant, Stance
from caveat.rules.run.debate import DEBATE, build_debate, has_quorum

ADVOCATE, SCEPTIC, METHODOLOGIST = Participant


def remark(
    on: str, *evidence: str, by: Participant = SCEPTIC, text: str = "It is old."
) -> Challenge:
    return Challenge(
        claim_id=on, raised_by=by, stance=Stance.CHALLENGES, text=text, evidence=evidence
    )


@pytest.mark.parametrize(
    ("there", "enough"),
    [
        ((), False),
        ((SCEPTIC,), False),
        ((ADVOCATE, SCEPTIC), True),
        ((ADVOCATE, METHODOLOGIST), True),
        (tuple(Participant), True),
    ],
)
def test_two_of_three_are_a_debate(there: tuple[Participant, ...], enough: bool) -> None:
    contributions = {each: () if each in there else None for each in Participant}
    debate = build_debate(contributions)
    assert has_quorum(contributions) is enough
    assert debate.present == there
    assert set(debate.missing) == set(Participant) - set(there)
    assert DEBATE.penalty == 0.20


def test_remarks_stand_in_the_order_of_the_claims_and_of_the_participants() -> None:
    debate = build_debate(
        {
            METHODOLOGIST: (remark("c2", by=METHODOLOGIST),),
            ADVOCATE: (remark("c10", by=ADVOCATE), remark("c2", by=ADVOCATE)),
        }
    )
    assert [(each.claim_id, each.raised_by) for each in debate.challenges] == [
        ("c2", ADVOCATE), ("c2", METHODOLOGIST), ("c10", ADVOCATE),
    ]  # fmt: skip
    assert isinstance(debate, Debate)
