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
    """Failed, or partial at or below 0.70."""


class Seat(Contract):
    """How one assignment counts, and whether the run can do without it."""

    assignment_id: str
    title: str
    standing: Standing
    critical: bool = False


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
    def critical_missing(self) -> tuple[Seat, ...]:
        """Those missing that the run cannot do without; it cannot go on while there are any."""
        return tuple(seat for seat in self.missing if seat.critical)


def standing(completeness: float) -> Standing:
    """Say how an assignment counts, by the share of its tasks that were done, 0 to 1."""
    if completeness >= 1.0:
        return Standing.WHOLE
    return Standing.WEAKENED if completeness > SUFFICIENT else Standing.MISSING


def seat(found: Findings) -> Seat:
    """Say how an assignment counts by what it brought."""
    return Seat(
        assignment_id=found.assignment.id,
        title=found.assignment.title,
        standing=standing(found.completeness),
        critical=found.assignment.critical,
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

    Below the quorum everything that is missing, critical ones first, because each may fill it;
    above it only the critical ones, because the others have their price in confidence already.
    """
    if held.holds:
        return held.critical_missing
    return tuple(sorted(held.missing, key=lambda seat: not seat.critical))
