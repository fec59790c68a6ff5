"""Assembly: the report as code makes it from a synthesis and everything that a run knows."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence

from caveat.contracts.base import Contract
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction, ContradictionState
from caveat.contracts.debate import Debate
from caveat.contracts.envelope import Usage
from caveat.contracts.investigation import Findings, Shelved
from caveat.contracts.plan import Answerers, Plan, ResearchRequest
from caveat.contracts.report import (
    Basis,
    Effort,
    Gap,
    LeftOut,
    Limitation,
    Methods,
    Metrics,
    Report,
    ReportedFailure,
    ReportedSource,
    ReportStatus,
    Section,
)
from caveat.contracts.spending import StepUsage
from caveat.contracts.synthesis import AngleEvidence, SectionDraft, Synthesis, SynthesisInput
from caveat.contracts.unread import Unread
from caveat.rules.admission import RELEVANT
from caveat.rules.citations import evidence_of, markers
from caveat.rules.contest import contested, usable
from caveat.rules.derivation import UNKNOWN, data_limitations, derived
from caveat.rules.digest import digest, left_out
from caveat.rules.disclosure import disclosed
from caveat.rules.ladder import PAIR
from caveat.rules.marking import contests, marked, standing_beside
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
        methods: what was done by rules in place of a model, or could not be done.
        failures: every failure envelope.
        documents: documents of the corpus that could be searched and, as far as they were, read.
        unread: files of the corpus that were not looked at.
        usage: of all answered tasks.
        usage_by_step: the same by what it was spent on.
        answered: who answered them, and in a run that is followed up.
        tasks: tasks of the whole run.
        left_out: bounds of the budget that were reached, and how many tasks each left out.
        unwritten_for: the one of them for which there is no synthesis, if any.
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
    methods: Methods = Methods()
    failures: tuple[ReportedFailure, ...]
    documents: int
    unread: tuple[Unread, ...] = ()
    usage: Usage
    usage_by_step: tuple[StepUsage, ...] = ()
    answered: Answerers = Answerers()
    tasks: int
    left_out: tuple[tuple[str, int], ...] = ()
    unwritten_for: str | None = None
    earlier: tuple[str, Report | None] | None = None
    waiting_seconds: float = 0.0
    started: dt.datetime
    now: dt.datetime


def synthesis_input(material: Material) -> SynthesisInput:
    """Give the synthesiser the usable claims, their sources, and a true picture of what is missing.

    Overruled and uncertain claims are left out; contested ones are given, with what contests them.
    """
    angles = tuple(
        AngleEvidence(assignment=found.assignment, claims=digest(_usable(found)))
        for found in contested(material.findings, material.contradictions)
    )
    given = {claim.source_id for angle in angles for claim in angle.claims}
    missing = [gap.reason for gap in _gaps(material)]
    missing += [f"{limit.area}. {limit.why}" for limit in _limitations(material)]
    return SynthesisInput(
        topic=material.request.topic,
        angles=angles,
        sources=tuple(kept.source for kept in material.shelf if kept.source.id in given),
        missing=(*missing, *_undecided(material.contradictions)),
        contradictions=tuple(each for each in material.contradictions if standing_beside(each)),
    )


def _usable(found: Findings) -> tuple[Claim, ...]:
    return tuple(filter(usable, found.claims))


def _undecided(contradictions: Iterable[Contradiction]) -> Iterator[str]:
    for each in contradictions:
        if each.is_open:
            yield f"Which of them holds is not known, it awaits a person: {each.about}"
        elif each.state is ContradictionState.PROVISIONAL:
            none = "either" if len(each.claims) == PAIR else "any of the values"
            yield f"Nobody could settle this; do not use {none}: {each.about}"


def assemble(material: Material, synthesis: Synthesis) -> Report:
    """Make the report: the synthesis gives the prose, code gives everything else.

    Code says which claims are contested and marks them in the prose; while a contradiction is
    open, the report is provisional.
    """
    findings = contested(material.findings, material.contradictions)
    claims = {claim.id: claim for found in findings for claim in found.claims}
    of = contests(claims.values(), material.contradictions)
    drafts = {
        draft.assignment_id: draft.model_copy(update={"summary": marked(draft.summary, of)})
        for draft in synthesis.sections
    }
    summary = marked(synthesis.summary, of)
    sections = tuple(_section(found, drafts, claims) for found in findings)
    cited = _cited([summary, *(each.summary for each in sections)], sections, claims, material)
    debate = _about(material.debate, cited)
    names = dict.fromkeys([*cited, *evidence_of(debate)])
    report = derived(
        Report(
            run_id=material.run_id,
            topic=material.request.topic,
            created=material.now,
            depth=material.request.depth,
            status=ReportStatus.PROVISIONAL,
            reasoner=disclosed(material.plan.reasoner, material.answered),
            formats=material.request.formats,
            summary=summary,
            confidence=UNKNOWN,
            sections=sections,
            claims=tuple(claims[name] for name in names if name in claims),
            sources=tuple(_reported(kept) for kept in material.shelf),
            contradictions=material.contradictions,
            debate=debate,
            methods=material.methods,
            gaps=_gaps(material),
            failures=material.failures,
            unread=material.unread,
            metrics=_measured(material),
            basis=_basis(material),
        )
    )
    if material.earlier is None:
        return report
    of_run, before = material.earlier
    return report.model_copy(update={"revision": revision(of_run, before, report)})


def with_failures(report: Report, material: Material) -> Report:
    """Add to a report what failed after it was assembled; nothing that it concludes changes."""
    return derived(
        report.model_copy(
            update={
                "failures": material.failures,
                "metrics": _measured(material),
                "basis": _basis(material),
            }
        )
    )


def _limitations(material: Material) -> tuple[Limitation, ...]:
    late = [found.assignment.title for found in material.findings if found.late]
    return data_limitations(_left_out(material), late, material.failures, material.unread)


def _left_out(material: Material) -> tuple[LeftOut, ...]:
    return tuple(
        LeftOut(bound=bound, tasks=count, synthesis=bound == material.unwritten_for)
        for bound, count in material.left_out
    )


def _basis(material: Material) -> Basis:
    return Basis(
        planned=tuple(assignment.id for assignment in material.plan.assignments),
        quorum=material.plan.quorum,
        documents=material.documents,
        tasks=material.tasks,
        left_out=_left_out(material),
    )


def _reported(kept: Shelved) -> ReportedSource:
    source = kept.reading.source if kept.reading else kept.source
    return ReportedSource(
        id=source.id,
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
        read_at=kept.reading.read_at if kept.reading else None,
        as_of=kept.reading.as_of if kept.reading else None,
    )


def _section(
    found: Findings, drafts: Mapping[str, SectionDraft], claims: Mapping[str, Claim]
) -> Section:
    empty = SectionDraft(assignment_id="", title="", summary="")
    draft = drafts.get(found.assignment.id, empty)
    return Section(
        assignment_id=found.assignment.id,
        title=draft.title or found.assignment.title,
        question=found.assignment.question,
        summary=draft.summary,
        confidence=UNKNOWN,
        claims=(),
        figures=tuple(
            figure
            for figure in draft.figures
            if figure.claim_id not in claims or usable(claims[figure.claim_id])
        ),
        effort=effort(found),
    )


def effort(found: Findings) -> Effort:
    """Say what was done for an angle, as its section keeps it."""
    return Effort(
        attempted=found.attempted,
        unfinished=tuple(piece.task_id for piece in found.unfinished),
        late=found.late,
        found=len(found.claims),
        sources=len({claim.source_id for claim in found.claims}),
        rejected_quotes=found.rejected_quotes,
    )


def _cited(
    prose: Sequence[str],
    sections: Sequence[Section],
    claims: Mapping[str, Claim],
    material: Material,
) -> tuple[str, ...]:
    """Name the claims that prose and figures rest on, and each value of each contradiction."""
    names = [name for text in prose for name in markers(text)]
    names += [figure.claim_id for section in sections for figure in section.figures]
    names += [name for each in material.contradictions for name in each.claims]
    return tuple(name for name in dict.fromkeys(names) if name in claims)


def _about(debate: Debate | None, cited: Sequence[str]) -> Debate | None:
    """Leave out the remarks on claims that the report does not use."""
    if debate is None:
        return None
    kept = tuple(remark for remark in debate.challenges if remark.claim_id in cited)
    return debate.model_copy(update={"challenges": kept})


def _gaps(material: Material) -> tuple[Gap, ...]:
    """List what the assignments looked for and did not find, or found and could not use."""
    return tuple(
        Gap(area=found.assignment.title, reason=reason)
        for found in contested(material.findings, material.contradictions)
        for reason in (*found.gaps, *_set_aside(found))
    )


def _set_aside(found: Findings) -> Iterator[str]:
    if found.beside:
        one = found.beside == 1
        passages = "passage only touches" if one else "passages only touch"
        were = "was not counted as an answer" if one else "were not counted as answers"
        yield (
            f"{found.beside} {passages} on “{found.assignment.title}” (relevance below {RELEVANT})"
            f" and {were}."
        )
    beyond = left_out(_usable(found))
    if beyond is not None:
        yield beyond


def _measured(material: Material) -> Metrics:
    """Measure what no report shows; what it shows is counted when it is derived."""
    elapsed = (material.now - material.started).total_seconds()
    return Metrics(
        citation_coverage=0.0,
        sources_per_angle=0.0,
        sources_found=0,
        sources_read=0,
        pipeline_seconds=round(max(0.0, elapsed - material.waiting_seconds), 3),
        waiting_seconds=round(material.waiting_seconds, 3),
        model_calls=material.usage.model_calls,
        tokens=material.usage.input_tokens + material.usage.output_tokens,
        cost_usd=material.usage.cost_usd,
        usage_by_step=material.usage_by_step,
    )
