"""Whether two packages contradict each other, from their values alone.

The rule knows units, the digits that were written and the scope that a passage states, and it knows
nothing of sentences: the detector, which knows nothing else, is measured against it. Labels by hand
say how far the rule can be trusted.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, product

from benchmarks.contradicting.statements import Sort, Statement, Value

MATERIAL = 1e-3
"""Share of the larger value up to which a difference is immaterial: a converted unit (273 K for
273.15), a revised atomic weight, a border measured anew stay below it. As they are written the two
values cannot both be true, and nobody would ask a person which of them is, so finding them is
neither asked for nor held against the detector."""

ROUNDED = 0.5  # of a last digit: the most that rounding up adds
NOISE = 1e-6  # of a last digit: what binary fractions may miss


class Verdict(StrEnum):
    """What two statements are to each other."""

    AGREE = "agree"
    IMMATERIAL = "immaterial"
    CONTRADICT = "contradict"


@dataclass(frozen=True)
class Pair:
    """Two packages' statements about the same attribute of the same entity."""

    one: Statement
    other: Statement
    verdict: Verdict

    @property
    def key(self) -> tuple[str, str, frozenset[tuple[Value, ...]]]:
        """Two values of one attribute, however many statements give them."""
        values = frozenset({self.one.values, self.other.values})
        return self.one.entity, self.one.attribute, values


def pairs(statements: Iterable[Statement]) -> Iterator[Pair]:
    """Judge every two statements of different packages that can be compared."""
    about: dict[tuple[str, str], dict[str, list[Statement]]] = defaultdict(dict)
    for each in statements:
        about[each.entity, each.attribute].setdefault(each.package, []).append(each)
    for packages in about.values():
        for first, second in combinations(sorted(packages), 2):
            yield from _judged(packages[first], packages[second])


def _judged(here: Sequence[Statement], there: Sequence[Statement]) -> Iterator[Pair]:
    for one, other in product(here, there):
        if _comparable(one, other, there) and _comparable(other, one, here):
            yield Pair(one, other, verdict(one, other))


def _comparable(one: Statement, other: Statement, others: Sequence[Statement]) -> bool:
    """Whether `other` is what its package has to say about the scope of `one`.

    A statement without a scope is held against that one of several scoped ones that comes nearest,
    since a package that gives a value for each allotrope contradicts nobody who means one of them.
    """
    if not other.scope or one.scope == other.scope:
        return True
    if one.scope:
        return False
    scoped = [each for each in others if each.scope]
    return other is min(scoped, key=lambda each: _distance(one, each))


def verdict(one: Statement, other: Statement) -> Verdict:
    """Judge two comparable statements by those of their values that come nearest."""
    found = {compared(a, b, one.sort) for a, b in product(one.values, other.values)}
    return next(each for each in Verdict if each in found)


def compared(a: Value, b: Value, sort: Sort) -> Verdict:
    """Judge two values.

    Measures agree when the coarser one is the finer one rounded, or cut off, since data sets do
    both; everything else must be the same.
    """
    if sort is not Sort.MEASURE:
        return Verdict.AGREE if (a.number, a.name) == (b.number, b.name) else Verdict.CONTRADICT
    coarse, fine = sorted((a, b), key=lambda each: -each.step)
    # Cutting off goes towards zero, so that the finer of the two is the larger.
    more = (abs(fine.number) - abs(coarse.number)) / coarse.step
    if -ROUNDED - NOISE <= more < 1 - NOISE or a.number == b.number:
        return Verdict.AGREE
    if abs(a.number - b.number) <= MATERIAL * max(abs(a.number), abs(b.number)):
        return Verdict.IMMATERIAL
    return Verdict.CONTRADICT


def _distance(one: Statement, other: Statement) -> float:
    return min(abs(a.number - b.number) for a, b in product(one.values, other.values))
