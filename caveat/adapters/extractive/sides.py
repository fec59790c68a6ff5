"""Sides: how the values of one attribute fall into those that exclude each other.

Agreement is not transitive: 10 ± 1 agrees with 12.5 ± 1, which agrees with 15 ± 1, and 10 ± 1 does
not agree with 15 ± 1. A value therefore founds a side only while all that agree with it agree with
each other, as the ends of such a chain do; what agrees with the founders of two sides stands
between them and backs neither, but is disputed like them where another side excludes it. So no
value in the middle hides that those beside it disagree, and whoever backs a side agrees with
everybody else who does. The values alone decide who stands with whom, never the order or the names
of claims.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from caveat.adapters.extractive.frames import Said, Value
from caveat.adapters.extractive.times import may_be_one_time
from caveat.quantities.measures import Measure

Side = tuple[Said, ...]  # those who state one value, the one that states it best first


class Division(NamedTuple):
    """Values that exclude each other."""

    sides: tuple[Side, ...]  # two or more, from the least value to the greatest
    # for each side those who agree with it, but back none, because they agree with another one as
    # well; only those whom a side excludes
    between: tuple[Side, ...]


def find_divisions(group: Sequence[Said]) -> Iterator[Division]:
    """Find what excludes each other among the values of one attribute.

    Values are one contradiction where each is held against another directly or by way of others:
    a figure without a year stands against that of 1990 and against that of 2020, which are no
    contradiction by themselves. However many there are, they are one.

    Returns:
        Contradictions of two sides or more, from the least value to the greatest.
    """
    if len({said.claim.source_id for said in group}) < 2:
        return
    ranked = sorted(group, key=lambda said: said.rank)
    founders = _choose_founders(ranked)
    agreeing = [
        (said, {place for place, each in enumerate(founders) if said.agrees_with(each)})
        for said in ranked
    ]
    sides = [
        [said for said, places in agreeing if places == {place}] for place in range(len(founders))
    ]
    for together in _group_connected(sides):
        heads = _choose_heads({place: sides[place] for place in together})
        if len(heads) > 1:
            yield _build_division(heads, sides, agreeing)


def _choose_founders(ranked: Sequence[Said]) -> list[Said]:
    """Choose values that all exclude each other, so that every other one agrees with one of them.

    In what is left, the most precise value is taken of those whose neighbours all agree; of values
    that only agree in a ring, the most precise one.
    """
    distinct = list({said.value: said for said in reversed(ranked)}.values())
    distinct.sort(key=lambda said: _build_precision_key(said.value))
    near = {
        place: {other for other, there in enumerate(distinct) if here.agrees_with(there)} | {place}
        for place, here in enumerate(distinct)
    }
    left = dict.fromkeys(near)
    founders: list[Said] = []
    while left:
        around = {place: near[place] & left.keys() for place in left}
        ends = (here for here in left if all(around[here] <= near[there] for there in around[here]))
        place = next(ends, next(iter(left)))
        founders.append(distinct[place])
        for gone in near[place]:
            left.pop(gone, None)
    return founders


def _build_precision_key(value: Value) -> tuple[float, float, float, str]:
    """The most precise first; of those that are as precise, what the values themselves say."""
    if isinstance(value, Measure):
        return value.width, value.number, value.low, ""
    return 0.0, 0.0, 0.0, value.spelling


def _group_connected(sides: Sequence[Sequence[Said]]) -> Iterator[list[int]]:
    """Put the sides together that are held against each other, directly or by way of others."""
    left = list(range(len(sides)))
    while left:
        together = [left.pop(0)]
        for place in together:  # which grows on the way
            against = [
                other
                for other in left
                if any(_contradict(a, b) for a in sides[place] for b in sides[other])
            ]
            together += against
            left = [other for other in left if other not in against]
        if len(together) > 1:
            yield together


def _choose_heads(sides: Mapping[int, Sequence[Said]]) -> dict[int, Said]:
    """Let each side begin with whoever states it best and contradicts somebody.

    A claim begins one side only: what says “12 or 13 m” is not held against itself.
    """
    everybody = [said for side in sides.values() for said in side]
    heads: dict[int, Said] = {}
    for place, side in sorted(sides.items(), key=lambda each: each[1][0].rank):
        taken = {head.claim.id for head in heads.values()}
        free = (said for said in side if said.claim.id not in taken)
        head = next((s for s in free if any(_contradict(s, each) for each in everybody)), None)
        if head is not None:
            heads[place] = head
    return heads


def _build_division(
    heads: Mapping[int, Said],
    sides: Sequence[Sequence[Said]],
    agreeing: Sequence[tuple[Said, Set[int]]],
) -> Division:
    """Put them from the least to the greatest, so that every run letters them alike."""
    places = sorted(heads, key=lambda place: (heads[place].number, heads[place].written.casefold()))
    return Division(
        tuple(
            _build_side(
                sides[place],
                heads[place],
                [s for each in places if each != place for s in sides[each]],
            )
            for place in places
        ),
        tuple(
            tuple(
                said
                for said, agreed in agreeing
                if len(agreed) > 1
                and place in agreed
                and any(_contradict(said, heads[each]) for each in places if each not in agreed)
            )
            for place in places
        ),
    )


def _contradict(a: Said, b: Said) -> bool:
    return a.is_comparable(b) and not a.agrees_with(b)


def _build_side(side: Sequence[Said], head: Said, others: Sequence[Said]) -> Side:
    backing = (
        each
        for each in side
        if each.claim.id != head.claim.id
        and any(may_be_one_time(each.period, other.period) for other in others)
    )
    return (head, *backing)
