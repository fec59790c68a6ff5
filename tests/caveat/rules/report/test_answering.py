"""A report opens with its answer, or with the plain words that there is none."""

import datetime as dt

import pytest

from caveat.contracts.claim import ClaimState
from caveat.contracts.contradiction import Ruling
from caveat.contracts.report import Report, ReportStatus
from caveat.rules.contradictions.ladder import ruled
from caveat.rules.report import derived
from caveat.rules.report.answering import DIRECT, FITS, TOUCHES
from caveat.rules.report.appraisal import UNANSWERED, WHILE_DISPUTED
from tests.fakes.reports import AWAITED, a_disputed_report, a_report


def answering(relevance: float) -> Report:
    """A report with a section on the question itself whose claims fit it so well."""
    report = a_report()
    first, *others = report.sections
    return report.model_copy(
        update={
            "sections": (first.model_copy(update={"title": DIRECT}), *others),
            "claims": tuple(
                each.model_copy(update={"relevance": relevance}) for each in report.claims
            ),
            "contradictions": (),
        }
    )


@pytest.mark.parametrize(
    ("relevance", "answered"),
    [(FITS, True), (FITS - 0.01, "partly"), (TOUCHES, "partly"), (TOUCHES - 0.01, False)],
)
def test_how_well_the_best_passage_fits_decides(relevance: float, answered: bool | str) -> None:
    report = derived(answering(relevance))
    assert report.answered == answered
    assert report.answered_because.endswith(".")
    assert bool(report.answer) is (answered is not False)


def test_what_fits_worse_makes_no_report_surer() -> None:
    values = [derived(answering(share / 20)).confidence.value for share in range(21)]
    assert values == sorted(values)


def begins(report: Report) -> float:
    """What a report begins with, before anything that is missing takes from it."""
    return derived(report).confidence.ledger[0].after


def test_a_passage_that_stands_alone_is_ahead_of_all_that_was_not_kept() -> None:
    alone = answering(0.9).model_copy(update={"failures": ()})
    best, *others = alone.claims
    crowded = (best, *(each.model_copy(update={"relevance": 0.88}) for each in others))
    assert begins(alone) > 0.6
    assert begins(alone.model_copy(update={"claims": crowded})) == pytest.approx(begins(alone))


def test_where_something_failed_what_is_missing_might_fit_as_well() -> None:
    lacking = answering(0.9)
    assert lacking.failures
    assert begins(lacking) < begins(lacking.model_copy(update={"failures": ()})) - 0.2


def test_nothing_on_the_question_is_no_answer_whatever_the_sides_say() -> None:
    full = answering(0.9)
    first, *others = full.sections
    empty = first.model_copy(update={"summary": ""})
    report = derived(full.model_copy(update={"sections": (empty, *others)}))
    assert (report.answered, report.answer) == (False, "")
    assert report.confidence.value <= UNANSWERED


def test_what_was_found_and_overruled_is_not_said_to_be_missing() -> None:
    full = answering(0.9)
    first, *others = full.sections
    claims = tuple(
        each.model_copy(update={"state": ClaimState.OVERRULED})
        if each.assignment_id == first.assignment_id
        else each
        for each in full.claims
    )
    emptied = (first.model_copy(update={"summary": "", "figures": ()}), *others)
    report = derived(full.model_copy(update={"sections": emptied, "claims": claims}))
    assert report.answered is False
    assert "is overruled" in report.answered_because


def test_a_disputed_answer_shows_its_values_and_is_moderate_at_most() -> None:
    report = a_disputed_report()
    assert report.answered == "partly"
    assert report.disputed
    assert report.confidence.value <= WHILE_DISPUTED


@pytest.mark.parametrize(("ruling", "is_sure"), [("neither", False), ("a", True)])
def test_where_no_value_holds_nothing_is_sure(ruling: str, *, is_sure: bool) -> None:
    given = Ruling(ruling=ruling, reason="I looked.", decided_by="Ada")
    settled = ruled(AWAITED, given, dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    report = a_disputed_report(settled, status=ReportStatus.FINAL)
    of = [step.reason for step in report.confidence.ledger]
    assert any("no value holds of 1 contradiction" in reason for reason in of) is not is_sure
    assert is_sure or report.confidence.value <= WHILE_DISPUTED


def test_a_ruling_for_one_of_two_values_makes_no_report_less_sure() -> None:
    report = answering(0.9)
    asked = report.sections[0]
    held, overruled = asked.figures
    ruled = report.model_copy(
        update={
            "stated": asked.figures,
            "sections": (
                asked.model_copy(
                    update={"summary": f"It is so. [{held.claim_id}]", "figures": (held,)}
                ),
                *report.sections[1:],
            ),
            "claims": tuple(
                each.model_copy(update={"state": ClaimState.OVERRULED})
                if each.id == overruled.claim_id
                else each
                for each in report.claims
            ),
        }
    )
    first, _ = derived(ruled).confidence.ledger[:2]
    assert "2 independent sources state a value" in first.reason
