"""Repeats: claims that are on no side of a contradiction and state one of its values all the same.

What becomes of a value becomes of every claim that repeats it: the same statement, the same value
of the same thing in other words, rounded, or with its unit spelt out.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from math import ceil
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Disagreement
from caveat.quantities.numerals import find_numerals
from caveat.quantities.reading import Quantity, find_values
from caveat.quantities.units import Kind
from caveat.rules.text import are_opposed, find_frame, is_same_statement, normalise_wording
from caveat.rules.text.words import list_content_stems

TELLING = 3
"""Significant digits from which a shared number is hardly chance."""

SHARED = 2  # words about the subject that suffice with a telling number
MOST = 2 / 3  # share of the words about the subject that a date needs; shorter numbers need all


def find_repeating_claims(
    contradiction: Disagreement, claims: Mapping[str, Claim]
) -> dict[str, tuple[int, ...]]:
    """Find claims outside of a contradiction that repeat one of its values.

    Only the quotes decide, so that the result follows from any report.

    Args:
        claims: candidates by id, the sides included.

    Returns:
        For each such claim the positions of the values that it repeats, from 0.
    """
    best = [claims[name] for name in contradiction.claims if name in claims]
    if len({normalise_wording(claim.quote) for claim in best}) < len(contradiction.sides):
        return {}  # some are not here, or their words do not tell the sides apart
    stated = [
        find_values(side.value or claim.quote)
        for side, claim in zip(contradiction.sides, best, strict=True)
    ]
    words = frozenset.intersection(*(_list_words(claim.quote) for claim in best))
    subject = words or _list_words(contradiction.about)
    sides = [
        _Side(claim, _exclude_shared(values, stated), subject, bool(side.value))
        for side, claim, values in zip(contradiction.sides, best, stated, strict=True)
    ]
    repeating = {
        name: tuple(place for place, side in enumerate(sides) if side.is_repeated(claim, best))
        for name, claim in claims.items()
        if name not in contradiction.concerned
    }
    return {name: places for name, places in repeating.items() if places}


class _Side(NamedTuple):
    """One value: who states it best, its own quantities, and what the question is about."""

    best: Claim
    values: Sequence[Quantity]
    subject: frozenset[str]
    is_named: bool  # whether the detector says which of its quote's numbers the value is

    def is_repeated(self, claim: Claim, best: Sequence[Claim]) -> bool:
        if is_same_statement(claim.quote, self.best.quote) or self._takes_side(claim, best):
            return True
        values = find_values(claim.quote)
        repeated = [value for value in self.values if any(_repeats(value, each) for each in values)]
        # Of a day that a side states its year alone is another day.
        if len(repeated) < max(1, len(self.values) if self.is_named else 1):
            return False
        is_telling = any(map(_is_telling, repeated))
        if claim.source_id == self.best.source_id and is_telling:
            return True
        around = _list_words(f"{claim.location or ''} {claim.quote}")
        is_dated = any(value.kind is Kind.DATE for value in repeated)
        needed = max(1, ceil(len(self.subject) * (MOST if is_telling or is_dated else 1)))
        return len(self.subject & around) >= (min(SHARED, needed) if is_telling else needed)

    def _takes_side(self, claim: Claim, best: Sequence[Claim]) -> bool:
        """Whether it affirms or denies the same, and another side the opposite."""
        frame = find_frame(claim.quote)
        is_same = frame is not None and frame == find_frame(self.best.quote)
        return is_same and any(are_opposed(claim.quote, other.quote) for other in best)


def _exclude_shared(
    values: Iterable[Quantity], stated: Sequence[Collection[Quantity]]
) -> tuple[Quantity, ...]:
    """The quantities that only this value states: a shared year is not in dispute."""
    others = [*chain.from_iterable(each for each in stated if each is not values)]
    return tuple(value for value in values if not any(_repeats(value, each) for each in others))


def _repeats(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities are equal up to rounding and spelling of the unit."""
    if one.unit != other.unit and not ("" in (one.unit, other.unit) and _is_telling(one)):
        return False
    if one.uncertain and other.uncertain and (one.low, one.high) != (other.low, other.high):
        return False  # two measurements that happen to agree
    if one.kind is Kind.DATE or one.number == other.number:
        # Of bare numbers the digits count: "version 4" is not the version 4.0 that a side states.
        is_bare = not (one.unit or other.unit)
        return one.number == other.number and (not is_bare or one.low == other.low)
    coarse, fine = sorted((one.number, other.number), key=_count_digits)
    digits = _count_digits(coarse)
    return digits > 1 and float(f"{fine:.{digits}g}") == coarse


@lru_cache(maxsize=1 << 12)
def _count_digits(number: float) -> int:
    return len(f"{abs(number):.12e}".partition("e")[0].replace(".", "").rstrip("0"))


def _is_telling(value: Quantity) -> bool:
    return value.kind is not Kind.DATE and _count_digits(value.number) >= TELLING


@lru_cache(maxsize=1 << 12)
def _list_words(text: str) -> frozenset[str]:
    for numeral in reversed(find_numerals(text)):
        text = f"{text[: numeral.start]} {text[numeral.end :]}"
    return list_content_stems(text)
