"""Recomputation: what a report says of itself is what follows from its sources and failures.

A ledger whose steps add up may still be of another report, and a limitation that was taken out
leaves no gap behind it. So the audit derives everything again and compares.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from caveat.contracts.audit import Check, Finding
from caveat.contracts.confidence import Confidence, LedgerStep, Operation
from caveat.contracts.debate import Participant
from caveat.contracts.report import Basis, Limitation, Metrics, Report, ReportedSource
from caveat.rules.report import apply_operation, derive_report
from caveat.rules.text import name_section


def check_recomputation(report: Report) -> Iterator[Finding]:
    """Compare what a report says of itself with what follows from the rest of it."""
    right = derive_report(report)
    yield from _check_plan(report, report.basis)
    for section, expected in zip(report.sections, right.sections, strict=True):
        where = name_section(section)
        if set(section.claims) == set(expected.claims) and section.claims != expected.claims:
            yield _build_finding(
                Check.CITATION, where, "Its claims are not listed as it cites them."
            )
        yield from _compare_ledgers(
            section.confidence, expected.confidence, f"confidence of {where}"
        )
    yield from _check_answer(report, right)
    yield from _compare_ledgers(report.confidence, right.confidence, "confidence of the report")
    yield from _check_limitations(report.limitations, right.limitations)
    yield from _check_claims(report)
    yield from _check_source_numbers(report.sources, right.sources)
    yield from _check_metrics(report.metrics, right.metrics)
    yield from _check_unfinished(report)
    yield from _check_participants(report)


def check_ledger(confidence: Confidence, where: str) -> Iterator[Finding]:
    """Recompute a ledger.

    Yields:
        A finding for each step that does not follow, and for a value that is not the last step's.
    """
    if not confidence.ledger:
        yield _build_finding(Check.LEDGER, where, "The ledger has no steps.")
        return
    if confidence.ledger[0].operation is not Operation.SET:
        message = "The ledger does not begin by setting a value."
        yield _build_finding(Check.LEDGER, f"{where}, ledger step 1", message)
    previous = 0.0
    for number, step in enumerate(confidence.ledger, start=1):
        for problem in _check_step(step, previous, first=number == 1):
            yield _build_finding(Check.LEDGER, f"{where}, ledger step {number}", problem)
        previous = step.after
    if confidence.value != previous:
        message = f"The value is {confidence.value}, its ledger ends at {previous}."
        yield _build_finding(Check.LEDGER, where, message)


def _check_step(step: LedgerStep, previous: float, *, first: bool) -> Iterator[str]:
    if step.operation is Operation.SET and not first:
        yield "A value is set in the middle of the ledger."
    if step.before != previous:
        yield f"It begins at {step.before}, but the step before ended at {previous}."
    expected = apply_operation(step.operation, step.before, step.amount)
    if step.after != expected:
        yield f"It says {step.after}, recomputed it is {expected}."


def _check_plan(report: Report, basis: Basis) -> Iterator[Finding]:
    planned, written = basis.planned, tuple(each.assignment_id for each in report.sections)
    for name in planned:
        if name not in written:
            yield _build_finding(
                Check.LEDGER, "sections", f"The planned angle {name} has no section."
            )
    for section in report.sections:
        if section.assignment_id not in planned:
            yield _build_finding(Check.LEDGER, name_section(section), "No such angle was planned.")
    if set(planned) == set(written) and planned != written:
        yield _build_finding(
            Check.LEDGER, "sections", "They do not stand in the order of the plan."
        )


def _compare_ledgers(given: Confidence, right: Confidence, where: str) -> Iterator[Finding]:
    if given.value != right.value:
        message = f"It says {given.value}, recomputed from the report it is {right.value}."
        yield _build_finding(Check.LEDGER, where, message)
    if given.reasons != right.reasons:
        message = f"It says {given.reasons}, recomputed from the report it is {right.reasons}."
        yield _build_finding(Check.LEDGER, where, message)
    pairs = zip_longest(given.ledger, right.ledger)
    for number, (step, expected) in enumerate(pairs, start=1):
        if step != expected:
            said, due = _describe_step(step), _describe_step(expected)
            message = f"It says {said}; recomputed from the report: {due}."
            yield _build_finding(Check.LEDGER, f"{where}, ledger step {number}", message)


def _describe_step(step: LedgerStep | None) -> str:
    if step is None:
        return "nothing"
    return f"“{step.reason}”, {step.operation} {step.amount}, {step.before} to {step.after}"


def _check_limitations(
    given: Sequence[Limitation], right: Sequence[Limitation]
) -> Iterator[Finding]:
    for missing in right:
        if missing not in given:
            message = f"“{missing.area}” follows from what failed and is not said."
            yield _build_finding(Check.LIMITATION, "limitations", message)
    for extra in given:
        if extra not in right:
            message = f"“{extra.area}” does not follow from what failed."
            yield _build_finding(Check.LIMITATION, "limitations", message)
    if sorted(map(repr, given)) == sorted(map(repr, right)) and tuple(given) != tuple(right):
        message = "They do not stand in the order in which they follow from what failed."
        yield _build_finding(Check.LIMITATION, "limitations", message)
    elif len(given) != len(right) and all(each in right for each in given):
        message = f"There are {len(given)}, and {len(right)} follow from what failed."
        yield _build_finding(Check.LIMITATION, "limitations", message)


def _check_source_numbers(
    given: Sequence[ReportedSource], right: Sequence[ReportedSource]
) -> Iterator[Finding]:
    numbers = {source.id: source.number for source in right}
    for source in given:
        number = numbers[source.id]
        if source.number is not None and number is not None and source.number != number:
            message = (
                f"Its number is {source.number}; by the order of the citations it is {number}."
            )
            yield _build_finding(Check.CITATION, f"source {source.id}", message)
    if len(numbers) != len(given):
        yield _build_finding(Check.CITATION, "sources", "A source is listed twice.")


def _check_answer(report: Report, right: Report) -> Iterator[Finding]:
    for name in ("answered", "answer", "answered_because", "disputed"):
        given, expected = getattr(report, name), getattr(right, name)
        if given != expected:
            message = f"It says {given!r}, recomputed from the report it is {expected!r}."
            yield _build_finding(Check.ANSWER, name, message)


def _check_claims(report: Report) -> Iterator[Finding]:
    angles = {section.assignment_id for section in report.sections}
    for claim in report.claims:
        if claim.assignment_id not in angles:
            message = f"It was found for {claim.assignment_id}, which is no angle of the report."
            yield _build_finding(Check.CITATION, f"claim {claim.id}", message)
        if not report.reasoner.uses_language_model and claim.text != claim.quote:
            message = "Without a language model a claim is its quote, and this one says more."
            yield _build_finding(Check.QUOTE, f"claim {claim.id}", message)


def _check_metrics(given: Metrics, right: Metrics) -> Iterator[Finding]:
    for name, value in given:
        expected = getattr(right, name)
        if value != expected:
            message = f"It says {value}, recomputed from the report it is {expected}."
            yield _build_finding(Check.METRIC, f"metrics.{name}", message)


def _check_unfinished(report: Report) -> Iterator[Finding]:
    """What an angle lacks is among the failures, under its own name or a later attempt's."""
    known = {_strip_attempt(failed.task_id) for failed in report.failures}
    for section in report.sections:
        for task_id in section.effort.unfinished:
            if _strip_attempt(task_id) not in known:
                message = f"Its task {task_id} was not finished, and no failure says why."
                yield _build_finding(Check.LIMITATION, name_section(section), message)


def _strip_attempt(task_id: str) -> str:
    """The name that the attempts of one piece of work share."""
    return re.sub(r"(?:-\d{1,4}|-again){1,16}\Z", "", task_id)


def _check_participants(report: Report) -> Iterator[Finding]:
    if report.debate is None:
        return
    present, missing = report.debate.present, report.debate.missing
    if sorted((*present, *missing)) != sorted(Participant):
        message = "Its participants are not each present or missing, once."
        yield _build_finding(Check.DEBATE, "debate", message)


def _build_finding(check: Check, where: str, message: str) -> Finding:
    return Finding(check=check, where=where, message=message)
