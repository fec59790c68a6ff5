from datetime import timedelta

import pytest

from caveat.workflows.arbitration.reminders import reminders

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.mark.parametrize(
    ("timeout", "after"),
    [
        (6 * HOUR, [0 * HOUR, 3 * HOUR, 5.5 * HOUR]),
        (70 * MINUTE, [0 * HOUR, 35 * MINUTE, 40 * MINUTE]),
        (69 * MINUTE, [0 * HOUR, 34.5 * MINUTE]),
        (40 * MINUTE, [0 * HOUR, 20 * MINUTE]),
        (10 * MINUTE, [0 * HOUR, 5 * MINUTE]),
        (9 * MINUTE, [0 * HOUR]),
        (timedelta(seconds=1), [0 * HOUR]),
    ],
)
def test_reminders_come_while_they_help(timeout: timedelta, after: list[timedelta]) -> None:
    assert list(reminders(timeout).values()) == after
