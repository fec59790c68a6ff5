"""Extent: how much a run does and reads, by depth."""

from dataclasses import dataclass, replace
from math import ceil

from caveat.contracts.plan import Depth


@dataclass(frozen=True)
class Size:
    assignments: int  # angles, at most
    sources: int  # sources an angle, at most
    claims: int  # claims a source and angle, at most


SIZES: dict[Depth, Size] = {
    Depth.OVERVIEW: Size(assignments=4, sources=5, claims=3),  # a first look
    Depth.DEEP: Size(assignments=5, sources=8, claims=4),  # twice the follow-up threshold of 4
    Depth.EXHAUSTIVE: Size(assignments=6, sources=15, claims=6),  # 90 readings: within 200 pending
}


def compute_size(depth: Depth, assignments: int, max_sources: int | None) -> Size:
    """Return the size of a run; an exhaustive one reads all it may, with any number of angles."""
    usual = SIZES[depth]
    if depth is not Depth.EXHAUSTIVE:
        return usual
    places = max_sources or usual.assignments * usual.sources
    return replace(usual, sources=max(usual.sources, ceil(places / assignments)))


@dataclass(frozen=True)
class Extent:
    depth: Depth
    max_sources: int | None = None  # sources that it reads at most; None leaves it to the depth
    # assignments that its team brings; None where the planner finds them
    specialists: int | None = None
    searches: bool = False  # whether a model runs its searches
    debates: bool = False  # whether its team has what was found debated

    @property
    def assignments(self) -> int:
        return self.specialists or SIZES[self.depth].assignments

    @property
    def size(self) -> Size:
        return compute_size(self.depth, self.assignments, self.max_sources)

    @property
    def sources(self) -> int:
        places = self.assignments * self.size.sources
        return places if self.max_sources is None else min(places, self.max_sources)
