"""Quorum: whether enough assignments could be carried out."""

import math
from collections.abc import Sequence
from enum import StrEnum

from caveat.contracts.base import Contract
from caveat.contracts.investigation import Findings
from caveat.contracts.plan import QuorumPolicy

SUFFICIENT = 0.70
"""Completeness above which a partial result counts as a success."""


class Standing(StrEnum):
    """How an assignment counts."""

    WHOLE = "whole"
    """Everything that it set out to do was done."""
    WEAKENED = "weakened"
    """Partial, above 0.70: counts, with its confidence times 0.90."""
    MISSING = "missing"
    """Failed, partial at or below 0.70, or without any claim: finding nothing fills no seat."""


class Seat(Contract):
    """How one assignment counts, and whether the run can do without it.

    Attributes:
        assignment_id: the assignment.
        title: its title.
        standing: how it counts.
        critical: whether the run fails without it.
        found_nothing: whether it is missing because it did its work and found nothing; any other
            that is missing could not do its work.
    """

    assignment_id: str
    title: str
    standing: Standing
    critical: bool = False
    found_nothing: bool = False


class Verdict(Contract):
    """What a phase has, held against its policy; `to_retry` says what follows.

    Attributes:
        needed: how many assignments must count.
        counted: how many do.
        missing: those that do not, in plan order.
    """

    needed: int
    counted: int
    missing: tuple[Seat, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether enough assignments count, critical or not."""
        return self.counted >= self.needed

    @property
    def suffices(self) -> bool:
        """Whether the run can go on as it is."""
        return self.holds and not self.critical_missing

    @property
    def critical_missing(self) -> tuple[Seat, ...]:
        """Those missing that the run cannot do without; it cannot go on while there are any."""
        return tuple(seat for seat in self.missing if seat.critical)


def standing(completeness: float) -> Standing:
    """Say how an assignment counts, by the share of its tasks that were done, 0 to 1."""
    if completeness >= 1.0:
        return Standing.WHOLE
    return Standing.WEAKENED if completeness > SUFFICIENT else Standing.MISSING


def seat(found: Findings) -> Seat:
    """Say how an assignment counts by what it brought: claims, from work that was done."""
    work = standing(found.completeness)
    looked = not found.failed or work is not Standing.MISSING
    return Seat(
        assignment_id=found.assignment.id,
        title=found.assignment.title,
        standing=work if found.claims else Standing.MISSING,
        critical=found.assignment.critical,
        found_nothing=looked and not found.claims,
    )


def verdict(policy: QuorumPolicy, seats: Sequence[Seat]) -> Verdict:
    """Hold the assignments of a phase against its policy."""
    missing = tuple(seat for seat in seats if seat.standing is Standing.MISSING)
    return Verdict(
        needed=max(1, math.ceil(policy.minimum_share * len(seats))),
        counted=len(seats) - len(missing),
        missing=missing,
    )


def to_retry(held: Verdict) -> tuple[Seat, ...]:
    """Choose what to retry before deciding; nothing when the run can go on as it is.

    What looked and found nothing has nothing to retry, though the run may end for it. Below the
    quorum everything else that is missing, critical ones first, because each may fill it; above it
    only the critical ones, because the others have their price in confidence already.
    """
    wanted = held.critical_missing if held.holds else held.missing
    failed = (seat for seat in wanted if not seat.found_nothing)
    return tuple(sorted(failed, key=lambda seat: not seat.critical))
