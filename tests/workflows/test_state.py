"""What a state keeps of answers and failures."""

from datetime import UTC, datetime

from caveat.contracts.contradiction import Rejection
from caveat.workflows.research.run import KEPT_REJECTIONS, Run

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_of_many_rejected_answers_the_latest_are_kept_and_all_are_counted() -> None:
    state = Run("run", NOON)
    for number in range(KEPT_REJECTIONS + 5):
        state.reject(Rejection(received=NOON, reason="No.", given=str(number)))
    assert state.rejected == KEPT_REJECTIONS + 5
    assert [each.given for each in state.rejections] == [
        str(number) for number in range(5, KEPT_REJECTIONS + 5)
    ]
