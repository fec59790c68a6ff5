import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.contradiction import Contradiction, Ruling
from caveat.contracts.plan import QuorumPolicy
from caveat.contracts.report import (
    Confidence,
    Effort,
    LedgerStep,
    LeftOut,
    Method,
    Methods,
    Operation,
    Report,
    Section,
)
from caveat.contracts.source import Claim
from caveat.contracts.synthesis import (
    Debate,
    MissingPart,
    Participant,
    ReadSentence,
    Support,
    Verdict,
    Verification,
)
from caveat.rules.audit.checks import check_ledger
from caveat.rules.contradictions.contest import assign_claim_states
from caveat.rules.contradictions.ladder import apply_ruling, settle_provisionally
from caveat.rules.report.answering import index_report_voices
from caveat.rules.report.appraisal import appraise_report, appraise_section, build_confidence
from caveat.rules.report.assembly import derive_report
from caveat.teams.team import TeamCatalogue
from tests.fakes.claims import a_claim
from tests.fakes.disputes import CHOICES, a_dispute, sides_of
from tests.fakes.reports import FAILURES, a_report

NOW = dt.datetime(2026, 3, 29, tzinfo=dt.UTC)
POLICY = QuorumPolicy(minimum_share=0.5, penalty=0.1)
REPORT = a_report()


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
    return [each for each in assign_claim_states(claims, contradictions) if each.is_usable]


def appraised(claims: Sequence[Claim], *contradictions: Contradiction) -> Confidence:
    """Appraise a section that cites whatever may be used."""
    used = used_of(claims, contradictions)
    return appraise_section(effort(found=len(claims)), used, contradictions)


def given_value(value: float) -> Confidence:
    return build_confidence([(Operation.SET, value, "given")])


def angle(title: str, value: float, failed: int = 0, attempted: int = 4) -> Section:
    more = {"title": title, "confidence": given_value(value), "effort": effort(attempted, failed)}
    return REPORT.sections[0].model_copy(update=more)


def whole(
    angles: Sequence[Section],
    policy: QuorumPolicy = POLICY,
    planned: Sequence[str] = (),
    **changes: Any,
) -> Confidence:
    """Appraise a report of which nothing is missing but what is given."""
    basis = REPORT.basis.model_copy(
        update={
            "planned": tuple(planned),
            "quorum": policy,
            "documents": 9,
            "left_out": changes.pop("left_out", ()),
        }
    )
    given = {"sections": tuple(angles), "basis": basis, "failures": (), "contradictions": ()}
    return appraise_report(REPORT.model_copy(update=given | changes), {})


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
    angles = [angle("A", 0.8), angle("B", 0.7, failed=2)]
    lost = whole(angles)
    assert lost.value == pytest.approx(0.8 / 2 - 0.1)
    assert lost.ledger[-1].reason == "too much of “B” failed for it to count"
    weakened = [angle("A", 0.6), angle("B", 0.5, failed=1)]
    assert whole(weakened).value == pytest.approx(0.55)


def test_a_missing_angle_counts_nothing_and_costs_its_penalty() -> None:
    found = whole([angle("A", 0.8), angle("B", 0.7), angle("C", 0.0)])
    assert found.value == pytest.approx((0.8 + 0.7) / 3 - 0.1)
    assert found.ledger[0].reason == "mean confidence of 3 planned angles, 2 answered"
    assert found.ledger[-1].reason == "nothing on “C”"


def test_a_planned_angle_without_a_section_costs_as_much_as_an_empty_one() -> None:
    lost = whole([angle("A", 0.8)], planned=("A", "B"))
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
        ({"failures": FAILURES[:1]}, 0.57, "1 of 10 documents could not be read"),
        ({"left_out": beyond(1)}, 0.54, "left 1 task out"),
        ({"left_out": beyond(30)}, 0.3353, "of 4 model calls left 30 tasks out"),
        ({"contradictions": UNSETTLED}, 0.6 * 0.81, "2 contradictions are not settled"),
        ({"contradictions": (contradiction("a"),)}, 0.6, "moderate at most"),
        ({"methods": Methods(comparison=Method.BOTH)}, 0.6, "moderate at most"),
        ({"methods": Methods(comparison=Method.RULES)}, 0.54, "by rules alone"),
        ({"methods": Methods(comparison=Method.NONE)}, 0.3, "could not be compared"),
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
        made = [
            angle(name, 0).model_copy(update={"confidence": sections[name], "effort": done})
            for name, done, _ in self.angles
        ]
        lost = {
            "failures": FAILURES[:1] * self.unreadable,
            "debate": Debate(present=self.present),
            "contradictions": self.contradictions,
        }
        return whole(made, self.policy, self.planned, left_out=self.left_out, **lost), sections


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
    steps = [(Operation.SET, 1 / 3, "a third"), (Operation.SUBTRACT, 0.9, "more than there is")]
    assert [step.after for step in build_confidence(steps).ledger] == [0.3333, 0.0]


def test_a_value_that_is_set_again_or_never_is_found() -> None:
    step = LedgerStep(reason="r", operation=Operation.SET, amount=0.9, before=0.0, after=0.9)
    again = step.model_copy(update={"before": 0.9})
    twice = Confidence(value=0.9, ledger=(step, again))
    assert "middle" in next(iter(check_ledger(twice, "it"))).message
    assert list(check_ledger(Confidence(value=0.9, ledger=()), "it"))
    less = LedgerStep(reason="r", operation=Operation.SUBTRACT, amount=0, before=0, after=0)
    assert list(check_ledger(Confidence(value=0, ledger=(less,)), "it"))


SAID, OTHER = (
    REPORT.claims[0],
    next(claim for claim in REPORT.claims if claim.source_id != REPORT.claims[0].source_id),
)


def report(*names: str, **changes: Any) -> Report:
    text = "It is said so"
    marks = "".join(f"[{name}]" for name in names)
    read = ReadSentence(text=f"{text}.", claims=names, support=Support.SUPPORTED)
    given = {
        "summary": f"{text} {marks}.",
        "sections": tuple(each.model_copy(update={"summary": ""}) for each in REPORT.sections),
        "verdict": Verdict.ANSWERED,
        "verification": Verification(read=(read,)),
        "contradictions": (),
        "failures": (),
        "debate": None,
    }
    return REPORT.model_copy(update=given | changes)


def voices(given: Report) -> str:
    """How many stand behind the sentences of an answer."""
    ledger = appraise_report(given, index_report_voices(given)).ledger
    return ledger[0].reason.partition("part: ")[2].replace(" independent source", "")


BACKED = sides_of((SAID.id, "c99"), ((OTHER.id,), ()))
APART = f"One is 610 MW [{SAID.id}] and the other 560 MW [{OTHER.id}]."
TOGETHER = f"One is 610 MW and the other 560 MW [{SAID.id}][{OTHER.id}]."


@pytest.mark.parametrize(
    ("names", "changes", "count"),
    [
        ((SAID.id,), {}, "1 with 1"),
        ((SAID.id, OTHER.id), {}, "1 with 2s"),
        ((SAID.id, OTHER.id), {"contradictions": (a_dispute(SAID.id, OTHER.id),)}, "1 with 1"),
        ((SAID.id,), {"contradictions": (a_dispute(sides=BACKED),)}, "1 with 2s"),
        ((SAID.id,), {"summary": APART}, "1 with 1"),
        ((SAID.id,), {"summary": TOGETHER}, "1 with 1"),
    ],
)
def test_sources_that_say_all_of_a_sentence_make_it_surer_and_sides_of_a_dispute_do_not(
    names: tuple[str, ...], changes: dict[str, Any], count: str
) -> None:
    assert voices(report(*names, **changes)) == count


def test_documents_that_share_an_author_are_one_voice() -> None:
    same = tuple(
        each.model_copy(update={"authors": (f"Ada Berg, Author of {each.id}",)})
        for each in REPORT.sources
    )
    section = REPORT.sections[0].model_copy(update={"summary": f"So [{SAID.id}][{OTHER.id}]."})
    shared = derive_report(report(SAID.id, OTHER.id, sources=same, sections=(section,)))
    assert voices(shared) == "1 with 1"
    assert shared.sections[0].confidence.ledger[0].reason.startswith("1 independent source of")


def test_every_contradiction_is_counted_once_and_those_in_the_answer_are_of_them() -> None:
    three = [
        a_dispute(SAID.id, OTHER.id, number, affects_answer=number == 1) for number in (1, 2, 3)
    ]
    told = f"It is said so [{SAID.id}][contradiction-1]."
    found = derive_report(
        report(SAID.id, contradictions=three).model_copy(update={"summary": told})
    )
    said = [step.reason for step in found.confidence.ledger]
    assert said[-2:] == [
        "1 of 3 contradictions that are not settled may change the answer",
        "1 open contradiction in the answer itself",
    ]
    assert "disagree on a point of the question" in found.answered_because


SECOND = f"It is said so [{SAID.id}]. It is added [{SAID.id}]."


@pytest.mark.parametrize(
    ("changes", "operation", "amount", "reason"),
    [
        ({"missing": (MissingPart(part="when"),)}, Operation.SUBTRACT, 0.1, "part of the question"),
        ({"summary": SECOND}, Operation.MULTIPLY, 0.5, "sentences that were verified"),
        ({"verification": None}, Operation.LIMIT, 0.49, "nobody verified the sentences"),
        ({"verdict": Verdict.NOT_ANSWERED}, Operation.LIMIT, 0.24, "the question is not answered"),
    ],
)
def test_what_an_answer_lacks_makes_it_less_sure(
    changes: dict[str, Any], operation: Operation, amount: float, reason: str
) -> None:
    beside = a_dispute(OTHER.id, "c99", affects_answer=False)
    whole, disputed, lacking = (
        derive_report(report(SAID.id, **each)).confidence.ledger
        for each in ({}, {"contradictions": (beside,)}, changes)
    )
    assert whole == disputed, "a dispute beside the answer costs nothing"
    (step,) = {each.reason: each for each in lacking if reason in each.reason}.values()
    assert (step.operation, step.amount) == (operation, amount)
    assert reason not in " ".join(each.reason for each in whole)


def test_how_sure_so_many_sources_make_a_sentence() -> None:
    sources = {claim.source_id: claim.id for claim in REPORT.claims}
    names = tuple(sources.values())[:4]
    sure = [
        derive_report(report(*names[:count])).confidence.ledger[0].after for count in (1, 2, 3, 4)
    ]
    assert sure == [0.60, 0.75, 0.85, 0.85]
    nobody = derive_report(report("c-of-nobody")).confidence.ledger[0].after
    assert nobody == 0.0
