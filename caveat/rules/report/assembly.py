"""Assembly: the report as code makes it from a synthesis and everything that a run knows."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.envelope import AgentType, FailureCategory
from caveat.contracts.outcome import Findings, FoundSource, Material
from caveat.contracts.report import (
    Basis,
    Confidence,
    Effort,
    Gap,
    LeftOut,
    Limitation,
    Metrics,
    Report,
    ReportedFailure,
    ReportedSource,
    ReportStatus,
    Section,
)
from caveat.contracts.source import Claim, Unread
from caveat.contracts.synthesis import (
    AngleEvidence,
    SectionDraft,
    Synthesis,
    SynthesisInput,
    Verification,
)
from caveat.rules.contradictions.contest import (
    assign_claim_states,
    index_contradictions,
    index_unrelated,
    mark_contradictions,
)
from caveat.rules.evidence.claims import change_claims, list_claims, replace_texts_by_quotes
from caveat.rules.report.answering import build_opening, grant_verdict, index_report_voices
from caveat.rules.report.appraisal import appraise_report, appraise_section
from caveat.rules.report.disclosure import build_reasoner_card
from caveat.rules.report.limitations import (
    ROOM,
    describe_failures,
    describe_unpublished,
    describe_unread_files,
    describe_unshown,
)
from caveat.rules.report.publication import measure_support, prepare_publication
from caveat.rules.report.revision import compare_reports, compare_scheduled_runs
from caveat.rules.report.statements import change_prose
from caveat.rules.report.values import collect_values, find_disputed_quantity
from caveat.rules.run.budget import build_limitation
from caveat.rules.sources.credibility import RELEVANT
from caveat.rules.sources.identity import disambiguate_titles
from caveat.rules.sources.unread import collect_missing_parts, merge_unread
from caveat.rules.text.citations import (
    CitedSentence,
    list_marked_ids,
    list_pieces,
    measure_coverage,
)

_NAMED = 20  # failed sources that the synthesiser is told by name


def build_synthesis_input(material: Material) -> SynthesisInput:
    """Give the synthesiser the usable claims, their sources, and a true picture of what is missing.

    Overruled and uncertain claims are no part of any angle; contested ones are, with what contests
    them.
    """
    findings = _assign_claim_states(material)
    shown, unshown = _select_shown_claims(material, findings)
    angles = tuple(
        AngleEvidence(assignment=each.assignment, claims=kept)
        for each, kept in zip(findings, shown, strict=True)
    )
    sources = {claim.source_id for angle in angles for claim in angle.claims}
    titles = _index_titles(material)
    missing = [gap.reason for gap in _list_gaps(material)]
    late = [finding.assignment.title for finding in material.findings if finding.late]
    limitations = (
        *list_data_limitations(
            _count_left_out(material), late, material.failures, _list_unread(material)
        ),
        *describe_unshown(unshown),
    )
    missing += [f"{each.area}. {each.why}" for each in limitations]
    missing += [
        f"{failed.task_description}: {failed.failure.message}"
        for failed in [each for each in material.failures if not each.recovered][:_NAMED]
        if failed.agent_type in (AgentType.READER, AgentType.ANALYST, AgentType.LIBRARIAN)
    ]
    return SynthesisInput(
        topic=material.request.topic,
        language=material.request.language,
        angles=angles,
        sources=tuple(
            (kept.reading.source if kept.reading else kept.source).model_copy(
                update={"title": titles[kept.source.id]}
            )
            for kept in material.shelf
            if kept.source.id in sources
        ),
        missing=tuple(missing),
        contradictions=material.contradictions,
        excluded=tuple(claim for claim in list_claims(findings) if not claim.is_usable),
        debate=material.debate,
    )


CHARACTERS = 4  # a token, as English is cut by the models' tokenizers on average
BESIDE = 40  # tokens of a claim beside its words: its name, its source, and the signs of JSON


def _select_shown_claims(
    material: Material, findings: Sequence[Findings]
) -> tuple[tuple[tuple[Claim, ...], ...], int]:
    """Select the usable claims of each angle that a synthesiser is shown; count the others."""
    usable = tuple(tuple(c for c in each.claims if c.is_usable) for each in findings)
    # What fits a model's prompt; code takes everything, and one document may hold all the answers.
    if not material.plan.reasoner.uses_language_model:
        return usable, 0
    shown = select_fitting_claims(usable, material.contradictions)
    every, kept = ({claim.id for claims in each for claim in claims} for each in (usable, shown))
    return shown, len(every - kept)


def select_fitting_claims(
    angles: Sequence[Sequence[Claim]], contradictions: Iterable[Contradiction]
) -> tuple[tuple[Claim, ...], ...]:
    """Keep what fits into a prompt: the claims of every dispute first, then by relevance.

    Args:
        angles: claims of each angle, best first.
        contradictions: of which no side may fall out; each is held by the claim that states it.

    Returns:
        Those of each angle that are shown, in the order given.
    """
    every = {claim.id: claim for claims in angles for claim in claims}
    sides = dict.fromkeys(name for each in contradictions for name in each.claims if name in every)
    best = sorted(every.values(), key=lambda claim: -claim.relevance)
    shown = set(sides)
    taken = sum(estimate_tokens(every[name]) for name in sides)
    for claim in best:
        if claim.id not in shown and taken + estimate_tokens(claim) <= ROOM:
            taken += estimate_tokens(claim)
            shown.add(claim.id)
    return tuple(tuple(claim for claim in claims if claim.id in shown) for claims in angles)


def estimate_tokens(claim: Claim) -> int:
    """Estimate what a claim takes: its text, and its quote where that is another one."""
    words = claim.text if claim.text == claim.quote else f"{claim.text}{claim.quote}"
    return BESIDE + ceil(len(words) / CHARACTERS)


def _assign_claim_states(material: Material) -> tuple[Findings, ...]:
    """What each assignment brought, each claim with what the contradictions make of it."""
    every = [claim for finding in material.findings for claim in finding.claims]
    is_written = material.plan.reasoner.uses_language_model
    claims = iter(assign_claim_states(every, material.contradictions, is_written=is_written))
    return change_claims(material.findings, lambda _: next(claims))


def assemble(
    material: Material, synthesis: Synthesis, refused: Collection[CitedSentence] = ()
) -> Report:
    """Make the report: the synthesis gives the prose, code gives everything else.

    Code says which claims are contested and marks them in the prose; while a contradiction is
    open, the report is provisional. Of a model's prose it leaves out what neither code nor the
    verifier let pass.

    Args:
        refused: sentences that an audit of the same report refused before.
    """
    findings = _assign_claim_states(material)
    is_written = material.plan.reasoner.uses_language_model
    if is_written or refused:
        synthesis = prepare_publication(synthesis, build_synthesis_input(material), refused)
    verified = synthesis.verification or Verification()
    known = {claim.id for claim in list_claims(findings)}
    restated = known - ({*verified.compared} - {*verified.restated})
    findings = replace_texts_by_quotes(findings, restated)
    claims = {claim.id: claim for claim in list_claims(findings)}
    titles = _index_titles(material)
    of = index_contradictions(claims.values(), material.contradictions)
    unrelated = index_unrelated(synthesis.verification)

    def mark(text: str, _: str) -> str:
        return mark_contradictions(text, of, claims, material.contradictions, unrelated)

    synthesis = change_prose(synthesis, mark)
    drafts = {draft.assignment_id: draft for draft in synthesis.sections}
    disputed = find_disputed_quantity(material.contradictions, findings)
    report = Report(
        run_id=material.run_id,
        topic=material.request.topic,
        language=material.request.language,
        created=material.now,
        depth=material.request.depth,
        status=ReportStatus.PROVISIONAL,
        reasoner=build_reasoner_card(material.plan.reasoner, material.answered, synthesis),
        formats=material.request.formats,
        verdict=synthesis.verdict,
        missing=synthesis.missing,
        weighings=synthesis.weighings,
        calculations=synthesis.calculations,
        verification=synthesis.verification,
        stated=collect_values(disputed, claims.values(), titles),
        summary=synthesis.summary,
        confidence=UNKNOWN,
        sections=tuple(_build_section(finding, drafts) for finding in findings),
        claims=(),
        sources=tuple(_build_source(entry, titles[entry.source.id]) for entry in material.shelf),
        contradictions=material.contradictions,
        methods=material.methods.model_copy(update={"ranking": synthesis.ranked_by}),
        gaps=_list_gaps(material),
        failures=material.failures,
        unread=_list_unread(material),
        metrics=_build_metrics(material),
        basis=Basis(
            planned=tuple(each.id for each in material.plan.assignments),
            quorum=material.plan.quorum,
            documents=material.documents,
            tasks=material.tasks,
            left_out=_count_left_out(material),
            unshown=_select_shown_claims(material, findings)[1],
        ),
    )
    cited = [name for name in list_cited_claim_ids(report) if name in claims]
    remarks = material.debate.challenges if material.debate else ()
    remarks = tuple(remark for remark in remarks if remark.claim_id in cited)
    names = dict.fromkeys((*cited, *(name for each in remarks for name in each.evidence)))
    used = tuple(claims[name] for name in names if name in claims)
    changes: dict[str, Any] = {
        "claims": used,
        "unused": tuple(_select_unused_claims(findings, used)),
        "debate": material.debate
        and material.debate.model_copy(update={"challenges": remarks}),  # on what it uses
    }
    report = derive_report(report.model_copy(update=changes))
    if material.since is not None:
        revision = compare_scheduled_runs(material.since, report)
    elif material.earlier is not None:
        revision = compare_reports(*material.earlier, report)
    else:
        return report
    return report.model_copy(update={"revision": revision})


def _select_unused_claims(findings: Iterable[Findings], used: Iterable[Claim]) -> Iterator[Claim]:
    """The best claims of each source that a report does not use, for its table of documents.

    One for each angle, and one for each kind of figure.
    """
    had = {(claim.source_id, claim.assignment_id) for claim in used}
    for finding in findings:
        for claim in finding.claims:
            own = claim.model_copy(
                update={"assignment_id": finding.assignment.id, "text": claim.quote}
            )
            if (question := (own.source_id, own.assignment_id)) not in had:
                had.add(question)
                yield own


def _list_unread(material: Material) -> tuple[Unread, ...]:
    """Add the parts that sources on the web did not give to what of the corpus was not read."""
    readings = (entry.reading for entry in material.shelf if entry.reading)
    return merge_unread([*material.unread, *collect_missing_parts(readings)])


def _count_left_out(material: Material) -> tuple[LeftOut, ...]:
    """Count what each bound left out by the failures that tell of it, so that both are one."""
    tasks = Counter(failed.left_out for failed in material.failures)
    return tuple(
        each.model_copy(
            update={"tasks": tasks[each.bound], "synthesis": each.bound == material.unwritten_for}
        )
        for each in material.left_out
    )


def _index_titles(material: Material) -> dict[str, str]:
    """Title sources by id; those that were read are told apart where several have one title."""
    named = {
        entry.source.id: (entry.reading.source if entry.reading else entry.source).title
        for entry in material.shelf
    }
    read = (entry.reading.source for entry in material.shelf if entry.admitted and entry.reading)
    return {**named, **disambiguate_titles(read)}


def _build_source(entry: FoundSource, title: str) -> ReportedSource:
    source = entry.reading.source if entry.reading else entry.source
    return ReportedSource(
        id=source.id,
        title=title,
        url=source.url,
        path=source.path,
        published=source.published,
        precision=source.precision,
        authors=source.authors,
        kind=source.kind,
        snapshot_sha256=entry.reading.snapshot_sha256 if entry.reading else None,
        credibility=entry.credibility.score,
        factors=entry.credibility.factors,
        admitted=entry.admitted,
        reason=entry.reason,
        copies=entry.copies,
        read_at=entry.reading.read_at if entry.reading else None,
    )


def _build_section(finding: Findings, drafts: Mapping[str, SectionDraft]) -> Section:
    empty = SectionDraft(assignment_id="", title="", summary="")
    draft = drafts.get(finding.assignment.id, empty)
    return Section(
        assignment_id=finding.assignment.id,
        title=draft.title or finding.assignment.title,
        question=finding.assignment.question,
        summary=draft.summary,
        confidence=UNKNOWN,
        claims=(),
        effort=Effort(
            attempted=finding.attempted,
            unfinished=tuple(piece.task_id for piece in finding.open_work if piece.is_missed),
            late=finding.late,
            found=len(finding.claims),
            sources=len({claim.source_id for claim in finding.claims}),
            rejected_quotes=finding.rejected_quotes,
            share=finding.share,
        ),
    )


def _list_gaps(material: Material) -> tuple[Gap, ...]:
    """List what the assignments looked for and did not find, or found and could not use."""
    read = [entry for entry in material.shelf if entry.reading and entry.source.path]
    is_all_read = 0 < material.documents <= len(read)  # and nothing but documents was searched
    searched = tuple(
        Gap(area=finding.assignment.title, reason=reason)
        for finding in material.findings
        for reason in finding.gaps
        if not (finding.claims and reason.startswith(NO_FURTHER) and is_all_read)
    )
    return (*searched, *_describe_weak_passages(material.findings))


NO_FURTHER = "No further source after"
"""How the gap of a search begins that found nothing new: none where everything was read."""


def _describe_weak_passages(findings: Sequence[Findings]) -> Iterator[Gap]:
    """Say once for all angles how many passages were too weak to answer."""
    touched = [
        finding
        for finding in findings
        if finding.beside and all(claim.relevance < RELEVANT for claim in finding.claims)
    ]
    if touched:
        count = sum(finding.beside for finding in touched)
        yield Gap(
            area=", ".join(finding.assignment.title for finding in touched),
            reason=(
                f"Passages that only touch on this (relevance below {RELEVANT}), and do not count "
                f"as answers: {count}."
            ),
        )


def _build_metrics(material: Material) -> Metrics:
    """Measure what no report shows; what it shows is counted when it is derived."""
    elapsed = (material.now - material.started).total_seconds()
    return Metrics(
        citation_coverage=0.0,
        sources_per_angle=0.0,
        sources_found=0,
        sources_read=0,
        pipeline_seconds=round(max(0.0, elapsed - material.waiting_seconds), 3),
        waiting_seconds=round(material.waiting_seconds, 3),
        model_calls=material.model_calls,
        tokens=material.tokens,
        cost_usd=material.cost_usd,
    )


UNKNOWN = Confidence(value=0.0, ledger=())
"""What stands in a report until its confidence is derived."""


def derive_report(report: Report) -> Report:
    """Compute everything in a report that follows from the rest of it.

    That is: its status, the claims and the confidence of each section, the confidence of the whole,
    the numbers and the order of its sources, its limitations, and the metrics that count what the
    report shows. What comes from outside (prose, claims, sources, failures, contradictions, effort
    and basis, time and cost) stays as it is.
    """
    # Who asks on answers with the disputes of another run, and waits for none of them.
    own = f"{report.run_id}/"
    waiting = any(
        each.is_awaited and (each.arbitration or own).startswith(own)
        for each in report.contradictions
    )
    claims = {claim.id: claim for claim in report.claims}
    late = [section.title for section in report.sections if section.effort.late]
    whole = report.model_copy(
        update={
            "status": ReportStatus.PROVISIONAL if waiting else ReportStatus.FINAL,
            "sections": tuple(_derive_section(each, claims, report) for each in report.sections),
            "sources": _number_sources(report),
            "limitations": (
                *list_data_limitations(report.basis.left_out, late, report.failures, report.unread),
                *describe_unshown(report.basis.unshown),
                *describe_unpublished(report),
            ),
            "metrics": _derive_metrics(report),
        }
    )
    opening = build_opening(whole) if whole.verdict is None else grant_verdict(whole)
    whole = whole.model_copy(update=opening._asdict())
    confidence = appraise_report(whole, index_report_voices(whole))
    return whole.model_copy(update={"confidence": confidence})


def list_data_limitations(
    left_out: Sequence[LeftOut],
    late: Sequence[str],
    failures: Sequence[ReportedFailure],
    unread: Sequence[Unread],
) -> tuple[Limitation, ...]:
    """Say everything that is missing for a reason: left out, late, failed, not looked at."""
    return (
        *(build_limitation(each) for each in left_out),
        *(
            Limitation(
                area=f"“{title}” is late",
                why="Its assignment still worked when the deadline passed and the quorum held.",
                consequence="Its section has what it had found by then; a follow-up finishes it.",
            )
            for title in late
        ),
        *describe_failures(failures),
        *describe_unread_files(unread),
    )


BACKING = 5
"""Claims that back a side and stand in a report though no prose cites them: enough to see who."""


def list_cited_claim_ids(report: Report) -> tuple[str, ...]:
    """Name the claims that something in a report rests on, those that prose cites first."""
    written = [report.summary, *(each.summary for each in report.sections)]
    names = [name for text in written for name in list_marked_ids(text)]
    sides = [side for each in report.contradictions for side in each.sides]
    names += [side.claim for side in sides]
    names += [name for side in sides for name in side.backing[:BACKING]]
    names += [figure.claim_id for figure in report.stated]
    beside = [*(each.text for each in report.weighings), *(each.why for each in report.missing)]
    names += [name for text in beside for name in list_marked_ids(text)]
    remarks = report.debate.challenges if report.debate else ()
    return tuple(dict.fromkeys((*names, *(name for each in remarks for name in each.evidence))))


def _derive_section(section: Section, claims: Mapping[str, Claim], report: Report) -> Section:
    names = tuple(
        name for name in dict.fromkeys(list_marked_ids(section.summary)) if name in claims
    )
    voices = index_report_voices(report)
    cited = [
        claim.model_copy(update={"source_id": voices.get(claim.source_id, claim.source_id)})
        for claim in map(claims.__getitem__, names)
    ]
    confidence = appraise_section(section.effort, cited, report.contradictions)
    return section.model_copy(update={"claims": names, "confidence": confidence})


def _number_sources(report: Report) -> tuple[ReportedSource, ...]:
    """Number the cited sources in order of first citation and put them first."""
    owners = {claim.id: claim.source_id for claim in report.claims}
    cited = dict.fromkeys(owners[name] for name in list_cited_claim_ids(report) if name in owners)
    numbers = {name: number for number, name in enumerate(cited, start=1)}
    last = len(report.sources) + 1
    ordered = sorted(report.sources, key=lambda source: numbers.get(source.id, last))
    return tuple(source.model_copy(update={"number": numbers.get(source.id)}) for source in ordered)


def _derive_metrics(report: Report) -> Metrics:
    tasks = report.basis.tasks
    efforts = [section.effort for section in report.sections]
    unknown = sum(failed.failure.category is FailureCategory.UNKNOWN for failed in report.failures)
    lost = sum(not failed.recovered for failed in report.failures)
    known = [source for source in report.sources if source.snapshot_sha256 is not None]
    per_angle = sum(effort.sources for effort in efforts) / len(efforts) if efforts else 0.0
    counted = {
        "citation_coverage": measure_coverage(list_pieces(report)),
        "citations_supported": measure_support(report),
        "sources_per_angle": round(per_angle, 2),
        "sources_found": len(report.sources),
        "sources_read": len(known),
        "rejected_quotes": sum(effort.rejected_quotes for effort in efforts),
        "success_rate": round(max(0.0, 1 - lost / tasks), 4) if tasks else 1.0,
        "failures_recovered": sum(failed.recovered for failed in report.failures),
        "unhandled_failure_rate": round(unknown / tasks, 4) if tasks else 0.0,
    }
    return report.metrics.model_copy(update=counted)
