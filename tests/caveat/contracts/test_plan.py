"""Requests: what a run waits for unless it says otherwise."""

import datetime as dt

from caveat.contracts.plan import ResearchRequest


def test_a_person_has_six_hours_to_rule() -> None:
    """README.md, and docs/contradictions.md: durable ones, unless a request says otherwise."""
    assert ResearchRequest(topic="x").arbitration_timeout == dt.timedelta(hours=6)
