import datetime as dt

from caveat.contracts.claim import Claim
from caveat.contracts.envelope import AgentType, Usage
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.investigation import Findings, Shelved
from caveat.contracts.plan import Assignment, Plan, QuorumPolicy, ReasonerCard, ResearchRequest
from caveat.contracts.report import Report, ReportedFailure
from caveat.contracts.source import Credibility, Reading, SourceRef
from caveat.contracts.synthesis import Figure, SectionDraft, Synthesis
from caveat.rules.assembly import Material, assemble, synthesis_input
from caveat.rules.audit import audit
from caveat.rules.numbering import numbered

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
TEXT = "Width is 3 m. Height is 4 m. Depth is 5 m."
QUOTES = ("Width is 3 m.", "Height is 4 m.", "Depth is 5 m.")


def angle(number: int) -> Assignment:
    return Assignment(id=f"a{number}", title=f"Angle {number}", question="?", queries=("q",))


def claim(source: int, quote: str, assignment: int = 1, relevance: float = 0.5) -> Claim:
    start = TEXT.index(quote)
    return Claim(
        id=f"raw-{assignment}-{source}-{start}", text=quote, quote=quote,
        source_id=f"s-{source}", assignment_id=f"a{assignment}", start=start,
        end=start + len(quote), relevance=relevance,
    )  # fmt: skip


def shelved(number: int, *, read: bool = True) -> Shelved:
    source = SourceRef(id=f"s-{number}", title=f"Source {number}")
    reading = Reading(source=source, snapshot_sha256="a" * 64, characters=len(TEXT), shingles=1)
    return Shelved(
        source=source,
        credibility=Credibility(score=0.5, factors=()),
        admitted=True,
        reason="passes",
        reading=reading if read else None,
    )


def found(number: int, *claims: Claim, gaps: tuple[str, ...] = ()) -> Findings:
    return Findings(assignment=angle(number), claims=claims, attempted=4, failed=0, gaps=gaps)


def material(*findings: Findings, failures: tuple[ReportedFailure, ...] = ()) -> Material:
    return Material(
        run_id="research-x",
        request=ResearchRequest(topic="Size"),
        plan=Plan(
            assignments=tuple(each.assignment for each in findings),
            reasoner=ReasonerCard(name="r", disclosure="d", uses_language_model=False),
            quorum=QuorumPolicy(minimum_share=0.5, penalty=0.1),
        ),
        findings=numbered(findings),
        shelf=(shelved(1), shelved(2), shelved(3, read=False)),
        failures=failures,
        documents=3,
        unreadable=0,
        usage=Usage(model_calls=2, input_tokens=30, output_tokens=12, cost_usd=None),
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
            figures=(Figure(label="Width", value="3 m", number=3, unit="m", claim_id="c1"),),
        ),
        SectionDraft(assignment_id="a2", title="", summary="- “Depth is 5 m.” [c3]"),
    ),
)


def report() -> Report:
    return assemble(material(*FINDINGS), SYNTHESIS)


def test_an_assembled_report_passes_its_audit() -> None:
    assert audit(report(), {"a" * 64: TEXT}).findings == ()


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


def test_only_cited_claims_are_kept() -> None:
    written = SYNTHESIS.model_copy(update={"sections": SYNTHESIS.sections[1:]})
    kept = assemble(material(*FINDINGS), written)
    assert [claim.id for claim in kept.claims] == ["c2", "c3"]


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
    failure = Failure(
        category=FailureCategory.BUSINESS, failure_type=FailureType.NOT_FOUND, message="Gone."
    )
    lost = ReportedFailure(
        task_id="t", agent_type=AgentType.READER, task_description="Read", attempts=1,
        failure=failure,
    )  # fmt: skip
    given = synthesis_input(material(*FINDINGS, failures=(lost,)))
    assert given.missing[:2] == ("Nothing on colour.", "No passage found on “Angle 3”.")
    assert "Gone." in given.missing[2]
    assert [source.id for source in given.sources] == ["s-1", "s-2"]
    assert len(given.angles) == 3


def test_the_same_words_are_one_claim_with_one_name() -> None:
    one, two = claim(1, QUOTES[0], 1, 0.9), claim(1, QUOTES[0], 2, 0.4)
    first, second = numbered([found(1, one), found(2, two)])
    assert [each.id for each in (*first.claims, *second.claims)] == ["c1", "c1"]
    assert second.claims[0].assignment_id == "a1"
    assert (first.claims[0].relevance, second.claims[0].relevance) == (0.9, 0.4)
