"""What is kept of answers that were not accepted."""

from datetime import UTC, datetime

import pytest
from temporalio import workflow

from caveat.workflows.answers import LATEST, Refused, Rejections

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_of_many_rejected_answers_the_latest_are_kept_and_all_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workflow, "now", lambda: NOON)
    rejections = Rejections()
    for number in range(LATEST + 5):
        rejections.add([number], Refused("No."))
    assert rejections.number == LATEST + 5
    assert [each.given for each in rejections.latest] == [
        str(number) for number in range(5, LATEST + 5)
    ]
