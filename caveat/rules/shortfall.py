"""Shortfalls: what people are told when assignments are missing, and how a run then ends."""

from collections.abc import Sequence
from typing import NamedTuple

from caveat.contracts.notice import NoticeKind
from caveat.contracts.outcome import Ending
from caveat.rules.quorum import Seat, Verdict

DEGRADED_BELOW = 0.50
"""Confidence under which people are told: below the middle of the scale a report says more about
what is missing than about its topic."""


def notice(held: Verdict) -> tuple[NoticeKind, str]:
    """Say what is missing before it is tried once more."""
    if held.critical_missing:
        return (
            NoticeKind.CRITICAL_AGENT_FAILED,
            f"{_named(held.critical_missing)} failed and the run cannot do without; trying again.",
        )
    return NoticeKind.QUORUM_LOST, f"{_counted(held)}; trying the missing ones again."


class Shortfall(NamedTuple):
    """How a run ends for want of assignments: the name, a sentence, and who failed it."""

    ending: Ending
    message: str
    subject: str | None = None


def shortfall(held: Verdict, bounds: Sequence[str] = ()) -> Shortfall | None:
    """Name the end of a run that still lacks what it needs; None when it can go on.

    Args:
        held: what the run has, held against its policy.
        bounds: of the budget, as far as they left tasks out.
    """
    again = "see the failures and start the run again."
    if bounds:
        again = f"the budget of {', '.join(bounds)} left tasks out, so raise it and start again."
    if held.critical_missing:
        names = _named(held.critical_missing)
        message = f"{names} failed and the run cannot do without: {again}"
        subject = ", ".join(seat.title for seat in held.critical_missing)
        return Shortfall(Ending.CRITICAL_AGENT_FAILED, message, subject)
    if not held.holds:
        return Shortfall(Ending.INSUFFICIENT_AGENTS, f"{_counted(held)}: {again}")
    return None


def _counted(held: Verdict) -> str:
    total = held.counted + len(held.missing)
    return (
        f"Only {held.counted} of {total} assignments could be carried out and {held.needed} are "
        "needed"
    )


def _named(seats: Sequence[Seat]) -> str:
    return ", ".join(f"“{seat.title}”" for seat in seats)
