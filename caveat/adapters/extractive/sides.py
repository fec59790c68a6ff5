"""Sides: how the values of one attribute fall into those that exclude each other."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from caveat.adapters.extractive.categories import Name
from caveat.adapters.extractive.contrasts import Contrast
from caveat.adapters.extractive.measures import IMMATERIAL, Measure
from caveat.adapters.extractive.said import Said
from caveat.adapters.extractive.times import may_be_one_time

MOST_VALUES = 6
"""Values of one attribute above which it is no single fact: the words hide what sets them apart."""


class Sides(NamedTuple):
    """Two values that exclude each other: who states each, the one that states it best first."""

    a: tuple[Said, ...]
    b: tuple[Said, ...]


def sides(group: Sequence[Said]) -> Iterator[Sides]:
    """Set the values of one attribute against each other, each pair of values once.

    The values are gathered around the most precise of those that exclude each other; what agrees
    with both sides of a pair backs neither.

    Args:
        group: what is said of one attribute of one entity, in comparable units.
    """
    if len({said.claim.source_id for said in group}) < 2:
        return
    ranked = sorted(_as_uncertain(group), key=lambda said: said.rank)
    centres = _centres(ranked)
    if len(centres) > MOST_VALUES:
        return
    for one, other in combinations(centres, 2):
        found = _between(ranked, one, other)
        if found is not None:
            yield found


def _as_uncertain(group: Sequence[Said]) -> Iterator[Said]:
    """Give a value without uncertainty, among others that state one, theirs.

    Such a value is quoted from elsewhere or rounded, and is not exact. It takes the uncertainty of
    its own number where that is stated too, otherwise the median.
    """
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
        yield replace(said, value=value.as_uncertain_as(like))


def _centres(ranked: Sequence[Said]) -> list[Said]:
    """The most precise values that all exclude each other, one more than the most at most.

    A wide one would hide a disagreement between two precise ones that it agrees with.
    """
    centres: list[Said] = []
    for said in sorted(ranked, key=lambda said: (_width(said.value), said.rank)):
        if not any(said.agrees_with(centre) for centre in centres):
            centres.append(said)
        if len(centres) > MOST_VALUES:
            break
    return centres


def _width(value: Measure | Name | Contrast) -> float:
    return value.width if isinstance(value, Measure) else 0.0


def _between(ranked: Sequence[Said], one: Said, other: Said) -> Sides | None:
    first = [each for each in ranked if each.agrees_with(one) and not each.agrees_with(other)]
    second = [each for each in ranked if each.agrees_with(other) and not each.agrees_with(one)]
    for a in first:
        for b in second:
            if _contradict(a, b, ranked):
                found = Sides(_side(first, a, b), _side(second, b, a))
                return found if a.rank <= b.rank else Sides(found.b, found.a)
    return None


def _contradict(a: Said, b: Said, group: Sequence[Said]) -> bool:
    return (
        a.is_comparable(b)
        and not a.agrees_with(b)
        and _is_nearest(a, b, group)
        and _is_nearest(b, a, group)
    )


def _is_nearest(scoped: Said, other: Said, group: Sequence[Said]) -> bool:
    """Whether a value with a scope can be held against one without.

    A source that gives a value for each scope contradicts nobody who means one of them, so only
    the nearest counts.
    """
    if not scoped.attribute.scope or other.attribute.scope:
        return True
    nearest = min(
        _distance(each, other)
        for each in group
        if each.attribute.scope and each.claim.source_id == scoped.claim.source_id
    )
    return _distance(scoped, other) <= nearest


def _distance(one: Said, other: Said) -> float:
    if isinstance(one.value, Measure) and isinstance(other.value, Measure):
        return abs(one.value.number - other.value.number)
    return 0.0


def _side(side: Sequence[Said], best: Said, against: Said) -> tuple[Said, ...]:
    backing = (
        each
        for each in side
        if each.claim.id != best.claim.id
        and each.agrees_with(best)
        and not each.agrees_with(against)
        and may_be_one_time(each.years, against.years)
    )
    return (best, *backing)
