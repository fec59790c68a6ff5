"""What a request and a plan mean unless they say otherwise."""

import datetime as dt

from caveat.contracts.plan import Assignment, ResearchRequest


def test_a_person_has_six_hours_to_rule() -> None:
    """README.md, and docs/contradictions.md: durable ones, unless a request says otherwise."""
    assert ResearchRequest(topic="x").arbitration_timeout == dt.timedelta(hours=6)


def test_no_angle_is_critical_or_needs_a_figure_unless_it_says_so() -> None:
    angle = Assignment(id="a1", title="x", question="How wide?", queries=("x",))
    assert (angle.critical, angle.needs_figure) == (False, False)
