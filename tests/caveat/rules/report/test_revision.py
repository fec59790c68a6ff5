"""A revision says what a reader of the first report would want to know, and nothing else."""

from caveat.contracts.contradiction import Contradiction, ContradictionState, SettledBy
from caveat.contracts.report import Operation, Report, ReportedFailure
from caveat.rules.report.appraisal import build_confidence
from caveat.rules.report.revision import compare_reports, compare_scheduled_runs
from tests.fakes.reports import (
    AWAITED,
    BOTH_HOLD,
    FAILURES,
    NOBODY_CAME,
    a_disputed_report,
    a_report,
)

CLEAN = a_report(failures=())


def failures(*recovered: bool) -> tuple[ReportedFailure, ...]:
    return tuple(FAILURES[1].model_copy(update={"recovered": each}) for each in recovered)


def changes(before: Report, after: Report) -> tuple[str, ...]:
    return compare_reports(before.run_id, before, after).changes


def test_a_claim_that_only_has_another_name_is_the_same() -> None:
    renamed = [claim.model_copy(update={"id": f"x{claim.id}"}) for claim in CLEAN.claims]
    assert changes(CLEAN, CLEAN.model_copy(update={"claims": tuple(renamed)})) == ()


def test_failures_made_good_and_failures_that_remain() -> None:
    before = a_report(failures=failures(False, False, False))
    (better,) = changes(before, a_report(failures=failures(True, True, False)))
    assert better == "2 of 3 failed tasks were made good."
    (same,) = changes(before, a_report(failures=failures(False, False, False)))
    assert same == "3 failed tasks remain."


def test_another_confidence_is_said_with_both_values() -> None:
    surer = build_confidence([(Operation.SET, 0.9, "surer")])
    (change,) = changes(CLEAN, CLEAN.model_copy(update={"confidence": surer}))
    assert "0.90" in change
    assert f"{CLEAN.confidence.value:.2f}" in change


def settled(before: tuple[Contradiction, ...], after: tuple[Contradiction, ...]) -> list[str]:
    """What a revision says of contradictions alone."""
    reports = (a_disputed_report(*each) for each in (before, after))
    first, second = (report.model_copy(update={"failures": ()}) for report in reports)
    said = changes(first, second)
    return [change for change in said if not change.startswith("The confidence is")]


def test_a_late_ruling_is_said_with_its_person_and_reason() -> None:
    late = NOBODY_CAME.model_copy(
        update={
            "state": ContradictionState.RESOLVED,
            "settled_by": SettledBy.PERSON,
            "ruling": "a",
            "reason": "The forecast was too bold",
            "decided_by": "Ada",
        }
    )
    (change,) = settled((AWAITED, NOBODY_CAME), (AWAITED, late))
    assert change == (
        f"“{late.about}” was settled by Ada: A holds and B does not. "
        "Reason: The forecast was too bold."
    )


def test_a_contradiction_is_the_same_under_another_name() -> None:
    renamed = BOTH_HOLD.model_copy(update={"id": "contradiction-7"})
    assert settled((AWAITED, BOTH_HOLD), (AWAITED, renamed)) == []


def test_a_contradiction_is_the_same_in_other_words_and_another_between_other_claims() -> None:
    reworded = BOTH_HOLD.model_copy(update={"about": "Said in other words."})
    assert settled((AWAITED, BOTH_HOLD), (AWAITED, reworded)) == []
    elsewhere = BOTH_HOLD.model_copy(update={"sides": NOBODY_CAME.sides})
    new, gone = settled((BOTH_HOLD,), (elsewhere,))
    assert new.startswith(f"New contradiction: {elsewhere.about}")
    assert gone.startswith(f"No longer found: {BOTH_HOLD.about}")


def test_what_awaits_a_person_and_what_nobody_settled_is_said() -> None:
    unsettled = AWAITED.model_copy(update={"state": ContradictionState.PROVISIONAL})
    (change,) = settled((AWAITED,), (unsettled,))
    assert change.startswith(f"“{AWAITED.about}” could be settled by nobody")
    (change,) = settled((unsettled,), (AWAITED,))
    assert change == f"“{AWAITED.about}” awaits a person."


QUOTED = CLEAN.model_copy(update={"claims": CLEAN.claims[1:]})


def test_what_is_quoted_otherwise_of_the_same_text_is_no_news_to_a_schedule() -> None:
    assert changes(CLEAN, QUOTED) == ("1 claim is no longer used.",)
    compared = compare_scheduled_runs(CLEAN, QUOTED)
    assert (compared.of, compared.changes) == (CLEAN.run_id, ())


def test_a_text_that_changed_is_news_with_what_it_brings() -> None:
    first, *others = CLEAN.sources
    changed = first.model_copy(update={"snapshot_sha256": "f" * 64})
    after = QUOTED.model_copy(update={"sources": (changed, *others)})
    expected = ("1 claim is no longer used.", "1 text is new.")
    assert compare_scheduled_runs(CLEAN, after).changes == expected
