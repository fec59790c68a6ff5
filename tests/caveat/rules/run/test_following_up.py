"""What is worth a follow-up: what may work now, and reports that only had to be written."""

import pytest

from caveat.contracts.envelope import CATEGORIES, AgentType, Failure, FailureCategory, FailureType
from caveat.contracts.outcome import Ending
from caveat.failures import not_found, unavailable
from caveat.rules.run.recovery import (
    FIELDWORKERS,
    REDONE,
    Scope,
    build_scope,
    count_recovered,
    may_work_now,
)
from tests.fakes.reports import reported

BUSY = unavailable("The archive is busy.", resource="page")
GONE = not_found("The page is gone.", resource="page")


@pytest.mark.parametrize("agent", AgentType)
def test_only_work_that_a_follow_up_does_again_counts(agent: AgentType) -> None:
    named = "planner searcher reader analyst specialist detector debater synthesiser verifier"
    assert build_scope(None, [reported(BUSY, agent)]).is_empty is (agent not in named.split())


@pytest.mark.parametrize("ending", [None, *Ending])
def test_a_run_that_only_lacks_its_report_is_followed_up(ending: Ending | None) -> None:
    named = "synthesis_failed audit_failed publication_failed cancelled"
    assert build_scope(ending, [reported(GONE)]).is_empty is (ending not in named.split())


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


def test_what_cannot_work_now_is_tried_where_everything_is() -> None:
    failures = [reported(error, agent) for error in (BUSY, GONE) for agent in AgentType]
    again = len(FIELDWORKERS | REDONE)
    some, every = (build_scope(None, failures, everything=each) for each in (False, True))
    assert (len(some.retried), some.left) == (again, again)
    assert (len(every.retried), every.left) == (2 * again, 0)


def test_what_was_made_good_is_counted_by_name_or_by_role() -> None:
    failures = [reported(BUSY), *(reported(BUSY, AgentType.DEBATER) for _ in range(3))]
    chosen = build_scope(None, failures)
    assert count_recovered(chosen, failures) == 0
    assert count_recovered(chosen, [reported(BUSY, recovered=True), *failures[1:]]) == 1
    assert count_recovered(chosen, failures[:2]) == 2
    assert count_recovered(chosen, [reported(BUSY, recovered=True)]) == 4
