"""Measures: quantities in units that can be compared, and whether two of them can both be true."""

import math
from dataclasses import dataclass

from caveat.quantities.numerals import find_numerals
from caveat.quantities.reading import Quantity
from caveat.quantities.units import Kind, find_base_units

COVERAGE = 2.0
"""Combined standard uncertainties that two measured values may differ by and still agree: the
coverage factor of the Guide to the expression of uncertainty in measurement for about 95%."""

IMMATERIAL = 1e-3
"""Share up to which numbers without a stated uncertainty differ for reasons that nobody would be
asked about: a converted unit (273 K for 273.15), a border measured anew, a newer revision."""

PRECISE = 0.01
"""Share of a whole number up to which one more or less may be its last digit cut off instead of
rounded: 553 for 553.65. Of a smaller number, such as 5 years, one more is something else."""

_DATE = "date"  # the dimension of times
_NOISE = 1e-9  # share by which binary fractions may miss a digit


@dataclass(frozen=True)
class Measure:
    """A quantity in comparable units."""

    dimension: str  # what can be compared at all: base units, `date`, nothing for plain numbers
    number: float
    low: float  # lowest number that the words allow, without rounding
    high: float
    step: float = 0.0  # how far its digits may be off
    # standard uncertainty towards lower numbers, None where none is stated
    below: float | None = None
    above: float | None = None
    unit: str = ""  # as it was read

    @property
    def is_date(self) -> bool:
        """Whether it is a time, in decimal years."""
        return self.dimension == _DATE

    @property
    def width(self) -> float:
        """How much it leaves open, relative to its number."""
        return (self.high - self.low + 2 * self.step) / max(abs(self.number), 1e-12)

    def agrees_with(self, other: "Measure") -> bool:
        """Whether both can be true of the same thing."""
        # Where both state an uncertainty, they agree within two combined standard uncertainties.
        # Numbers of equal precision in one unit must be equal. Of others the intervals must
        # overlap, or miss each other by no more than a digit of the coarser one or an immaterial
        # share: 36 and 36.4 agree.
        low, high = (self, other) if self.number <= other.number else (other, self)
        if low.above is not None and high.below is not None:
            reach = math.hypot(low.above, high.below)
            return high.number - low.number <= COVERAGE * reach
        if self.is_date:
            return high.low < low.high or high.number == low.number
        is_alike = self.unit == other.unit and math.isclose(self.step, other.step)
        if is_alike and self.step and low.low == low.high and high.low == high.high:
            return math.isclose(low.number, high.number, rel_tol=_NOISE)  # 1.91 is not 1.92
        gap = max(0.0, high.low - low.high)
        largest = max(abs(low.number), abs(high.number))
        return gap <= max(self.step, other.step, IMMATERIAL * largest) + _NOISE * largest


def measure(quantity: Quantity, written: str) -> Measure:
    """Bring a quantity to base units and say how far its digits may be off."""
    if quantity.kind is Kind.DATE:
        return Measure(_DATE, quantity.number, quantity.low, quantity.high)
    # A counted noun is part of the attribute, where "a population of N" has it as well.
    unit = "" if quantity.kind is Kind.COUNT else quantity.unit
    base, factor, offset = find_base_units(quantity.unit) or (unit, 1.0, 0.0)
    number, low, high = (
        each * factor + offset for each in (quantity.number, quantity.low, quantity.high)
    )
    if quantity.uncertain:
        return Measure(base, number, low, high, below=number - low, above=high - number)
    step = _compute_step(quantity, written) * factor
    if high - low <= step * (1 + _NOISE):  # the rounding of its decimals, and no range
        low = high = number
    return Measure(base, number, low, high, step, unit=quantity.unit)


def _compute_step(quantity: Quantity, written: str) -> float:
    """What one more in the last digit that counts is worth; half of that in small whole numbers."""
    # Decimals are cut off as often as rounded. Zeros at the end of a whole number may stand for
    # digits that were left out, but two digits always count: who writes 30 does not mean 27. What
    # is counted one by one has no such room.
    numerals = [each for each in find_numerals(written) if each.is_read and not each.is_spelt]
    # Nobody adds a smaller unit in order to round: "2 h 10 min".
    is_compound = len(numerals) > 1 and quantity.low == quantity.high
    if is_compound or not numerals or not numerals[0].value:
        return 0.0
    digits = abs(numerals[0].value.scaleb(-numerals[0].scale))
    place, whole = numerals[0].place - numerals[0].scale, f"{digits:.0f}"
    if place >= 0:
        place = min(len(whole) - len(whole.rstrip("0")), max(0, len(whole) - 2))
    if place == 0 and quantity.kind is Kind.COUNT and not numerals[0].scale:
        return 0.0
    value, step = float(digits), 10.0**place
    if place >= 0 and step > PRECISE * value:
        step /= 2
    bounds = (quantity.number, quantity.low, quantity.high)  # in the quantity's own unit
    return (
        step * abs(next((each for each in bounds if math.isfinite(each) and each), value)) / value
    )
