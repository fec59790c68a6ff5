"""Reciprocal rank fusion: one ranking out of several whose scores cannot be compared."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

RANK_OFFSET = 60
"""Keeps one ranking's first place from outweighing agreement between rankings; the value that
Cormack, Clarke and Buettcher fixed in "Reciprocal Rank Fusion outperforms Condorcet and individual
Rank Learning Methods" (SIGIR 2009)."""


def reciprocal_rank_fusion(
    rankings: Iterable[Sequence[T]], *, offset: int = RANK_OFFSET
) -> list[tuple[T, float]]:
    """Merge rankings, each best first.

    Args:
        rankings: sequences of items; an item counts once a ranking, at its best place.
        offset: the constant that is added to every rank (`k` in the paper).

    Returns:
        Items with the sum of `1 / (offset + rank)` over the rankings that hold them, best first;
        equal scores keep the order in which the items were first met.
    """
    scores: defaultdict[T, float] = defaultdict(float)
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] += 1 / (offset + rank)
    return sorted(scores.items(), key=lambda pair: -pair[1])
