"""What a report says of itself follows from the rest of it; whoever changes it is found."""

from collections.abc import Callable
from typing import Any

import pytest

from caveat.contracts.audit import Check
from caveat.contracts.report import Report
from caveat.rules.audit import audit
from caveat.rules.report import derive_report
from tests.fakes.reports import a_disputed_report, a_report, texts_of

Json = dict[str, Any]
Tampering = Callable[[Json], object]


def _surer(report: Json) -> None:
    """What somebody does who knows that the steps must add up."""
    last = report["confidence"]["ledger"][-1]
    step = {"operation": "set", "amount": 0.99, "before": 0.0, "after": 0.99}
    report["confidence"] = {"value": 0.99, "ledger": [{"reason": last["reason"], **step}]}


def _without_a_step(report: Json) -> None:
    """Take a step out and let the others add up again."""
    *steps, _ = report["confidence"]["ledger"]
    report["confidence"] = {"value": steps[-1]["after"], "ledger": steps}


def _trusted(report: Json) -> None:
    for each in (*report["sources"], *report["claims"]):
        each["credibility"] = 1.0


def _trusted_with_reasons(report: Json) -> None:
    _trusted(report)
    for source in report["sources"]:
        source["factors"] = [{"reason": "kind: peer-reviewed", "amount": 1.0}]


def _without_a_section(report: Json) -> None:
    del report["sections"][2]


def _failures_emptied(report: Json) -> None:
    report["failures"], report["limitations"] = [], []


TAMPERINGS: tuple[tuple[Tampering, Check], ...] = (
    (_surer, Check.LEDGER),
    (_without_a_step, Check.LEDGER),
    (_trusted, Check.CREDIBILITY),
    (_trusted_with_reasons, Check.CREDIBILITY),
    (_without_a_section, Check.LEDGER),
    (lambda report: report["limitations"].clear(), Check.LIMITATION),
    (lambda report: report["failures"].clear(), Check.LIMITATION),
    (_failures_emptied, Check.LIMITATION),
    (lambda report: report["limitations"].append(report["limitations"][0]), Check.LIMITATION),
    (lambda report: report["limitations"].reverse(), Check.LIMITATION),
    (lambda report: report["sections"][0]["confidence"]["ledger"].pop(0), Check.LEDGER),
    (lambda report: report["basis"]["planned"].append("a7"), Check.LEDGER),
    (lambda report: report["basis"]["planned"].reverse(), Check.LEDGER),
    (lambda report: report["sections"].reverse(), Check.LEDGER),
    (lambda report: report["metrics"].update(sources_read=99), Check.METRIC),
    (lambda report: report["metrics"].update(citation_coverage=0.5), Check.METRIC),
    (lambda report: report["debate"]["present"].pop(), Check.DEBATE),
    (lambda report: report["sources"].append(report["sources"][-1]), Check.CITATION),
    (lambda report: report["sections"][0]["claims"].reverse(), Check.CITATION),
)


@pytest.mark.parametrize(("tamper", "check"), TAMPERINGS)
@pytest.mark.parametrize("report", [a_report(), a_disputed_report()], ids=["plain", "disputed"])
def test_whoever_changes_what_follows_is_found(
    report: Report, tamper: Tampering, check: Check
) -> None:
    assert audit(report, texts_of(report)).findings == ()
    changed = report.model_dump(mode="json")
    tamper(changed)
    found = audit(Report.model_validate(changed), texts_of(report)).findings
    assert check in {each.check for each in found}, found


@pytest.mark.parametrize("report", [a_report(), a_disputed_report()], ids=["plain", "disputed"])
def test_deriving_again_changes_nothing(report: Report) -> None:
    assert derive_report(report) == report


def test_a_failure_under_a_later_attempt_s_name_explains_what_is_unfinished() -> None:
    def named(task_id: str) -> Report:
        report = a_report()
        renamed = report.failures[1].model_copy(update={"task_id": task_id})
        return derive_report(report.model_copy(update={"failures": (report.failures[0], renamed)}))

    for task_id, passes in (("a5-read-3-again", True), ("a5-read-7", True), ("a4-read", False)):
        report = named(task_id)
        assert audit(report, texts_of(report)).passed is passes, task_id
