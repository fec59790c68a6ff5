import datetime as dt

import pytest

from caveat.contracts.audit import Check
from caveat.contracts.contradiction import Contradiction, ContradictionKind, Ruling
from caveat.contracts.outcome import Findings, FoundSource, Material, OpenWork, Work
from caveat.contracts.plan import Assignment, Plan, QuorumPolicy, ReasonerCard, ResearchRequest
from caveat.contracts.report import Report, ReportedFailure, ReportStatus
from caveat.contracts.source import Claim, ClaimState, Reading, SourceKind, SourceRef
from caveat.contracts.synthesis import (
    Challenge,
    Debate,
    Participant,
    SectionDraft,
    Stance,
    Synthesis,
)
from caveat.failures import not_found
from caveat.rules.audit.checks import audit, remove_faults
from caveat.rules.contradictions.ladder import apply_ruling, settle_provisionally
from caveat.rules.evidence.claims import number_claims
from caveat.rules.report.assembly import (
    assemble,
    build_synthesis_input,
    estimate_tokens,
    select_fitting_claims,
)
from caveat.rules.report.limitations import ROOM, describe_unshown
from caveat.rules.sources.credibility import score_credibility
from tests.fakes.claims import a_claim
from tests.fakes.disputes import a_dispute
from tests.fakes.reports import reported

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
TEXT = "Width is 3 m. Height is 4 m. Depth is 5 m."
QUOTES = ("Width is 3 m.", "Height is 4 m.", "Depth is 5 m.")


def angle(number: int) -> Assignment:
    return Assignment(id=f"a{number}", title=f"Angle {number}", question="?", queries=("q",))


def claim(source: int, quote: str, assignment: int = 1, relevance: float = 0.5) -> Claim:
    start = TEXT.index(quote)
    name, angle = f"raw-{assignment}-{source}-{start}", f"a{assignment}"
    more = {"assignment_id": angle, "start": start, "relevance": relevance}
    return a_claim(name, quote, f"s-{source}", **more)


def shelved(number: int, *, read: bool = True) -> FoundSource:
    source = SourceRef(id=f"s-{number}", title=f"Source {number}", kind=SourceKind.BOOK)
    reading = Reading(source=source, snapshot_sha256="a" * 64, characters=len(TEXT), shingles=1)
    return FoundSource(
        source=source,
        credibility=score_credibility(source, START.date()),
        admitted=True,
        reason="passes",
        reading=reading if read else None,
    )


def found(number: int, *claims: Claim, gaps: tuple[str, ...] = ()) -> Findings:
    return Findings(assignment=angle(number), claims=claims, attempted=4, failed=0, gaps=gaps)


HEARD = Debate(present=tuple(Participant))


def material(*findings: Findings, failures: tuple[ReportedFailure, ...] = ()) -> Material:
    return Material(
        topic="alpha",
        run_id="research-x",
        request=ResearchRequest(topic="How many m are width, height and depth?"),
        plan=Plan(
            assignments=tuple(each.assignment for each in findings),
            reasoner=ReasonerCard(name="r", disclosure="d", uses_language_model=False),
            quorum=QuorumPolicy(minimum_share=0.5, penalty=0.1),
        ),
        findings=number_claims(findings),
        shelf=(shelved(1), shelved(2), shelved(3, read=False)),
        debate=HEARD,
        failures=failures,
        documents=3,
        model_calls=2,
        tokens=42,
        cost_usd=None,
        tasks=10,
        started=START,
        now=START + dt.timedelta(seconds=90),
    )


FINDINGS = (
    found(1, claim(1, QUOTES[0]), claim(2, QUOTES[1])),
    found(2, claim(1, QUOTES[2], 2), gaps=("Nothing on colour.",)),
    found(3, gaps=("No passage found on “Angle 3”.",)),
)
SYNTHESIS = Synthesis(
    summary="- “Height is 4 m.” [c2]",
    sections=(
        SectionDraft(
            assignment_id="a1",
            title="Sizes",
            summary="- “Width is 3 m.” [c1]\n- “Height is 4 m.” [c2]",
        ),
        SectionDraft(assignment_id="a2", title="", summary="- “Depth is 5 m.” [c3]"),
    ),
)


def report() -> Report:
    return assemble(material(*FINDINGS), SYNTHESIS)


def test_an_assembled_report_passes_its_audit() -> None:
    assert audit(report(), {"a" * 64: TEXT}).findings == ()


@pytest.mark.parametrize(
    "wrong",
    ["- “Width is 3 m.” [c2]", "- “Width is 3 m.”", "- “Height is 5 m.” [c2]", "- “Hello.” [c9]"],
)
def test_a_fault_that_an_audit_finds_costs_the_sentence_and_is_said(wrong: str) -> None:
    given = material(*FINDINGS)
    written = SYNTHESIS.model_copy(update={"summary": f"{SYNTHESIS.summary}\n{wrong}"})
    audited = remove_faults(given, written, assemble(given, written), {"a" * 64: TEXT})
    assert audited.audit.passed
    assert audited.report.summary == SYNTHESIS.summary
    assert [each.area for each in audited.report.limitations] == ["Sentences that were left out: 1"]


def test_what_rests_on_a_quote_that_cannot_be_checked_goes_with_it() -> None:
    given = material(*FINDINGS)
    text = TEXT.replace("Depth is", "Depth was")
    audited = remove_faults(given, SYNTHESIS, report(), {"a" * 64: text})
    assert audited.audit.passed
    assert [claim.id for claim in audited.report.claims] == ["c2", "c1"]


def test_other_quotes_stand_for_a_section_that_rests_on_a_wrong_one() -> None:
    first, second, _ = FINDINGS
    other = claim(1, QUOTES[0], 2, 0.1)
    given = material(first, second.model_copy(update={"claims": (*second.claims, other)}))
    text = TEXT.replace("Depth is", "Depth was")
    audited = remove_faults(given, SYNTHESIS, assemble(given, SYNTHESIS), {"a" * 64: text})
    assert audited.audit.passed
    assert [each.summary for each in audited.report.sections][1] == "- “Width is 3 m.” [c1]"


def test_a_fault_that_no_sentence_has_stays() -> None:
    given = material(*FINDINGS).model_copy(update={"contradictions": (DISPUTE,)})
    audited = remove_faults(given, SYNTHESIS, assemble(given, SYNTHESIS), {})
    assert {each.check for each in audited.audit.findings} == {Check.QUOTE}


def test_sources_are_numbered_in_order_of_first_citation() -> None:
    assert [(source.id, source.number) for source in report().sources] == [
        ("s-2", 1),
        ("s-1", 2),
        ("s-3", None),
    ]


def test_every_assignment_has_its_section_written_or_not() -> None:
    sections = report().sections
    assert [section.title for section in sections] == ["Sizes", "Angle 2", "Angle 3"]
    assert [section.claims for section in sections] == [("c1", "c2"), ("c3",), ()]
    assert sections[2].confidence.value == 0


def test_what_no_angle_lacks_makes_no_section_less_sure() -> None:
    spare = (
        OpenWork(work=Work.REWORD, task_id="a1-reword-1"),
        OpenWork(work=Work.SEARCH, task_id="a1-search-1", others_answered=True),
        OpenWork(work=Work.READ, task_id="a1-read-1", left_out=True),
    )
    findings = (FINDINGS[0].model_copy(update={"open_work": spare}), *FINDINGS[1:])
    assert assemble(material(*findings), SYNTHESIS).sections == report().sections


def test_the_best_of_what_is_not_cited_is_kept_for_the_table_of_documents() -> None:
    """One of each source and angle, and none where the prose cites that source for that angle."""
    first = claim(3, QUOTES[0], 2)
    more = (first, claim(3, QUOTES[1], 2, 0.4), claim(2, QUOTES[1], 2))
    given = material(FINDINGS[0], found(2, *FINDINGS[1].claims, *more))
    unused = assemble(given, SYNTHESIS).unused
    assert [(each.quote, each.assignment_id) for each in unused] == [
        (first.quote, "a2"),
        (QUOTES[1], "a2"),
    ]


def test_gaps_and_metrics_are_of_the_run() -> None:
    made = report()
    assert [(gap.area, gap.reason) for gap in made.gaps] == [
        ("Angle 2", "Nothing on colour."),
        ("Angle 3", "No passage found on “Angle 3”."),
    ]
    metrics = made.metrics
    assert (metrics.sources_found, metrics.sources_read, metrics.sources_per_angle) == (3, 2, 1.0)
    assert (metrics.pipeline_seconds, metrics.tokens, metrics.cost_usd) == (90, 42, None)
    assert metrics.citation_coverage == 1


def test_the_synthesiser_is_told_what_is_missing() -> None:
    lost = reported(not_found("Gone.", resource="page"))
    given = build_synthesis_input(material(*FINDINGS, failures=(lost,)))
    assert given.missing[:2] == ("Nothing on colour.", "No passage found on “Angle 3”.")
    assert "Gone." in given.missing[2]
    assert [source.id for source in given.sources] == ["s-1", "s-2"]
    assert len(given.angles) == 3


DISPUTE = a_dispute(about="The size is 3 m or 4 m")
UNSETTLED = settle_provisionally(DISPUTE, START)
OVERRULED = apply_ruling(DISPUTE, Ruling(ruling="b", reason="Measured anew."), START)
BOTH = apply_ruling(DISPUTE, Ruling(ruling="both", reason="Two sides."), START)
WITHOUT_EITHER = Synthesis(
    summary="- “Depth is 5 m.” [c3]",
    sections=(SYNTHESIS.sections[0].model_copy(update={"summary": ""}), SYNTHESIS.sections[1]),
)


def disputed(
    contradiction: Contradiction, synthesis: Synthesis = SYNTHESIS, **changes: object
) -> Report:
    """Assemble the report with one contradiction; its audit finds nothing."""
    known = material(*FINDINGS).model_copy(update={"contradictions": (contradiction,), **changes})
    made = assemble(known, synthesis)
    assert audit(made, {"a" * 64: TEXT}).findings == ()
    return made


def test_an_open_contradiction_makes_a_report_provisional_and_is_marked() -> None:
    made = disputed(DISPUTE)
    assert made.status is ReportStatus.PROVISIONAL
    elsewhere = DISPUTE.model_copy(update={"arbitration": "research-asked/contradiction-1"})
    assert disputed(elsewhere).status is ReportStatus.FINAL, "it waits in the run that it is of"
    assert made.summary == "- “Height is 4 m.” [c2][contradiction-1]"
    assert made.sections[0].summary.count("[contradiction-1]") == 2
    assert [(claim.id, claim.state, claim.contested_by) for claim in made.claims] == [
        ("c2", ClaimState.CONTESTED, ("c1",)),
        ("c1", ClaimState.CONTESTED, ("c2",)),
        ("c3", ClaimState.ACCEPTED, ()),
    ]
    assert made.contradictions == (DISPUTE,)


def test_what_nobody_settled_is_kept_as_evidence_and_not_used() -> None:
    made = disputed(UNSETTLED, WITHOUT_EITHER)
    assert made.status is ReportStatus.FINAL
    assert [(claim.id, claim.state) for claim in made.claims] == [
        ("c3", ClaimState.ACCEPTED),
        ("c1", ClaimState.UNCERTAIN),
        ("c2", ClaimState.UNCERTAIN),
    ]
    assert [source.number for source in made.sources] == [1, 2, None]


def test_only_usable_claims_are_given_to_the_synthesiser() -> None:
    for contradiction, usable in ((DISPUTE, "c1c2c3"), (OVERRULED, "c2c3"), (UNSETTLED, "c3")):
        known = material(*FINDINGS).model_copy(update={"contradictions": (contradiction,)})
        given = build_synthesis_input(known)
        assert "".join(c.id for angle in given.angles for c in angle.claims) == usable
        named = {claim.source_id for angle in given.angles for claim in angle.claims}
        assert {source.id for source in given.sources} == named


def test_the_synthesiser_is_told_a_dispute_once_settled_or_not() -> None:
    for dispute in (DISPUTE, UNSETTLED, BOTH, OVERRULED):
        known = material(*FINDINGS).model_copy(update={"contradictions": (dispute,)})
        given = build_synthesis_input(known)
        assert given.contradictions == (dispute,)
        assert given.missing[-1] == "No passage found on “Angle 3”."


def test_remarks_stand_beside_the_claims_that_the_report_uses() -> None:
    def remark(claim_id: str, *evidence: str) -> Challenge:
        return Challenge(
            claim_id=claim_id,
            raised_by=Participant.SCEPTIC,
            stance=Stance.CHALLENGES,
            text="Who says so?",
            evidence=evidence,
        )

    debate = Debate(present=tuple(Participant), challenges=(remark("c1"), remark("c3", "c2")))
    third = Synthesis(summary=WITHOUT_EITHER.summary, sections=SYNTHESIS.sections[1:])
    made = assemble(material(*FINDINGS).model_copy(update={"debate": debate}), third)
    assert made.debate is not None
    assert made.debate.challenges == (remark("c3", "c2"),)
    assert [claim.id for claim in made.claims] == ["c3", "c2"]
    assert audit(made, {"a" * 64: TEXT}).findings == ()


def test_a_revision_says_what_a_ruling_changed() -> None:
    before = disputed(UNSETTLED, WITHOUT_EITHER)
    after = disputed(BOTH, earlier=("research-before", before))
    assert after.revision is not None
    assert any(
        "” was settled by somebody who gave no name: both hold" in change
        for change in after.revision.changes
    )


def test_everything_is_shown_that_fits() -> None:
    angles = [[a_claim(f"c{n}", f"Claim {n} says so.") for n in range(900)]]
    assert [len(each) for each in select_fitting_claims(angles, ())] == [900]
    assert describe_unshown(0) == ()


def test_of_too_many_the_relevant_ones_and_both_sides_are_shown() -> None:
    words = "word " * 380
    claims = [
        a_claim(f"c{n}", f"{words}{n}").model_copy(update={"relevance": 1 - n / 1000})
        for n in range(300)
    ]
    dispute = a_dispute("c0", "c299", kind=ContradictionKind.CATEGORICAL)
    (shown,) = select_fitting_claims([claims], [dispute])
    names = [claim.id for claim in shown]
    assert sum(map(estimate_tokens, shown)) <= ROOM
    assert names == [f"c{n}" for n in range(len(names) - 1)] + ["c299"]
    (said,) = describe_unshown(len(claims) - len(names))
    assert str(len(claims) - len(names)) in said.area
