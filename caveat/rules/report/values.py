"""Stated values: all that sources say of the quantity that a disputed answer is about."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.synthesis import Figure
from caveat.quantities.reading import Quantity, quantities
from caveat.rules.contradictions.choices import members

_WORD = re.compile(r"[^\W\d_]{2,}")

_DIFFERENCE = re.compile(
    r"\b(?:higher|lower|larger|smaller|more|less|greater|above|below|differs?|exceeds?|consistent"
    r"|agrees?|compared|tension)\b",
    re.IGNORECASE,
)
"""A sentence that sets values side by side; those are mostly other people's, or differences."""


class Conflict(NamedTuple):
    """Two values that exclude each other, and how far they are apart.

    Attributes:
        low: the lower one.
        high: the higher one.
        deviations: their distance in combined standard uncertainties.
    """

    low: Figure
    high: Figure
    deviations: float


def stated_values(
    contradictions: Sequence[Contradiction], claims: Iterable[Claim], titles: Mapping[str, str]
) -> tuple[Figure, ...]:
    """Collect what claims state of the quantity of the first contradiction that is about one.

    Args:
        contradictions: those that concern the question itself.
        claims: every claim that was found, disputed ones as well.
        titles: of their sources, by id.

    Returns:
        One figure for each value of a source, ascending; none where nothing is disputed.
    """
    for each in contradictions:
        unit = _unit(each)
        if unit:
            sides = {name for side in members(each) for name in side}
            about = each.about.partition(":")[0]
            found = (_stated(claim, unit, about, is_side=claim.id in sides) for claim in claims)
            return tuple(sorted(_rows(found, titles), key=lambda figure: figure.number))
    return ()


def conflict(figures: Sequence[Figure], contradiction: Contradiction) -> Conflict | None:
    """Find the two values on different sides that exclude each other most; None without two.

    Of values with a stated uncertainty alone: without one nobody can say how far apart they are.
    """
    side = {name: number for number, names in enumerate(members(contradiction)) for name in names}
    told = [(figure, spread) for figure in figures if (spread := _spread(figure)) > 0]
    apart = [
        Conflict(low, high, abs(high.number - low.number) / math.hypot(spread, other))
        for (low, spread), (high, other) in combinations(told, 2)
        if side.get(low.claim_id, -1) != side.get(high.claim_id, -1)
        and {low.claim_id, high.claim_id} <= side.keys()
    ]
    return max(apart, key=lambda each: each.deviations, default=None)


def _unit(contradiction: Contradiction) -> str:
    read = [quantities(value.written) for value in contradiction.values]
    units = {found[0].unit for found in read if found}
    return units.pop() if len(units) == 1 and all(read) else ""


def _stated(claim: Claim, unit: str, about: str, *, is_side: bool) -> tuple[Claim, Quantity] | None:
    said = {word.casefold() for word in _WORD.findall(claim.quote)}
    named = {word.casefold() for word in _WORD.findall(about)}
    if not is_side and (not named <= said or _DIFFERENCE.search(claim.quote)):
        return None
    fitting = (
        found for found in quantities(claim.quote) if found.unit == unit and found.is_estimate
    )
    first = next(fitting, None)
    return None if first is None else (claim, first)


def _rows(
    found: Iterable[tuple[Claim, Quantity] | None], titles: Mapping[str, str]
) -> Iterator[Figure]:
    seen: set[tuple[str, float]] = set()
    for each in found:
        if each is None or (each[0].source_id, each[1].number) in seen:
            continue
        claim, quantity = each
        seen.add((claim.source_id, quantity.number))
        yield Figure(
            label=titles.get(claim.source_id, claim.source_id),
            value=claim.quote[quantity.start : quantity.end],
            number=quantity.number,
            unit=quantity.unit,
            claim_id=claim.id,
        )


def _spread(figure: Figure) -> float:
    """The standard uncertainty that a value states, in its unit; 0 where it states none."""
    read = quantities(figure.value)
    return (read[0].high - read[0].low) / 2 if read and read[0].uncertain else 0.0
