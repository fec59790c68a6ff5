"""How much a run reads, by depth."""

from dataclasses import dataclass

from caveat.contracts.plan import Depth


@dataclass(frozen=True)
class Size:
    """The size of a run.

    Attributes:
        assignments: angles, at most.
        sources: sources an angle, at most.
        claims: claims a source and angle, at most.
    """

    assignments: int
    sources: int
    claims: int


SIZES: dict[Depth, Size] = {
    Depth.OVERVIEW: Size(assignments=4, sources=5, claims=3),  # a first look
    Depth.DEEP: Size(assignments=5, sources=8, claims=4),  # twice the follow-up threshold of 4
    Depth.EXHAUSTIVE: Size(assignments=6, sources=15, claims=6),  # 90 readings: within 200 pending
}
