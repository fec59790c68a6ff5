"""Every task ends before its activity is taken for lost."""

import pytest

from caveat.adapters.claude.limits import Bounds, Limits
from workflows import options

LIMITS = Limits()


@pytest.mark.parametrize(
    ("bounds", "policy"),
    [
        (LIMITS.planning, options.PLAN),
        (LIMITS.reformulation, options.REFORMULATE),
        (LIMITS.analysis, options.ANALYSE),
        (LIMITS.detection, options.DETECT),
        (LIMITS.debate, options.DEBATE),
        (LIMITS.synthesis, options.SYNTHESISE),
        (LIMITS.writing, options.WRITE),
    ],
)
def test_deadlines_are_shorter_than_start_to_close(bounds: Bounds, policy: options.Policy) -> None:
    spare_s = policy.start_to_close.total_seconds() - bounds.deadline_s
    assert 10 <= spare_s <= 30, "time to report the failure, and no more"


def test_silence_ends_before_the_shortest_long_task() -> None:
    assert LIMITS.connect_s < LIMITS.silence_s < LIMITS.analysis.deadline_s
