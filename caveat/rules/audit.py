"""The audit: everything that code can check on a report, in one list of findings."""

from collections.abc import Iterator, Mapping

from caveat.contracts.audit import Audit, Finding
from caveat.contracts.confidence import Confidence
from caveat.contracts.report import Report
from caveat.rules.agreement import agreement_findings
from caveat.rules.citations import (
    citation_findings,
    coverage,
    coverage_findings,
    markers,
    place,
    places,
    quotation_findings,
)
from caveat.rules.confidence import ledger_findings
from caveat.rules.disputes import contradiction_findings, debate_findings
from caveat.rules.figures import figure_findings
from caveat.rules.numbers import counted, number_findings
from caveat.rules.quotes import quote_findings
from caveat.rules.recomputation import can_recompute, recomputation_findings


def audit(report: Report, texts: Mapping[str, str | None]) -> Audit:
    """Check every quote, citation, number, ledger step, contradiction and remark of a report.

    Args:
        report: the report.
        texts: the text of each snapshot by its SHA-256; None or absent when it is missing, which
            is a finding for each claim that rests on it.

    Returns:
        What was checked, and a finding for each thing that is wrong; it passes when there is none.
    """
    prose = [markdown for _, markdown in places(report)]
    return Audit(
        findings=tuple(_findings(report, texts)),
        coverage=coverage(prose, report.claims),
        quotes=len(report.claims),
        citations=sum(len(markers(text)) for text in prose),
        numbers=counted(report) + sum(len(section.figures) for section in report.sections),
        steps=sum(len(confidence.ledger) for _, confidence in _confidences(report)),
        contradictions=len(report.contradictions),
        recomputed=can_recompute(report),
    )


def _findings(report: Report, texts: Mapping[str, str | None]) -> Iterator[Finding]:
    yield from quote_findings(report, texts)
    yield from citation_findings(report)
    yield from agreement_findings(report)
    yield from coverage_findings(report)
    yield from quotation_findings(report)
    yield from number_findings(report)
    yield from figure_findings(report)
    yield from contradiction_findings(report)
    yield from debate_findings(report)
    for where, confidence in _confidences(report):
        yield from ledger_findings(confidence, where)
    yield from recomputation_findings(report)


def _confidences(report: Report) -> Iterator[tuple[str, Confidence]]:
    yield "confidence of the report", report.confidence
    for section in report.sections:
        yield f"confidence of {place(section)}", section.confidence
