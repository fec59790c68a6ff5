"""Stated values: all that sources say of the quantity that a disputed answer is about."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, TypeVar

from caveat.contracts.contradiction import Contradiction, Disagreement, Side
from caveat.contracts.outcome import Findings
from caveat.contracts.source import Claim
from caveat.contracts.synthesis import Figure
from caveat.quantities.reading import Quantity
from caveat.quantities.units import convert_to_base
from caveat.rules.contradictions.choices import PAIR, format_range, format_title
from caveat.rules.evidence.claims import list_claims
from caveat.rules.evidence.stated import (
    detect_claim_language,
    read_figure,
    read_side_value,
    read_value,
)
from caveat.rules.report.answering import DIRECT


class Disputed(NamedTuple):
    """The quantity on which the sources disagree that the question is about."""

    contradiction: Disagreement
    about: str
    unit: str


def find_disputed_quantity(
    contradictions: Iterable[Contradiction], findings: Iterable[Findings]
) -> Disputed | None:
    """Find the quantity on which the sources disagree, of the question's own; None without one."""
    angles = tuple(findings)
    claims = {claim.id: claim for claim in list_claims(angles)}
    asking = [each for each in angles if each.assignment.title == DIRECT]
    direct = {claim.id for each in asking for claim in each.claims}
    for each in contradictions:
        is_asked = not asking or not direct.isdisjoint(each.concerned)
        if is_asked and (unit := _find_common_unit(each, claims)):
            return Disputed(each, each.about.partition(":")[0], unit)
    return None


Stated = TypeVar("Stated", bound=Disagreement)


def state_sides(disagreements: Iterable[Stated], claims: Iterable[Claim]) -> tuple[Stated, ...]:
    """Name each side, of several sources by the range of their values, and title the dispute."""
    by_id = {claim.id: claim for claim in claims}
    named = []
    for each in disagreements:
        sides = tuple(_state_side(side, each, by_id) for side in each.sides)
        values = [side.stated or side.value for side in sides]
        about = format_title(each.about, values) if all(values) else each.about
        named.append(each.model_copy(update={"sides": sides, "about": about}))
    return tuple(named)


def _state_side(side: Side, of: Disagreement, claims: Mapping[str, Claim]) -> Side:
    own = [claims[name] for name in side.claims if name in claims]
    sources = len({claim.source_id for claim in own})
    unit = _find_common_unit(of, claims)
    stated = collect_values(Disputed(of, "", unit), own, {}) if unit else ()
    if sources < PAIR or not stated:
        return side
    # "closed until 29 May" and "29 May" are one value: of a span and what lies in it, that.
    figures = [each for each in stated if not _encloses(each, stated)]
    first, last = figures[0], figures[-1]
    same = first.number == last.number  # however each is written
    value = first.value if same else format_range(first.value, last.value)
    return side.model_copy(update={"stated": f"{value}, {sources} sources"})


def _encloses(figure: Figure, others: Iterable[Figure]) -> bool:
    """Whether a figure is a span in which another one lies."""
    read = read_figure(figure)
    return (
        read is not None
        and not read.uncertain
        and any(
            read.low < each.number < read.high and each.number != figure.number for each in others
        )
    )


def collect_values(
    disputed: Disputed | None, claims: Iterable[Claim], titles: Mapping[str, str]
) -> tuple[Figure, ...]:
    """Collect what claims state of a disputed quantity: a figure a value, ascending."""
    if disputed is None:
        return ()
    by_id = {claim.id: claim for claim in claims}
    # The value that each claim of a side was found to state; None where its words have none.
    sides: dict[str, Quantity | None] = dict.fromkeys(disputed.contradiction.concerned)
    for side in disputed.contradiction.sides:
        sides |= dict.fromkeys(side.claims, next(iter(read_side_value(side, by_id)), None))
    quantities = (
        (
            claim,
            read_value(
                claim.quote,
                disputed.unit,
                None if name in sides else disputed.about,
                sides.get(name),
                detect_claim_language(claim),
            ),
        )
        for name, claim in by_id.items()
    )
    figures = _build_figures(quantities, titles)
    return tuple(sorted(figures, key=lambda each: convert_to_base(each.number, each.unit)))


def measure_gap(figures: Sequence[Figure], contradiction: Contradiction) -> float | None:
    """Measure how far two values on different sides are apart at most, in standard deviations."""
    # Of values with a stated uncertainty alone: without one nobody can say how far apart they are.
    side = {name: number for number, each in enumerate(contradiction.sides) for name in each.claims}
    told = [
        (figure, (read.high - read.low) / 2)
        for figure in figures
        if (read := read_figure(figure)) and read.uncertain and read.high > read.low
    ]
    apart = [
        abs(high.number - low.number) / math.hypot(spread, other)
        for (low, spread), (high, other) in combinations(told, 2)
        if low.unit == high.unit
        and side.get(low.claim_id, -1) != side.get(high.claim_id, -1)
        and {low.claim_id, high.claim_id} <= side.keys()
    ]
    return max(apart, default=None)


def _find_common_unit(contradiction: Disagreement, claims: Mapping[str, Claim]) -> str:
    read = [read_side_value(side, claims) for side in contradiction.sides]
    units = {values[0].unit for values in read if values}
    return units.pop() if len(units) == 1 and all(read) else ""


def _build_figures(
    quantities: Iterable[tuple[Claim, Quantity | None]], titles: Mapping[str, str]
) -> Iterator[Figure]:
    stated = [(claim, quantity) for claim, quantity in quantities if quantity is not None]
    told = {_build_value_key(claim, quantity) for claim, quantity in stated if quantity.uncertain}
    seen: set[tuple[object, ...]] = set()
    for claim, quantity in stated:
        value = _build_value_key(claim, quantity)
        within = (
            source == claim.source_id and quantity.low <= number <= quantity.high
            for source, number, unit in told
            if unit == quantity.unit
        )
        if not quantity.uncertain and any(within):  # said again in short, or as a range
            continue
        row = (*value, quantity.low, quantity.high) if quantity.uncertain else value
        if row in seen:
            continue
        seen.add(row)
        yield Figure(
            label=titles.get(claim.source_id, claim.source_id),
            value=claim.quote[quantity.start : quantity.end],
            number=quantity.number,
            unit=quantity.unit,
            claim_id=claim.id,
        )


def _build_value_key(claim: Claim, quantity: Quantity) -> tuple[str, float, str]:
    return claim.source_id, quantity.number, quantity.unit
