"""Measures: quantities in units that can be compared, and whether two of them can both be true."""

import math
import re
from dataclasses import dataclass

from caveat.adapters.extractive.quantities import Quantity
from caveat.adapters.extractive.units import Kind, comparable

COVERAGE = 2.0
"""Combined standard uncertainties that two measured values may differ by and still agree: the
coverage factor of the Guide to the expression of uncertainty in measurement for about 95%."""

_NOISE = 1e-9
"""Relative width in which binary fractions differ without saying so."""


@dataclass(frozen=True)
class Measure:
    """A quantity in comparable units.

    Attributes:
        dimension: what can be compared at all: base units, `date`, or the plural that is counted.
        number: central number in base units.
        low: lowest number that the words allow, rounding included.
        high: highest.
        below: standard uncertainty towards lower numbers, None where none is stated.
        above: the same towards higher numbers.
    """

    dimension: str
    number: float
    low: float
    high: float
    below: float | None = None
    above: float | None = None

    @property
    def width(self) -> float:
        """How much it leaves open, relative to its number."""
        return (self.high - self.low) / max(abs(self.number), 1e-12)

    def agrees_with(self, other: "Measure") -> bool:
        """Whether both can be true of the same thing.

        Where an uncertainty is stated, they agree within two combined standard uncertainties;
        otherwise their intervals must overlap. 36 and 36.4 agree, for one is the other rounded;
        36 and 37 do not, although their intervals touch.
        """
        low, high = (self, other) if self.number <= other.number else (other, self)
        if low.above is not None or high.below is not None:
            return self._is_within(low, high)
        noise = _NOISE * max(abs(low.number), abs(high.number))
        return high.low < low.high - noise or high.number - low.number <= noise

    @staticmethod
    def _is_within(low: "Measure", high: "Measure") -> bool:
        reach = math.hypot(
            low.high - low.number if low.above is None else low.above,
            high.number - high.low if high.below is None else high.below,
        )
        return high.number - low.number <= COVERAGE * reach


_SCALES = re.compile(r"thousand|million|billion|trillion|\d\s?(?:[kM]|bn|mn|tn)\b|[×^⁰-⁹]|\de")
_DIGITS = re.compile(r"\d[\d,\u00a0\u202f\u2009’']*(?:\.\d+)?")


def measure(quantity: Quantity, written: str) -> Measure:
    """Bring a quantity to base units and widen it by the rounding that its digits show.

    Args:
        quantity: as it was read.
        written: its own words.
    """
    if quantity.kind is Kind.DATE:
        return Measure("date", quantity.number, quantity.low, quantity.high)
    base, factor, offset = comparable(quantity.unit) or (_plain(quantity), 1.0, 0.0)
    half = _rounding(quantity, written)
    number = quantity.number * factor + offset
    low = (quantity.low - half) * factor + offset
    high = (quantity.high + half) * factor + offset
    if quantity.uncertain:
        return Measure(base, number, low, high, below=number - low, above=high - number)
    return Measure(base, number, low, high)


def _plain(quantity: Quantity) -> str:
    """A counted noun is part of the attribute, where "a population of N" has it as well."""
    return "" if quantity.kind is Kind.COUNT else quantity.unit


def _rounding(quantity: Quantity, written: str) -> float:
    """Half of the last digit that counts: 5,900 stands for 5,850 to 5,950.

    Zeros at the end of a whole number may stand for digits that were rounded away, but two digits
    always count: who writes 30 does not mean 27. Counts below are whole, so they are exact.
    """
    found = _DIGITS.search(written)
    if quantity.uncertain or found is None or not quantity.is_estimate:
        return 0.0
    digits = re.sub(r"[^\d.]", "", found[0])
    value = float(digits)
    if value == 0 or "." in digits:
        return 0.0  # the reader of numerals has counted the decimals
    zeros = len(digits) - len(digits.rstrip("0"))
    place = min(zeros, max(0, len(digits) - 2))
    if place == 0 and quantity.kind is Kind.COUNT and not _SCALES.search(written):
        return 0.0
    return 0.5 * 10.0**place * abs(_scale(quantity, value))


def _scale(quantity: Quantity, value: float) -> float:
    """What one written unit is worth in the quantity's own unit; a range counts from its middle."""
    if quantity.low != quantity.high and not quantity.approximate:
        return abs(quantity.low) / value
    return quantity.number / value
