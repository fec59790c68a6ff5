"""Every task ends before its activity is taken for lost."""

from typing import Any

import pytest

from caveat.adapters.claude.messages.connection import Timeouts
from caveat.adapters.claude.roles.detector import SECOND_LOOK
from caveat.adapters.claude.roles.table import ROLES
from caveat.workflows import options

LIMITS = Timeouts()


@pytest.mark.parametrize(
    ("role", "policy"),
    [
        ("planning", options.PLAN),
        ("reformulation", options.REFORMULATE),
        ("analysis", options.ANALYSE),
        ("detection", options.DETECT),
        ("debate", options.DEBATE),
        ("synthesis", options.SYNTHESISE),
        ("verification", options.VERIFY),
        ("search", options.SEARCH),
    ],
)
def test_deadlines_are_shorter_than_start_to_close(
    role: str, policy: options.Policy[Any, Any]
) -> None:
    looks = SECOND_LOOK.bounds.deadline_s if role == "detection" else 0
    spare_s = policy.start_to_close.total_seconds() - ROLES[role].bounds.deadline_s - looks
    assert 10 <= spare_s <= 30, "time to report the failure, and no more"


def test_silence_ends_before_the_shortest_long_task() -> None:
    assert LIMITS.connect_s < LIMITS.silence_s < ROLES["analysis"].bounds.deadline_s
