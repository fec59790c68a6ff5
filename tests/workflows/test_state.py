"""What a state keeps of answers and failures."""

from datetime import UTC, datetime

from caveat.contracts.contradiction import Rejection
from caveat.contracts.report import ReportedFailure
from caveat.failures import timed_out
from caveat.workflows.research.run import KEPT_REJECTIONS, Run
from tests.fakes.reports import reported

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def a_failure(task_id: str) -> ReportedFailure:
    return reported(timed_out("Too slow.", resource="page"), task_id=task_id)


def test_of_many_rejected_answers_the_latest_are_kept_and_all_are_counted() -> None:
    state = Run("run", NOON)
    for number in range(KEPT_REJECTIONS + 5):
        state.reject(Rejection(received=NOON, reason="No.", given=str(number)))
    assert state.rejected == KEPT_REJECTIONS + 5
    assert [each.given for each in state.rejections] == [
        str(number) for number in range(5, KEPT_REJECTIONS + 5)
    ]


def test_what_failed_again_is_not_made_good() -> None:
    state = Run("run", NOON)
    state.add_failures(a_failure("publish"))
    before = state.failures
    state.make_good("publish")
    state.add_failures(a_failure("publish-2"))
    assert [each.recovered for each in state.failures] == [True, False]
    state.fail_again(before)
    assert [each.recovered for each in state.failures] == [False, False]
