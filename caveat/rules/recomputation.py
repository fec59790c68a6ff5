"""Recomputation: what a report says of itself is what follows from its sources and failures.

A ledger whose steps add up may still be of another report, and a limitation that was taken out
leaves no gap behind it. So the audit derives everything again and compares.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from caveat.contracts.audit import Check, Finding
from caveat.contracts.claim import Claim
from caveat.contracts.confidence import Confidence, LedgerStep
from caveat.contracts.debate import Participant
from caveat.contracts.report import Basis, Limitation, Metrics, Report, ReportedSource
from caveat.contracts.source import SourceKind
from caveat.rules.citations import place
from caveat.rules.credibility import amount_of, total
from caveat.rules.derivation import derived

OLDER = "1.0"
"""The schema of reports that do not hold what their confidence is made of."""


def can_recompute(report: Report) -> bool:
    """Whether a report holds what its confidence, limitations and metrics are made of."""
    return report.basis is not None and all(section.effort for section in report.sections)


def recomputation_findings(report: Report) -> Iterator[Finding]:
    """Compare what a report says of itself with what follows from the rest of it.

    Of a report of schema 1.0 only what such a report holds is compared.
    """
    yield from _version_findings(report)
    yield from _source_findings(report)
    if report.basis is None or not can_recompute(report):
        return
    right = derived(report)
    yield from _plan_findings(report, report.basis)
    for section, expected in zip(report.sections, right.sections, strict=True):
        where = place(section)
        if set(section.claims) == set(expected.claims) and section.claims != expected.claims:
            yield _finding(Check.CITATION, where, "Its claims are not listed as it cites them.")
        yield from _ledger(section.confidence, expected.confidence, f"confidence of {where}")
    yield from _ledger(report.confidence, right.confidence, "confidence of the report")
    yield from _limitation_findings(report.limitations, right.limitations)
    yield from _claim_findings(report)
    yield from _number_findings(report.sources, right.sources)
    yield from _metric_findings(report.metrics, right.metrics)
    yield from _unfinished_findings(report)
    yield from _debate_findings(report)


def _version_findings(report: Report) -> Iterator[Finding]:
    has_some = report.basis is not None or any(section.effort for section in report.sections)
    older = report.schema_version == OLDER
    if older and has_some:
        message = f"The report says schema {OLDER} and holds what came after it."
        yield _finding(Check.LEDGER, "schema_version", message)
    if not older and not can_recompute(report):
        message = "What its confidence is made of is missing, so that it cannot be recomputed."
        yield _finding(Check.LEDGER, "basis", message)


def _plan_findings(report: Report, basis: Basis) -> Iterator[Finding]:
    planned, written = basis.planned, tuple(each.assignment_id for each in report.sections)
    for name in planned:
        if name not in written:
            yield _finding(Check.LEDGER, "sections", f"The planned angle {name} has no section.")
    for section in report.sections:
        if section.assignment_id not in planned:
            yield _finding(Check.LEDGER, place(section), "No such angle was planned.")
    if set(planned) == set(written) and planned != written:
        yield _finding(Check.LEDGER, "sections", "They do not stand in the order of the plan.")


def _ledger(given: Confidence, right: Confidence, where: str) -> Iterator[Finding]:
    if given.value != right.value:
        message = f"It says {given.value}, recomputed from the report it is {right.value}."
        yield _finding(Check.LEDGER, where, message)
    pairs = zip_longest(given.ledger, right.ledger)
    for number, (step, expected) in enumerate(pairs, start=1):
        if step != expected:
            message = f"It says {_said(step)}; recomputed from the report: {_said(expected)}."
            yield _finding(Check.LEDGER, f"{where}, ledger step {number}", message)


def _said(step: LedgerStep | None) -> str:
    if step is None:
        return "nothing"
    return f"“{step.reason}”, {step.operation} {step.amount}, {step.before} to {step.after}"


def _limitation_findings(
    given: Sequence[Limitation], right: Sequence[Limitation]
) -> Iterator[Finding]:
    for missing in right:
        if missing not in given:
            message = f"“{missing.area}” follows from what failed and is not said."
            yield _finding(Check.LIMITATION, "limitations", message)
    for extra in given:
        if extra not in right:
            message = f"“{extra.area}” does not follow from what failed."
            yield _finding(Check.LIMITATION, "limitations", message)
    if sorted(map(repr, given)) == sorted(map(repr, right)) and tuple(given) != tuple(right):
        message = "They do not stand in the order in which they follow from what failed."
        yield _finding(Check.LIMITATION, "limitations", message)
    elif len(given) != len(right) and all(each in right for each in given):
        message = f"There are {len(given)}, and {len(right)} follow from what failed."
        yield _finding(Check.LIMITATION, "limitations", message)


def _number_findings(
    given: Sequence[ReportedSource], right: Sequence[ReportedSource]
) -> Iterator[Finding]:
    numbers = {source.id: source.number for source in right}
    for source in given:
        number = numbers[source.id]
        if source.number is not None and number is not None and source.number != number:
            message = (
                f"Its number is {source.number}; by the order of the citations it is {number}."
            )
            yield _finding(Check.CITATION, f"source {source.id}", message)
    if len(numbers) != len(given):
        yield _finding(Check.CITATION, "sources", "A source is listed twice.")


def _claim_findings(report: Report) -> Iterator[Finding]:
    angles = {section.assignment_id for section in report.sections}
    for claim in report.claims:
        if claim.assignment_id not in angles:
            message = f"It was found for {claim.assignment_id}, which is no angle of the report."
            yield _finding(Check.CITATION, f"claim {claim.id}", message)
        if not report.reasoner.uses_language_model and claim.text != claim.quote:
            message = "Without a language model a claim is its quote, and this one says more."
            yield _finding(Check.QUOTE, f"claim {claim.id}", message)


def _metric_findings(given: Metrics, right: Metrics) -> Iterator[Finding]:
    for name, value in given:
        expected = getattr(right, name)
        if value != expected:
            message = f"It says {value}, recomputed from the report it is {expected}."
            yield _finding(Check.METRIC, f"metrics.{name}", message)


def _unfinished_findings(report: Report) -> Iterator[Finding]:
    """What an angle lacks is among the failures, under its own name or a later attempt's."""
    known = {_task(failed.task_id) for failed in report.failures}
    for section in report.sections:
        for task_id in section.effort.unfinished if section.effort else ():
            if _task(task_id) not in known:
                message = f"Its task {task_id} was not finished, and no failure says why."
                yield _finding(Check.LIMITATION, place(section), message)


def _task(task_id: str) -> str:
    """The name that the attempts of one piece of work share."""
    return re.sub(r"(?:-\d{1,4}|-again)+$", "", task_id)


def _debate_findings(report: Report) -> Iterator[Finding]:
    if report.debate is None:
        return
    present, missing = report.debate.present, report.debate.missing
    if sorted((*present, *missing)) != sorted(Participant):
        message = "Its participants are not each present or missing, once."
        yield _finding(Check.DEBATE, "debate", message)


def _source_findings(report: Report) -> Iterator[Finding]:
    for source in report.sources:
        for problem in _credibility(source):
            yield _finding(Check.CREDIBILITY, f"source {source.id}", problem)
        if source.snapshot_sha256 is not None and not source.admitted:
            message = "It was read and says that it was not admitted."
            yield _finding(Check.CREDIBILITY, f"source {source.id}", message)
    sources = {source.id: source for source in report.sources}
    for claim in report.claims:
        origin = sources.get(claim.source_id)
        if origin is not None and claim.credibility != origin.credibility:
            yield _finding(Check.CREDIBILITY, f"claim {claim.id}", _trust(claim, origin))


def _credibility(source: ReportedSource) -> Iterator[str]:
    right = total(source.factors)
    if source.credibility != right:
        yield f"Its credibility is {source.credibility}, its factors add up to {right}."
    of_kind = {f"kind: {source.kind}", f"kind: {SourceKind.UNKNOWN}"}
    if not of_kind.intersection(factor.reason for factor in source.factors):
        yield f"Its kind is {source.kind}, and none of its factors says so."
    for factor in source.factors:
        known = amount_of(factor.reason)
        if known != factor.amount:
            says = "for which nothing is given" if known is None else f"which gives {known}"
            yield f"It is given {factor.amount} for “{factor.reason}”, {says}."
    for reason, times in _repeated(source):
        yield f"“{reason}” counts {times} times."


def _repeated(source: ReportedSource) -> Iterator[tuple[str, int]]:
    reasons = [factor.reason for factor in source.factors]
    for reason in dict.fromkeys(reasons):
        if (times := reasons.count(reason)) > 1:
            yield reason, times


def _trust(claim: Claim, origin: ReportedSource) -> str:
    return f"Its credibility is {claim.credibility}, that of its source {origin.credibility}."


def _finding(check: Check, where: str, message: str) -> Finding:
    return Finding(check=check, where=where, message=message)
