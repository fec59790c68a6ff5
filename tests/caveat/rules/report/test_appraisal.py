import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction, Ruling
from caveat.contracts.debate import Debate, Participant
from caveat.contracts.plan import QuorumPolicy
from caveat.contracts.report import (
    Basis,
    Confidence,
    Effort,
    LedgerStep,
    LeftOut,
    Method,
    Operation,
)
from caveat.rules.audit.checks import check_ledger
from caveat.rules.contradictions.contest import assign_claim_states, is_usable
from caveat.rules.contradictions.ladder import apply_ruling, settle_provisionally
from caveat.rules.report.appraisal import AppraisedAngle, Losses, appraise_report, appraise_section
from caveat.rules.report.backing import AnswerBacking
from caveat.rules.report.confidence import Ledger
from caveat.rules.run.quorum import Contribution, rate_completeness
from caveat.teams.catalogue import TeamCatalogue
from tests.fakes.claims import a_claim
from tests.fakes.disputes import CHOICES, a_dispute, sides_of

NOW = dt.datetime(2026, 3, 29, tzinfo=dt.UTC)
POLICY = QuorumPolicy(minimum_share=0.5, penalty=0.1)
HEARD = Debate(present=tuple(Participant))


def claim(number: int, credibility: float, source: int | None = None) -> Claim:
    origin = number if source is None else source
    return a_claim(f"c{number}", source=f"s-{origin}", credibility=credibility, start=100 * number)


def effort(attempted: int = 4, failed: int = 0, found: int = 9) -> Effort:
    names = tuple(f"a1-read-{number}" for number in range(failed))
    return Effort(attempted=attempted, unfinished=names, found=found)


def contradiction(ruling: str | None = None, backing: tuple[str, ...] = ()) -> Contradiction:
    one = a_dispute(sides=sides_of(("c1", "c2"), (backing, ())))
    return (
        one if ruling is None else apply_ruling(one, Ruling(ruling=ruling, reason="Because."), NOW)
    )


def used_of(claims: Sequence[Claim], contradictions: Sequence[Contradiction]) -> list[Claim]:
    """What a section may cite."""
    return [each for each in assign_claim_states(claims, contradictions) if is_usable(each)]


def appraised(claims: Sequence[Claim], *contradictions: Contradiction) -> Confidence:
    """Appraise a section that cites whatever may be used."""
    used = used_of(claims, contradictions)
    return appraise_section(effort(found=len(claims)), used, contradictions)


def angle(title: str, amount: float, standing: Contribution = Contribution.WHOLE) -> AppraisedAngle:
    return AppraisedAngle(title, Ledger().start("given", amount).close(), standing)


def whole(
    angles: Sequence[AppraisedAngle],
    policy: QuorumPolicy = POLICY,
    *,
    readable: int = 9,
    left_out: tuple[LeftOut, ...] = (),
    **losses: object,
) -> Confidence:
    """Appraise a report of which nothing is missing but what is given."""
    names = tuple(each.title for each in angles)
    basis = Basis(planned=names, quorum=policy, documents=readable, tasks=9, left_out=left_out)
    return appraise_report(angles, basis, Losses(**{"debate": HEARD, **losses}), None)  # type: ignore[arg-type]  # Losses checks them


ONE = claim(1, 0.8)


@pytest.mark.parametrize(
    ("used", "failed", "value"),
    [
        ([ONE], 0, 0.4),
        ([claim(number, 0.8) for number in range(2)], 0, 0.6),
        ([claim(number, 0.8) for number in range(4)], 0, 0.75),
        ([claim(2, 0.1), claim(1, 0.9)], 0, 0.475),  # a weak one can only add
        ([ONE, claim(2, 0.8, source=1)], 0, 0.4),  # of one source
        ([ONE], 2, 0.36),
        ([ONE], 3, 0.36),  # failed is no surer than weakened
    ],
)
def test_each_independent_source_halves_the_doubt(
    used: Sequence[Claim], failed: int, value: float
) -> None:
    assert appraise_section(effort(10, failed), used).value == pytest.approx(value)


def test_a_failed_assignment_costs_its_penalty_though_it_has_claims() -> None:
    angles = [angle("A", 0.8), angle("B", 0.7, Contribution.MISSING)]
    lost = whole(angles)
    assert lost.value == pytest.approx(0.8 / 2 - 0.1)
    assert lost.ledger[-1].reason == "too much of “B” failed for it to count"
    weakened = [angle("A", 0.6), angle("B", 0.5, Contribution.WEAKENED)]
    assert whole(weakened).value == pytest.approx(0.55)


def test_a_missing_angle_counts_nothing_and_costs_its_penalty() -> None:
    found = whole([angle("A", 0.8), angle("B", 0.7), angle("C", 0.0)])
    assert found.value == pytest.approx((0.8 + 0.7) / 3 - 0.1)
    assert found.ledger[0].reason == "mean confidence of 3 planned angles, 2 answered"
    assert found.ledger[-1].reason == "nothing on “C”"


def test_a_planned_angle_without_a_section_costs_as_much_as_an_empty_one() -> None:
    basis = Basis(planned=("A", "B"), quorum=POLICY, documents=9, tasks=9)
    lost = appraise_report([angle("A", 0.8)], basis, Losses(debate=HEARD), None)
    assert lost.value == whole([angle("A", 0.8), angle("B", 0.0)]).value


def beyond(tasks: int) -> tuple[LeftOut, ...]:
    return (LeftOut(bound="4 model calls", tasks=tasks),)


def heard_without(missing: int) -> Debate:
    everybody = tuple(Participant)
    return Debate(present=everybody[missing:], missing=everybody[:missing])


UNSETTLED = (contradiction(), settle_provisionally(contradiction(), NOW))


@pytest.mark.parametrize(
    ("losses", "value", "reason"),
    [
        ({}, 0.6, "moderate at most"),
        ({"unreadable": 1}, 0.57, "1 of 10 documents could not be read"),
        ({"left_out": beyond(1), "done": 99}, 0.54, "left 1 task out"),
        ({"left_out": beyond(30), "done": 10}, 0.375, "of 4 model calls left 30 tasks out"),
        ({"contradictions": UNSETTLED}, 0.6 * 0.81, "2 contradictions are not settled"),
        ({"contradictions": (contradiction("a"),)}, 0.6, "moderate at most"),
        ({"comparison": Method.BOTH}, 0.6, "moderate at most"),
        ({"comparison": Method.RULES}, 0.54, "by rules alone"),
        ({"comparison": Method.NONE}, 0.3, "could not be compared"),
        ({"debate": heard_without(1)}, 0.4, "did not take part in the debate"),
        ({"debate": heard_without(3)}, 0.0, "the methodologist did not take part in the debate"),
        ({"debate": None}, 0.6, "moderate at most"),
    ],
)
def test_what_a_run_lacks_costs_what_the_docs_say(
    losses: dict[str, Any], value: float, reason: str
) -> None:
    found = whole([angle("A", 0.8)], **losses)
    assert found.value == pytest.approx(value)
    assert reason in found.ledger[-1].reason


CLAIMS = [claim(number, 0.8) for number in range(1, 5)]  # four sources: 0.8 × (1 - 1/16) = 0.75


def test_a_source_whose_every_claim_is_disputed_counts_half_and_last() -> None:
    found = appraised(CLAIMS, contradiction())
    assert found.value == pytest.approx(0.8 / 2 + 0.8 / 4 + 0.4 / 8 + 0.4 / 16)
    assert found.ledger[0].reason.endswith("; 2 count half, being disputed")
    backed = appraised(CLAIMS, contradiction(backing=("c3",)))
    assert backed.value < found.value
    between = contradiction().model_copy(
        update={"sides": sides_of(("c1", "c2"), between=(("c3",), ()))}
    )
    assert appraised(CLAIMS, between).value == backed.value


def test_a_source_that_says_something_undisputed_as_well_counts_whole() -> None:
    more = [*CLAIMS, claim(5, 0.8, source=1), claim(6, 0.8, source=2)]
    assert appraised(more, contradiction()).value == 0.75


def test_an_open_contradiction_that_the_section_does_not_cite_costs_it_nothing() -> None:
    without = appraise_section(effort(), CLAIMS[2:])
    assert appraise_section(effort(), CLAIMS[2:], [contradiction()]) == without


def test_what_nobody_could_settle_is_not_used_and_counts_nothing() -> None:
    assert appraised(CLAIMS, settle_provisionally(contradiction(), NOW)).value == 0.6


@pytest.mark.parametrize(("ruling", "left"), [("a", 3), ("b", 3), ("both", 4), ("neither", 2)])
def test_what_is_settled_casts_no_doubt(ruling: str, left: int) -> None:
    found = appraised(CLAIMS, contradiction(ruling))
    assert found.value == pytest.approx(0.8 * (1 - 0.5**left), abs=1e-4)
    assert "disputed" not in found.ledger[0].reason


def test_a_dispute_in_the_answer_leaves_it_moderate_at_most() -> None:
    backing = AnswerBacking((3,), 1.0, 0, 1)
    basis = Basis(planned=("The roof",), quorum=POLICY, documents=9, tasks=9)
    assert appraise_report([angle("The roof", 0.9)], basis, Losses(), backing).value == 0.74


def test_five_sources_are_named_by_their_credibility() -> None:
    for count, more in ((5, ""), (7, " and 2 more")):
        claims = [claim(number, 0.8) for number in range(count)]
        (step, *_) = appraised(claims).ledger
        assert step.reason.count("0.8") == 5
        assert f"0.8{more}, each halving the doubt that the better ones leave" in step.reason


TEAMS = TeamCatalogue()


@pytest.mark.parametrize("name", TEAMS.list_names())
def test_each_missing_angle_costs_what_its_team_says(name: str) -> None:
    policy = TEAMS.read_team(name).quorum
    for missing in range(3):
        sections = [angle(name, 0.6) for name in "ABC"][missing:]
        sections += [angle(f"M{number}", 0.0) for number in range(missing)]
        found = whole(sections, policy)
        assert found.value == pytest.approx(max(0, 0.2 * (3 - missing) - missing * policy.penalty))
        taken = [step for step in found.ledger if step.operation is Operation.SUBTRACT]
        assert [step.amount for step in taken] == [policy.penalty] * missing


@dataclass(frozen=True)
class Known:
    """What a run knows, as far as its confidence is made of it."""

    angles: tuple[tuple[str, Effort, tuple[Claim, ...]], ...]
    contradictions: tuple[Contradiction, ...] = ()
    present: tuple[Participant, ...] = tuple(Participant)
    unreadable: int = 0
    left_out: tuple[LeftOut, ...] = ()
    policy: QuorumPolicy = POLICY
    planned: tuple[str, ...] = field(default=())

    def appraised(self) -> tuple[Confidence, dict[str, Confidence]]:
        sections = {
            name: appraise_section(done, used_of(claims, self.contradictions), self.contradictions)
            for name, done, claims in self.angles
        }
        angles = [
            AppraisedAngle(name, sections[name], rate_completeness(done.completeness))
            for name, done, _ in self.angles
        ]
        basis = Basis(
            planned=self.planned, quorum=self.policy, documents=20, tasks=99, left_out=self.left_out
        )
        losses = Losses(
            unreadable=self.unreadable,
            debate=Debate(present=self.present),
            contradictions=self.contradictions,
            done=sum(done.done for _, done, _ in self.angles),
        )
        return appraise_report(angles, basis, losses, None), sections


Loss = Callable[["Known", st.DataObject], "Known"]
NAMES = tuple(f"c{number}" for number in range(1, 9))
CREDIBILITIES = st.integers(0, 100).map(lambda percent: percent / 100)


@st.composite
def contradictions(draw: st.DrawFn, number: int) -> Contradiction:
    a, b, *backing = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True))
    one = a_dispute(number=number, sides=sides_of((a, b), (backing, ())))
    end = draw(st.sampled_from([None, "nobody", *CHOICES]))
    if end is None:
        return one
    if end == "nobody":
        return settle_provisionally(one, NOW)
    return apply_ruling(one, Ruling(ruling=end, reason="Because."), NOW)


@st.composite
def runs(draw: st.DrawFn) -> Known:
    trust = draw(st.lists(CREDIBILITIES, min_size=5, max_size=5))
    owners = [draw(st.integers(0, 4)) for _ in NAMES]
    claims = [
        claim(number, trust[owner], source=owner) for number, owner in enumerate(owners, start=1)
    ]
    angles = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        own = draw(st.lists(st.sampled_from(claims), unique_by=lambda each: each.id, max_size=8))
        attempted = draw(st.integers(1, 12))
        done = effort(attempted, draw(st.integers(0, attempted)))
        angles.append((f"a{number}", done, tuple(own)))
    return Known(
        angles=tuple(angles),
        contradictions=tuple(
            draw(contradictions(number)) for number in range(1, draw(st.integers(0, 3)) + 1)
        ),
        present=tuple(draw(st.sets(st.sampled_from(Participant)))),
        unreadable=draw(st.integers(0, 5)),
        left_out=tuple(
            LeftOut(bound=f"{bound} tokens", tasks=draw(st.integers(1, 40)))
            for bound in range(draw(st.integers(0, 2)))
        ),
        policy=QuorumPolicy(minimum_share=0.5, penalty=draw(CREDIBILITIES)),
        planned=tuple(name for name, _, _ in angles),
    )


def without_claim(run: Known, data: st.DataObject) -> Known:
    gone = data.draw(st.sampled_from(NAMES))
    return without(run, lambda each: each.id == gone)


def without(run: Known, is_gone: Callable[[Claim], bool]) -> Known:
    angles = (
        (name, done, tuple(each for each in claims if not is_gone(each)))
        for name, done, claims in run.angles
    )
    return replace(run, angles=tuple(angles))


def without_section(run: Known, data: st.DataObject) -> Known:
    gone = data.draw(st.integers(0, len(run.angles) - 1))
    return replace(run, angles=run.angles[:gone] + run.angles[gone + 1 :])


def with_failure(run: Known, data: st.DataObject) -> Known:
    at = data.draw(st.integers(0, len(run.angles) - 1))
    name, done, claims = run.angles[at]
    more = (name, effort(done.attempted + 1, len(done.unfinished) + 1), claims)
    return replace(run, angles=(*run.angles[:at], more, *run.angles[at + 1 :]))


LOSSES = (without_claim, without_section, with_failure)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.__name__)
@given(run=runs(), data=st.data())
def test_more_missing_never_raises_any_confidence(
    loss: Loss, run: Known, data: st.DataObject
) -> None:
    before, sections = run.appraised()
    after, left = loss(run, data).appraised()
    assert after.value <= before.value
    for name, confidence in left.items():
        assert confidence.value <= sections[name].value
        assert list(check_ledger(confidence, name)) == []


def test_steps_are_kept_within_bounds_and_rounded() -> None:
    ledger = Ledger().start("a third", 1 / 3).subtract("more than there is", 0.9)
    assert [step.after for step in ledger.close().ledger] == [0.3333, 0.0]


def test_a_ledger_starts_once_and_first() -> None:
    with pytest.raises(ValueError, match="begins with its start"):
        Ledger().subtract("too early", 0.1)
    with pytest.raises(ValueError, match="starts once"):
        Ledger().start("first", 0.5).start("second", 0.9)
    with pytest.raises(ValueError, match="without a start"):
        Ledger().close()


def test_a_value_that_is_set_again_or_never_is_found() -> None:
    step = LedgerStep(reason="r", operation=Operation.SET, amount=0.9, before=0.0, after=0.9)
    again = step.model_copy(update={"before": 0.9})
    twice = Confidence(value=0.9, ledger=(step, again))
    assert "middle" in next(iter(check_ledger(twice, "it"))).message
    assert list(check_ledger(Confidence(value=0.9, ledger=()), "it"))
    less = LedgerStep(reason="r", operation=Operation.SUBTRACT, amount=0, before=0, after=0)
    assert list(check_ledger(Confidence(value=0, ledger=(less,)), "it"))
