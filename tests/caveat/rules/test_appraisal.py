from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.claim import Claim
from caveat.contracts.confidence import Confidence, Operation
from caveat.contracts.investigation import Findings
from caveat.contracts.plan import Assignment, QuorumPolicy
from caveat.rules.appraisal import Angle, report_confidence, section_confidence
from caveat.rules.confidence import Ledger, ledger_findings
from caveat.rules.quorum import Standing
from caveat.teams.catalogue import TeamCatalogue

ANGLE = Assignment(id="a1", title="Width", question="Width?", queries=("width",))
POLICY = QuorumPolicy(minimum_share=0.5, penalty=0.1)


def claim(number: int, credibility: float) -> Claim:
    return Claim(
        id=f"c{number}", text="x", quote="x", source_id=f"s-{number}", assignment_id="a1",
        start=0, end=1, relevance=1, credibility=credibility,
    )  # fmt: skip


def findings(attempted: int = 4, failed: int = 0) -> Findings:
    return Findings(assignment=ANGLE, attempted=attempted, failed=failed)


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
