"""What follows from the rest of a report: confidence, limitations, numbers of sources, metrics."""

from collections.abc import Mapping, Sequence

from caveat.contracts.claim import Claim
from caveat.contracts.failure import FailureCategory
from caveat.contracts.report import (
    Confidence,
    LeftOut,
    Limitation,
    Metrics,
    Report,
    ReportedFailure,
    ReportedSource,
    ReportStatus,
    Section,
)
from caveat.contracts.source import Unread
from caveat.rules.report.answering import build_opening, grant_verdict, index_report_voices
from caveat.rules.report.appraisal import appraise_report, appraise_section
from caveat.rules.report.limitations import (
    describe_failures,
    describe_late_angles,
    describe_unpublished,
    describe_unread_files,
    describe_unshown,
)
from caveat.rules.report.publication import measure_support
from caveat.rules.run.budget import build_limitation
from caveat.rules.text import list_marked_ids, list_pieces, measure_coverage

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
        *describe_late_angles(late),
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
