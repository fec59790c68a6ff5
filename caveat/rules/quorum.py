"""Quorum: whether enough assignments could be carried out."""

import math
from collections.abc import Sequence
from enum import StrEnum

from caveat.contracts.base import Contract
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


class Verdict(Contract):
    """Whether the quorum holds: how many assignments it needs, and how many count."""

    needed: int
    counted: int

    @property
    def holds(self) -> bool:
        """Whether enough assignments count."""
        return self.counted >= self.needed


def standing(completeness: float) -> Standing:
    """Say how an assignment counts, by the share of its tasks that were done, 0 to 1."""
    if completeness >= 1.0:
        return Standing.WHOLE
    return Standing.WEAKENED if completeness > SUFFICIENT else Standing.MISSING


def verdict(policy: QuorumPolicy, standings: Sequence[Standing]) -> Verdict:
    """Hold the assignments of a phase against its policy."""
    return Verdict(
        needed=max(1, math.ceil(policy.minimum_share * len(standings))),
        counted=sum(standing is not Standing.MISSING for standing in standings),
    )
