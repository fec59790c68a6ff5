import datetime as dt
from collections.abc import Sequence
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.confidence import Confidence, Operation
from caveat.contracts.contradiction import (
    Contradiction,
    ContradictionKind,
    Disagreement,
    Ruling,
    RulingChoice,
)
from caveat.contracts.debate import Debate, Participant
from caveat.contracts.investigation import Findings
from caveat.contracts.plan import Assignment, QuorumPolicy
from caveat.rules.appraisal import Angle, report_confidence, section_confidence
from caveat.rules.confidence import Ledger, ledger_findings
from caveat.rules.contest import contested, usable
from caveat.rules.ladder import opened, provisional, ruled
from caveat.rules.quorum import Standing
from caveat.teams.catalogue import TeamCatalogue

ANGLE = Assignment(id="a1", title="Width", question="Width?", queries=("width",))
NOW = dt.datetime(2026, 3, 29, tzinfo=dt.UTC)
POLICY = QuorumPolicy(minimum_share=0.5, penalty=0.1)


def claim(number: int, credibility: float) -> Claim:
    return Claim(
        id=f"c{number}", text="x", quote="x", source_id=f"s-{number}", assignment_id="a1",
        start=0, end=1, relevance=1, credibility=credibility,
    )  # fmt: skip


def findings(attempted: int = 4, failed: int = 0, claims: Sequence[Claim] = ()) -> Findings:
    return Findings(assignment=ANGLE, attempted=attempted, failed=failed, claims=tuple(claims))


def contradiction(
    ruling: RulingChoice | None = None, backing: tuple[str, ...] = ()
) -> Contradiction:
    (one,) = opened(
        [
            Disagreement(
                kind=ContradictionKind.NUMERIC,
                claims=("c1", "c2"),
                backing=(backing, ()),
                about="x",
            )
        ]
    )
    if ruling is None:
        return one
    return ruled(one, Ruling(ruling=ruling, reason="Because."), NOW)


def appraised(claims: Sequence[Claim], *contradictions: Contradiction) -> Confidence:
    """Appraise a section that cites whatever may be used."""
    (found,) = contested([findings(claims=claims)], contradictions)
    used = [each for each in found.claims if usable(each)]
    return section_confidence(found, used, contradictions)


def angle(title: str, amount: float, standing: Standing = Standing.WHOLE) -> Angle:
    return Angle(title, value_of(amount), standing)


def value_of(amount: float) -> Confidence:
    return Ledger().start("given", amount).close()


@pytest.mark.parametrize(("sources", "value"), [(1, 0.4), (2, 0.6), (3, 0.7), (4, 0.75)])
def test_each_independent_source_halves_the_doubt(sources: int, value: float) -> None:
    used = [claim(number, 0.8) for number in range(sources)]
    assert section_confidence(findings(), used).value == value


def test_several_claims_of_one_source_are_one_voice() -> None:
    used = [claim(1, 0.8), claim(1, 0.8)]
    assert section_confidence(findings(), used).value == 0.4


def test_no_claims_is_no_confidence() -> None:
    assert section_confidence(findings(), []).value == 0


def test_a_weakened_assignment_is_worth_nine_tenths() -> None:
    used = [claim(1, 0.8)]
    assert section_confidence(findings(attempted=10, failed=2), used).value == 0.36


@pytest.mark.parametrize(("failed", "value"), [(0, 0.4), (2, 0.36), (3, 0.36), (9, 0.36)])
def test_a_section_of_a_failed_assignment_is_no_surer_than_of_a_weakened_one(
    failed: int, value: float
) -> None:
    assert section_confidence(findings(10, failed), [claim(1, 0.8)]).value == pytest.approx(value)


def test_a_failed_assignment_costs_its_penalty_though_it_has_claims() -> None:
    angles = [angle("A", 0.8), angle("B", 0.7, Standing.MISSING)]
    appraised = report_confidence(angles, POLICY, readable=9, unreadable=0)
    assert appraised.value == pytest.approx(0.7)
    assert appraised.ledger[-1].reason == "too much of “B” failed for it to count"
    weakened = [angle("A", 0.8), angle("B", 0.7, Standing.WEAKENED)]
    counted = report_confidence(weakened, POLICY, readable=9, unreadable=0)
    assert counted.value == pytest.approx(0.75)


def test_a_missing_angle_costs_its_penalty_and_unread_documents_half_their_share() -> None:
    sections = [angle("A", 0.8), angle("B", 0.6), angle("C", 0.0)]
    whole = report_confidence(sections, POLICY, readable=9, unreadable=0)
    assert whole.value == pytest.approx(0.6)
    broken = report_confidence(sections, POLICY, readable=9, unreadable=1)
    assert broken.value == pytest.approx(0.57)


CLAIMS = [claim(number, 0.8) for number in range(1, 5)]
"""Four sources: 0.8 × (1 - 1/16) = 0.75."""


def test_a_section_without_contradictions_is_as_sure_as_before() -> None:
    assert appraised(CLAIMS) == section_confidence(findings(claims=CLAIMS), CLAIMS)
    assert appraised(CLAIMS).value == 0.75


def test_an_open_contradiction_costs_half_of_its_share() -> None:
    found = appraised(CLAIMS, contradiction())
    assert found.value == pytest.approx(0.75 * (1 - 0.5 * 2 / 4))
    assert found.ledger[-1].reason == "2 of 4 claims are not settled"
    backed = appraised(CLAIMS, contradiction(backing=("c3",)))
    assert backed.value == pytest.approx(0.75 * (1 - 0.5 * 3 / 4), abs=1e-4)


def test_an_open_contradiction_that_the_section_does_not_cite_costs_nothing() -> None:
    (found,) = contested([findings(claims=CLAIMS)], [contradiction()])
    used = found.claims[2:]
    without = section_confidence(findings(claims=CLAIMS), used)
    assert section_confidence(found, used, [contradiction()]) == without


def test_what_nobody_could_settle_costs_half_of_its_share_and_its_sources() -> None:
    found = appraised(CLAIMS, provisional(contradiction(), NOW))
    assert found.value == pytest.approx(0.8 * (1 - 0.25) * (1 - 0.5 * 2 / 4))


@pytest.mark.parametrize(("ruling", "left"), [("a", 3), ("b", 3), ("both", 4), ("neither", 2)])
def test_what_is_settled_casts_no_doubt(ruling: str, left: int) -> None:
    found = appraised(CLAIMS, contradiction(RulingChoice(ruling)))
    assert found.value == pytest.approx(0.8 * (1 - 0.5**left), abs=1e-4)
    assert not any("not settled" in step.reason for step in found.ledger)


def test_a_section_whose_claims_all_fell_says_so() -> None:
    found = appraised(CLAIMS[:2], provisional(contradiction(), NOW))
    assert found.value == 0
    assert found.ledger[0].reason == "every claim found for this angle is overruled or uncertain"
    assert appraised([]).ledger[0].reason == "no claim was found for this angle"


def test_a_missing_participant_of_the_debate_costs_a_fifth() -> None:
    sections = [angle("A", 0.9)]
    for missing in range(4):
        debate = Debate(present=tuple(Participant)[missing:], missing=tuple(Participant)[:missing])
        appraised = report_confidence(sections, POLICY, readable=9, unreadable=0, debate=debate)
        assert appraised.value == pytest.approx(0.9 - 0.2 * missing)
    assert appraised.ledger[-1].reason == "the methodologist did not take part in the debate"
    without = report_confidence(sections, POLICY, readable=9, unreadable=0)
    assert without.value == 0.9


@given(
    st.lists(st.sampled_from(ClaimState), min_size=1, max_size=6),
    st.sets(st.integers(0, 5)),
    st.booleans(),
)
def test_doubt_lowers_a_section_by_half_at_most_and_is_in_its_ledger(
    states: list[ClaimState], cited: set[int], still_open: bool
) -> None:
    claims = [
        claim(number, 0.8).model_copy(update={"state": state})
        for number, state in enumerate(states)
    ]
    used = [claims[number] for number in cited if number < len(claims) and usable(claims[number])]
    ones = [contradiction()] if still_open else []
    found = section_confidence(findings(claims=claims), used, ones)
    accepted = [each.model_copy(update={"state": ClaimState.ACCEPTED}) for each in claims]
    sure = section_confidence(findings(claims=accepted), used)
    assert sure.value * 0.5 - 1e-4 <= found.value <= sure.value
    assert list(ledger_findings(found, "section")) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.integers(1, 100), st.integers(0, 100))
def test_every_appraisal_recomputes_from_its_ledger(
    values: list[float], readable: int, unreadable: int
) -> None:
    sections = [angle(f"S{number}", value) for number, value in enumerate(values)]
    appraised = report_confidence(sections, POLICY, readable=readable, unreadable=unreadable)
    assert list(ledger_findings(appraised, "report")) == []


TEAMS = TeamCatalogue()
VALUES = st.lists(st.floats(0.01, 1), min_size=1, max_size=7)


@pytest.mark.parametrize("name", TEAMS.names())
def test_each_missing_angle_costs_what_its_team_says(name: str) -> None:
    policy = TEAMS.team(name).quorum
    answered = [angle("A", 0.9), angle("B", 0.9), angle("C", 0.9)]
    for missing in range(3):
        sections = answered + [angle(f"M{number}", 0.0) for number in range(missing)]
        appraised = report_confidence(sections, policy, readable=9, unreadable=0)
        assert appraised.value == pytest.approx(0.9 - missing * policy.penalty)
        taken = [step for step in appraised.ledger if step.operation is Operation.SUBTRACT]
        assert [step.amount for step in taken] == [policy.penalty] * missing


@given(VALUES, st.integers(0, 4), st.floats(0, 1))
def test_one_more_missing_angle_never_raises_confidence(
    values: list[float], missing: int, penalty: float
) -> None:
    policy = QuorumPolicy(minimum_share=0.5, penalty=penalty)
    sections = [angle(f"S{number}", value) for number, value in enumerate(values)]
    sections += [angle(f"M{number}", 0.0) for number in range(missing)]
    fewer = report_confidence(sections, policy, readable=1, unreadable=0)
    more = report_confidence([*sections, angle("X", 0.0)], policy, readable=1, unreadable=0)
    assert more.value <= fewer.value


@given(VALUES, st.floats(0, 1), st.floats(0, 1))
def test_losing_an_angle_as_sure_as_the_others_never_raises_confidence(
    values: list[float], lost: float, penalty: float
) -> None:
    policy = QuorumPolicy(minimum_share=0.5, penalty=penalty)
    others = [angle(f"S{number}", value) for number, value in enumerate(values)]
    sure = max(lost, fmean(confidence.value for _, confidence, _ in others))
    before = report_confidence([*others, angle("X", sure)], policy, readable=1, unreadable=0)
    after = report_confidence([*others, angle("X", 0.0)], policy, readable=1, unreadable=0)
    assert after.value <= before.value + 1e-9
