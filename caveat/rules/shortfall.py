"""Shortfalls: what people are told when assignments are missing, and how a run then ends."""

from collections.abc import Sequence
from typing import NamedTuple

from caveat.contracts.notice import NoticeKind
from caveat.contracts.outcome import Ending
from caveat.rules.quorum import Seat, Verdict

DEGRADED_BELOW = 0.50
"""Confidence under which people are told: below the middle of the scale a report says more about
what is missing than about its topic."""


NOTHING_FOUND = (
    "No passage on the topic was found: ask in the words that the documents use, or give a corpus "
    "that covers it."
)


def notice(held: Verdict) -> tuple[NoticeKind, str]:
    """Say what is missing before it is tried once more."""
    failed = tuple(seat for seat in held.critical_missing if not seat.found_nothing)
    if failed:
        return (
            NoticeKind.CRITICAL_AGENT_FAILED,
            f"{_named(failed)} failed and the run cannot do without; trying again.",
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
    if held.critical_missing:
        return _headless(held.critical_missing, bounds)
    if held.holds:
        return None
    nothing = all(seat.found_nothing for seat in held.missing) and not bounds
    ending = Ending.INSUFFICIENT_EVIDENCE if nothing else Ending.INSUFFICIENT_AGENTS
    if nothing and not held.counted:
        return Shortfall(ending, NOTHING_FOUND)
    return Shortfall(ending, f"{_counted(held)}: {_remedy(held.missing, bounds)}")


def _headless(seats: Sequence[Seat], bounds: Sequence[str]) -> Shortfall:
    """The end of a run without a critical assignment; who could not work weighs most."""
    empty = tuple(seat for seat in seats if seat.found_nothing)
    failed = tuple(seat for seat in seats if not seat.found_nothing)
    causes = [f"{_named(failed)} failed"] if failed else []
    causes += [f"{_named(empty)} searched and found nothing"] if empty else []
    without = " and the run cannot do without"
    message = f"{', '.join(causes)}{without}: {_remedy(seats, bounds)}"
    nothing = not failed and not bounds
    return Shortfall(
        Ending.INSUFFICIENT_EVIDENCE if nothing else Ending.CRITICAL_AGENT_FAILED,
        message,
        ", ".join(seat.title for seat in seats),
    )


def _remedy(missing: Sequence[Seat], bounds: Sequence[str]) -> str:
    if bounds:
        return f"the budget of {', '.join(bounds)} left tasks out, so raise it and start again."
    if all(seat.found_nothing for seat in missing):
        return "ask in the words that the documents use, or give sources that cover it."
    return "see the failures and start the run again."


def _counted(held: Verdict) -> str:
    total = held.counted + len(held.missing)
    empty = sum(seat.found_nothing for seat in held.missing)
    failed = len(held.missing) - empty
    causes = [f"{failed} could not be carried out"] if failed else []
    causes += [f"{empty} searched and found nothing"] if empty else []
    return (
        f"Only {held.counted} of {total} assignments brought anything and {held.needed} are "
        f"needed ({', '.join(causes)})"
    )


def _named(seats: Sequence[Seat]) -> str:
    return ", ".join(f"“{seat.title}”" for seat in seats)
