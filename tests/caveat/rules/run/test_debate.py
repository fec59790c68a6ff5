import pytest

from caveat.contracts.debate import Challenge, Debate, Participant, Stance
from caveat.rules.run.debate import (
    DEBATE,
    build_debate,
    check_debate_quorum,
    filter_remarks,
    has_quorum,
)
from tests.fakes.claims import a_claim

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
    assert (check_debate_quorum(debate).needed, DEBATE.penalty) == (2, 0.20)
    assert [member.title for member in check_debate_quorum(debate).missing] == list(debate.missing)


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


CLAIMS = [a_claim("c1"), a_claim("c2"), a_claim("c3")]


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        (remark("c1"), remark("c1")),
        (remark("c9"), None),
        (remark("c1", "c9"), None),
        (remark("c1", "c1"), None),
        (remark("c1", "c2", "c9", "c2"), remark("c1", "c2")),
    ],
)
def test_a_remark_must_be_about_claims_of_the_run_and_rest_on_some(
    given_: Challenge, kept: Challenge | None
) -> None:
    assert filter_remarks([given_], CLAIMS) == ((kept,) if kept else ())


def test_a_remark_is_kept_once_and_stands_where_its_claim_does() -> None:
    first, second = remark("c3"), remark("c1", "c2")
    assert filter_remarks([first, second, first], CLAIMS) == (second, first)
