"""Sides: how the values of one attribute fall into those that exclude each other.

Agreement is not transitive: 10 ± 1 agrees with 12.5 ± 1, which agrees with 15 ± 1, and 10 ± 1 does
not agree with 15 ± 1. A value therefore founds a side only while all that agree with it agree with
each other, as the ends of such a chain do; what agrees with the founders of two sides stands
between them and backs neither, but is disputed like them where another side excludes it. So no
value in the middle hides that those beside it disagree, and whoever backs a side agrees with
everybody else who does. The values alone decide who stands with whom, never the order or the names
of claims.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from caveat.adapters.extractive.frames import Contrast, Said, Value
from caveat.adapters.extractive.times import may_be_one_time
from caveat.quantities.measures import IMMATERIAL, Measure

Side = tuple[Said, ...]  # those who state one value, the one that states it best first


class Division(NamedTuple):
    """Values that exclude each other."""

    sides: tuple[Side, ...]  # two or more, the better first
    # for each side those who agree with it, but back none, because they agree with another one as
    # well; only those whom a side excludes
    between: tuple[Side, ...]


def find_divisions(group: Sequence[Said]) -> Iterator[Division]:
    """Find what excludes each other among the values of one attribute.

    Values are one contradiction where each is held against another directly or by way of others:
    a figure without a year stands against that of 1990 and against that of 2020, which are no
    contradiction by themselves. However many there are, they are one.

    Returns:
        Contradictions of two sides or more, the better side first.
    """
    if len({said.claim.source_id for said in group}) < 2:
        return
    ranked = sorted(_fill_uncertainty(group), key=lambda said: said.rank)
    founders = _choose_founders(ranked)
    agreeing = [
        (said, {place for place, each in enumerate(founders) if said.agrees_with(each)})
        for said in ranked
    ]
    sides = [
        [said for said, places in agreeing if places == {place}] for place in range(len(founders))
    ]
    for together in _group_connected(sides, ranked):
        headed = _choose_heads([sides[place] for place in together], ranked)
        if len(headed) > 1:
            heads = {_place(sides, side[0]): side[0] for side in headed}
            yield Division(headed, _collect_between(heads, agreeing, ranked))


def _fill_uncertainty(group: Sequence[Said]) -> Iterator[Said]:
    """Give a value without uncertainty, among others that state one, theirs."""
    # Such a value is quoted from elsewhere or rounded, and is not exact. It takes the uncertainty
    # of its own number where that is stated too, otherwise the median.
    measures = [said.value for said in group if isinstance(said.value, Measure)]
    uncertain = sorted(
        (each for each in measures if each.is_uncertain), key=lambda each: each.width
    )
    for said in group:
        value = said.value
        if not uncertain or not isinstance(value, Measure) or value.is_uncertain:
            yield said
            continue
        room = max(value.step, abs(value.number) * IMMATERIAL)
        same = [each for each in uncertain if abs(each.number - value.number) <= room]
        like = same[0] if same else uncertain[len(uncertain) // 2]
        yield replace(said, value=value.copy_uncertainty_from(like))


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
        place = next((each for each in left if _is_end(each, near, left)), next(iter(left)))
        founders.append(distinct[place])
        for gone in near[place]:
            left.pop(gone, None)
    return founders


def _is_end(place: int, near: Mapping[int, set[int]], left: Mapping[int, None]) -> bool:
    around = near[place] & left.keys()
    return all(around <= near[other] for other in around)


def _build_precision_key(value: Value) -> tuple[float, float, float, str]:
    """The most precise first; of those that are as precise, what the values themselves say."""
    if isinstance(value, Measure):
        return value.width, value.number, value.low, ""
    if isinstance(value, Contrast):
        return 0.0, 0.0, 0.0, f"{value.frame.is_denied} {value.frame.filled}"
    return 0.0, 0.0, 0.0, value.spelling


def _place(sides: Sequence[Sequence[Said]], head: Said) -> int:
    return next(place for place, side in enumerate(sides) if any(each is head for each in side))


def _collect_between(
    heads: Mapping[int, Said], agreeing: Iterable[tuple[Said, Set[int]]], ranked: Sequence[Said]
) -> tuple[Side, ...]:
    """Gather beside each head who agrees with its side and with another one, against a third."""
    between: dict[int, list[Said]] = {place: [] for place in heads}
    for said, places in agreeing:
        against = (head for place, head in heads.items() if place not in places)
        if len(places) < 2 or not any(_contradict(said, head, ranked) for head in against):
            continue
        for place in places & heads.keys():
            between[place].append(said)
    return tuple(map(tuple, between.values()))


def _group_connected(
    sides: Sequence[Sequence[Said]], ranked: Sequence[Said]
) -> Iterator[list[int]]:
    """Put the sides together that are held against each other, directly or by way of others."""
    left = list(range(len(sides)))
    while left:
        together = [left.pop(0)]
        for place in together:  # which grows on the way
            against = [
                other for other in left if _find_best_pair(sides[place], sides[other], ranked)
            ]
            together += against
            left = [other for other in left if other not in against]
        if len(together) > 1:
            yield together


def _find_best_pair(
    side: Sequence[Said], other: Sequence[Said], ranked: Sequence[Said]
) -> tuple[Said, Said] | None:
    """Find the best two that contradict each other."""
    return next(((a, b) for a in side for b in other if _contradict(a, b, ranked)), None)


def _choose_heads(sides: Sequence[Sequence[Said]], ranked: Sequence[Said]) -> tuple[Side, ...]:
    """Let each side begin with whoever states it best and contradicts somebody who begins another.

    A claim begins one side only: what says “12 or 13 m” is not held against itself.
    """
    waiting = sorted(sides, key=lambda side: side[0].rank)
    heads: list[Said] = []
    begun: list[Sequence[Said]] = []
    while waiting:
        against = heads or [said for side in waiting for said in side]
        found = _find_next_head(waiting, against, heads, ranked)
        if found is None:
            everybody = [said for side in sides for said in side]
            found = _find_next_head(waiting, everybody, heads, ranked)
        if found is None:
            break
        head, side = found
        heads.append(head)
        begun.append(side)
        waiting = [each for each in waiting if each is not side]
    return _sort_sides(
        [
            _build_side(
                side, head, [said for other in begun if other is not side for said in other]
            )
            for head, side in zip(heads, begun, strict=True)
        ]
    )


def _find_next_head(
    waiting: Sequence[Sequence[Said]],
    against: Sequence[Said],
    heads: Sequence[Said],
    ranked: Sequence[Said],
) -> tuple[Said, Sequence[Said]] | None:
    taken = {head.claim.id for head in heads}
    return next(
        (
            (said, side)
            for side in waiting
            for said in side
            if said.claim.id not in taken
            and any(_contradict(said, other, ranked) for other in against)
        ),
        None,
    )


def _sort_sides(sides: Sequence[Side]) -> tuple[Side, ...]:
    """Put the better of two first, and more of them from the least number to the greatest."""
    by_rank = sorted(sides, key=lambda side: side[0].rank)
    return tuple(by_rank if len(sides) == 2 else sorted(by_rank, key=lambda side: side[0].number))


def _contradict(a: Said, b: Said, group: Sequence[Said]) -> bool:
    return (
        a.is_comparable(b)
        and not a.agrees_with(b)
        and _is_nearest(a, b, group)
        and _is_nearest(b, a, group)
    )


def _is_nearest(scoped: Said, other: Said, group: Sequence[Said]) -> bool:
    """Whether a value with a scope can be held against one without."""
    # A source that gives a value for each scope contradicts nobody who means one of them, so only
    # the nearest counts.
    if not scoped.scope or other.scope:
        return True
    nearest = min(
        _measure_distance(each, other)
        for each in group
        if each.scope and each.claim.source_id == scoped.claim.source_id
    )
    return _measure_distance(scoped, other) <= nearest


def _measure_distance(one: Said, other: Said) -> float:
    if isinstance(one.value, Measure) and isinstance(other.value, Measure):
        return abs(one.value.number - other.value.number)
    return 0.0


def _build_side(side: Sequence[Said], head: Said, others: Sequence[Said]) -> Side:
    backing = (
        each
        for each in side
        if each.claim.id != head.claim.id
        and any(may_be_one_time(each.period, other.period) for other in others)
    )
    return (head, *backing)
