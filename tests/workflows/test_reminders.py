from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.workflows.arbitration.reminders import APART, reminders

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


@given(st.timedeltas(min_value=timedelta(seconds=1), max_value=timedelta(days=30)))
def test_reminders_are_apart_and_in_time(timeout: timedelta) -> None:
    moments = list(reminders(timeout).values())
    assert moments[0] == timedelta(0)
    assert moments[-1] < timeout
    pairs = pairwise(moments)
    assert all(later - sooner >= APART for sooner, later in pairs)
