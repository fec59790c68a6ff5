"""Assembly: the report as code makes it from a synthesis and everything that a run knows."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence

from caveat.contracts.base import Contract
from caveat.contracts.claim import Claim
from caveat.contracts.confidence import Confidence
from caveat.contracts.contradiction import Contradiction, ContradictionState, RulingChoice
from caveat.contracts.debate import Debate
from caveat.contracts.envelope import Usage
from caveat.contracts.failure import FailureCategory
from caveat.contracts.investigation import Findings, Shelved
from caveat.contracts.plan import Plan, ResearchRequest
from caveat.contracts.report import (
    Gap,
    Limitation,
    Metrics,
    Report,
    ReportedFailure,
    ReportedSource,
    ReportStatus,
    Section,
)
from caveat.contracts.synthesis import AngleEvidence, SectionDraft, Synthesis, SynthesisInput
from caveat.contracts.unread import Unread
from caveat.rules.appraisal import Angle, report_confidence, section_confidence
from caveat.rules.budget import limitation
from caveat.rules.citations import coverage, evidence_of, markers
from caveat.rules.contest import contested, usable
from caveat.rules.limitations import left_behind, limitations, not_looked_at
from caveat.rules.marking import contests, marked
from caveat.rules.quorum import standing
from caveat.rules.revision import revision


class Material(Contract):
    """Everything that a report is assembled from.

    Attributes:
        run_id: workflow id.
        request: what was asked.
        plan: the assignments.
        findings: what each assignment brought, in plan order.
        shelf: every source found, in order of finding.
        contradictions: all of the run, as they stand.
        debate: what was said of the claims; None without a debate.
        failures: every failure envelope.
        documents: documents of the corpus that could be searched and, as far as they were, read.
        unread: files of the corpus that were not looked at.
        unreadable: documents that could not be read, in the corpus or when their turn came.
        usage: of all answered tasks.
        tasks: tasks of the whole run.
        left_out: bounds of the budget that were reached, and how many tasks each left out.
        earlier: the run that this one follows up, if any, and its report, if it had one.
        waiting_seconds: of the time since the run began, how long it did nothing but wait for
            people.
        started: when the run began, UTC.
        now: when the report is assembled, UTC.
    """

    run_id: str
    request: ResearchRequest
    plan: Plan
    findings: tuple[Findings, ...]
    shelf: tuple[Shelved, ...]
    contradictions: tuple[Contradiction, ...] = ()
    debate: Debate | None = None
    failures: tuple[ReportedFailure, ...]
    documents: int
    unreadable: int
    unread: tuple[Unread, ...] = ()
    usage: Usage
    tasks: int
    left_out: tuple[tuple[str, int], ...] = ()
    earlier: tuple[str, Report | None] | None = None
    waiting_seconds: float = 0.0
    started: dt.datetime
    now: dt.datetime


def synthesis_input(material: Material) -> SynthesisInput:
    """Give the synthesiser the usable claims, their sources, and a true picture of what is missing.

    Overruled and uncertain claims are left out; contested ones are given, with what contests them.
    """
    angles = tuple(
        AngleEvidence(assignment=found.assignment, claims=tuple(filter(usable, found.claims)))
        for found in contested(material.findings, material.contradictions)
    )
    given = {claim.source_id for angle in angles for claim in angle.claims}
    missing = [gap.reason for gap in gaps(material.findings)]
    missing += [f"{limit.area}. {limit.why}" for limit in _limitations(material)]
    return SynthesisInput(
        topic=material.request.topic,
        angles=angles,
        sources=tuple(kept.source for kept in material.shelf if kept.source.id in given),
        missing=(*missing, *_undecided(material.contradictions)),
        contradictions=tuple(
            each
            for each in material.contradictions
            if each.is_open or each.ruling is RulingChoice.BOTH
        ),
    )


def _undecided(contradictions: Iterable[Contradiction]) -> Iterator[str]:
    for each in contradictions:
        if each.is_open:
            yield f"Which of them holds is not known, it awaits a person: {each.about}"
        elif each.state is ContradictionState.PROVISIONAL:
            yield f"Nobody could settle this; do not use either: {each.about}"


def assemble(material: Material, synthesis: Synthesis) -> Report:
    """Make the report: the synthesis gives the prose, code gives everything else.

    Code says which claims are contested and marks them in the prose; while a contradiction is
    open, the report is provisional.
    """
    findings = contested(material.findings, material.contradictions)
    claims = {claim.id: claim for found in findings for claim in found.claims}
    of = contests(claims.values(), material.contradictions)
    summary = marked(synthesis.summary, of)
    drafts = [
        draft.model_copy(update={"summary": marked(draft.summary, of)})
        for draft in synthesis.sections
    ]
    sections = _sections(findings, drafts, claims, material.contradictions)
    prose = [summary, *(section.summary for section in sections)]
    cited = _cited(prose, sections, claims, material.contradictions)
    debate = _about(material.debate, cited)
    names = dict.fromkeys([*cited, *evidence_of(debate)])
    used = tuple(claims[name] for name in names if name in claims)
    waiting = any(each.is_open for each in material.contradictions)
    report = Report(
        run_id=material.run_id,
        topic=material.request.topic,
        created=material.now,
        depth=material.request.depth,
        status=ReportStatus.PROVISIONAL if waiting else ReportStatus.FINAL,
        reasoner=material.plan.reasoner,
        formats=material.request.formats,
        summary=summary,
        confidence=_confidence(material, sections),
        sections=sections,
        claims=used,
        sources=reported_sources(material.shelf, used),
        contradictions=material.contradictions,
        debate=debate,
        gaps=gaps(material.findings),
        limitations=_limitations(material),
        failures=material.failures,
        unread=material.unread,
        metrics=_metrics(material, coverage(prose, used)),
    )
    if material.earlier is None:
        return report
    of_run, before = material.earlier
    return report.model_copy(update={"revision": revision(of_run, before, report)})


def _limitations(material: Material) -> tuple[Limitation, ...]:
    late = [found.assignment.title for found in material.findings if found.late]
    return (
        *(limitation(bound, count) for bound, count in material.left_out),
        *left_behind(late),
        *limitations(material.failures),
        *not_looked_at(material.unread),
    )


def reported_sources(shelf: Sequence[Shelved], used: Iterable[Claim]) -> tuple[ReportedSource, ...]:
    """List every source found: cited ones numbered in order of first citation, then the rest."""
    cited = list(dict.fromkeys(claim.source_id for claim in used))
    numbers = {source_id: number for number, source_id in enumerate(cited, start=1)}
    ordered = sorted(shelf, key=lambda kept: numbers.get(kept.source.id, len(shelf) + 1))
    return tuple(_reported(kept, numbers.get(kept.source.id)) for kept in ordered)


def _reported(kept: Shelved, number: int | None) -> ReportedSource:
    source = kept.reading.source if kept.reading else kept.source
    return ReportedSource(
        id=source.id,
        number=number,
        title=source.title,
        url=source.url,
        path=source.path,
        published=source.published,
        kind=source.kind,
        snapshot_sha256=kept.reading.snapshot_sha256 if kept.reading else None,
        credibility=kept.credibility.score,
        factors=kept.credibility.factors,
        admitted=kept.admitted,
        reason=kept.reason,
        copies=kept.copies,
    )


def _sections(
    findings: Sequence[Findings],
    drafts: Sequence[SectionDraft],
    claims: Mapping[str, Claim],
    contradictions: Sequence[Contradiction],
) -> tuple[Section, ...]:
    written = {draft.assignment_id: draft for draft in drafts}
    empty = SectionDraft(assignment_id="", title="", summary="")
    return tuple(
        _section(found, written.get(found.assignment.id, empty), claims, contradictions)
        for found in findings
    )


def _section(
    found: Findings,
    draft: SectionDraft,
    claims: Mapping[str, Claim],
    contradictions: Sequence[Contradiction],
) -> Section:
    cited = [claims[name] for name in dict.fromkeys(markers(draft.summary)) if name in claims]
    return Section(
        assignment_id=found.assignment.id,
        title=draft.title or found.assignment.title,
        question=found.assignment.question,
        summary=draft.summary,
        confidence=section_confidence(found, cited, contradictions),
        claims=tuple(claim.id for claim in cited),
        figures=tuple(
            figure
            for figure in draft.figures
            if figure.claim_id not in claims or usable(claims[figure.claim_id])
        ),
    )


def _cited(
    prose: Sequence[str],
    sections: Sequence[Section],
    claims: Mapping[str, Claim],
    contradictions: Sequence[Contradiction],
) -> tuple[str, ...]:
    """Name the claims that prose and figures rest on, and both sides of each contradiction."""
    names = [name for text in prose for name in markers(text)]
    names += [figure.claim_id for section in sections for figure in section.figures]
    names += [name for each in contradictions for name in each.claims]
    return tuple(name for name in dict.fromkeys(names) if name in claims)


def _about(debate: Debate | None, cited: Sequence[str]) -> Debate | None:
    """Leave out the remarks on claims that the report does not use."""
    if debate is None:
        return None
    kept = tuple(remark for remark in debate.challenges if remark.claim_id in cited)
    return debate.model_copy(update={"challenges": kept})


def _confidence(material: Material, sections: Sequence[Section]) -> Confidence:
    return report_confidence(
        [
            Angle(section.title, section.confidence, standing(found.completeness))
            for section, found in zip(sections, material.findings, strict=True)
        ],
        material.plan.quorum,
        readable=material.documents,
        unreadable=material.unreadable,
        debate=material.debate,
    )


def gaps(findings: Sequence[Findings]) -> tuple[Gap, ...]:
    """List what the assignments looked for and did not find."""
    return tuple(
        Gap(area=found.assignment.title, reason=reason)
        for found in findings
        for reason in found.gaps
    )


def _metrics(material: Material, citation_coverage: float) -> Metrics:
    read = [kept for kept in material.shelf if kept.reading is not None]
    unknown = sum(
        failed.failure.category is FailureCategory.UNKNOWN for failed in material.failures
    )
    elapsed = (material.now - material.started).total_seconds()
    per_angle = [len({claim.source_id for claim in found.claims}) for found in material.findings]
    return Metrics(
        citation_coverage=citation_coverage,
        sources_per_angle=round(sum(per_angle) / len(per_angle), 2) if per_angle else 0.0,
        sources_found=len(material.shelf),
        sources_read=len(read),
        rejected_quotes=sum(found.rejected_quotes for found in material.findings),
        pipeline_seconds=round(max(0.0, elapsed - material.waiting_seconds), 3),
        waiting_seconds=round(material.waiting_seconds, 3),
        failures_recovered=sum(failed.recovered for failed in material.failures),
        unhandled_failure_rate=round(unknown / material.tasks, 4) if material.tasks else 0.0,
        model_calls=material.usage.model_calls,
        tokens=material.usage.input_tokens + material.usage.output_tokens,
        cost_usd=material.usage.cost_usd,
    )
