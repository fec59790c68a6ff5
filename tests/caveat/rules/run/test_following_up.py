"""What is worth a follow-up: what may work now, and reports that only had to be written."""

import pytest

from caveat.contracts.envelope import AgentType
from caveat.contracts.failure import CATEGORIES, Failure, FailureCategory, FailureType
from caveat.contracts.outcome import Ending
from caveat.failures import PortFailure, forbidden, invalid, not_found, unavailable
from caveat.rules.run.recovery import (
    FIELDWORKERS,
    GATHERED,
    REDONE,
    Scope,
    build_scope,
    count_recovered,
    may_work_now,
)
from tests.fakes.reports import reported

BUSY = unavailable("The archive is busy.", resource="page")
GONE = not_found("The page is gone.", resource="page")
UNFORESEEN = PortFailure(
    Failure(
        category=FailureCategory.UNKNOWN, failure_type=FailureType.PERMANENT, message="It broke."
    )
)


@pytest.mark.parametrize("agent", AgentType)
def test_only_work_that_a_follow_up_does_again_counts(agent: AgentType) -> None:
    again = agent in FIELDWORKERS | REDONE
    assert build_scope(None, [reported(BUSY, agent)]).is_empty is not again


@pytest.mark.parametrize("ending", [None, *Ending])
def test_a_run_that_only_lacks_its_report_is_followed_up(ending: Ending | None) -> None:
    assert build_scope(ending, [reported(GONE)]).is_empty is (ending not in GATHERED)


def test_what_is_hopeless_or_made_good_is_not_worth_it() -> None:
    assert Scope().is_empty
    assert build_scope(None, []).is_empty
    assert build_scope(None, [reported(GONE), reported(BUSY, recovered=True)]).is_empty
    assert not build_scope(None, [reported(GONE), reported(BUSY)]).is_empty


@pytest.mark.parametrize("provider", [None, "anthropic"])
@pytest.mark.parametrize(
    ("kind", "category"),
    [(kind, category) for kind in FailureType for category in sorted(CATEGORIES[kind])],
)
def test_what_may_work_now_is_what_time_or_somebody_could_have_mended(
    kind: FailureType, category: FailureCategory, provider: str | None
) -> None:
    failure = Failure(category=category, failure_type=kind, message="So.", provider=provider)
    mended = {FailureCategory.PERMISSION, FailureCategory.BUSINESS}
    by_people = bool(provider) and category in mended and kind is not FailureType.NOT_FOUND
    assert may_work_now(failure) is by_people
    assert may_work_now(failure.model_copy(update={"retry_recommended": True}))


def test_every_failure_is_tried_or_left_out_with_a_reason_or_made_good() -> None:
    failures = [
        reported(error, agent, recovered=recovered)
        for error in (BUSY, GONE, invalid("No.", resource="x"), forbidden("No.", resource="x"))
        for agent in AgentType
        for recovered in (False, True)
    ]
    for everything in (False, True):
        chosen = build_scope(None, failures, everything=everything)
        lost = [each for each in failures if not each.recovered]
        assert len(chosen.retried) + len(chosen.left_out) == len(lost)
        assert all(left.why for left in chosen.left_out)
        left = {left.failed.agent_type for left in chosen.left_out}
        assert not left & (FIELDWORKERS | REDONE) if everything else left >= FIELDWORKERS


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (GONE, "it was not there"),
        (UNFORESEEN, "nobody foresaw it"),
        (invalid("No.", resource="x"), "it is not likely to work now either"),
    ],
)
def test_the_reason_a_failure_is_left_out_is_its_own(error: PortFailure, why: str) -> None:
    (left,) = build_scope(None, [reported(error)]).left_out
    assert left.why == why


def test_the_report_that_a_run_lacks_is_written_and_not_left_out() -> None:
    chosen = build_scope(Ending.SYNTHESIS_FAILED, [reported(GONE, AgentType.SYNTHESISER)])
    assert (chosen.writes, chosen.retried, chosen.left_out) == (True, (), ())


def test_what_was_made_good_is_counted_by_name_or_by_role() -> None:
    failures = [reported(BUSY), *(reported(BUSY, AgentType.DEBATER) for _ in range(3))]
    chosen = build_scope(None, failures)
    assert count_recovered(chosen, failures) == 0
    assert count_recovered(chosen, [reported(BUSY, recovered=True), *failures[1:]]) == 1
    assert count_recovered(chosen, failures[:2]) == 2
    assert count_recovered(chosen, [reported(BUSY, recovered=True)]) == 4
