"""The one plot of a report: every value that sources state of what they disagree on."""

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.synthesis import Figure
from caveat.rendering.edition import Citation, Edition
from caveat.rules.contradictions.choices import list_letters
from caveat.rules.evidence.stated import read_figure

_REACH, _WHISKER_REACH = 3.0, 1.5
"""Interquartile ranges beyond the middle half of the values at which the axis ends, for values and
for their uncertainties: what is far off, or hardly known, must not press the others together."""

_MARGIN = 0.06  # share of the axis that stays free on each side


@dataclass(frozen=True)
class Point:
    """A value on the axis: who states it, and positions as shares of its width, 0 to 1."""

    label: str  # author and year: `Riess 2022`
    cited: tuple[Citation, ...]  # by number alone
    value: str
    side: str  # the letter of its side; empty for a value of none
    low: float
    centre: float
    high: float


@dataclass(frozen=True)
class Plot:
    name: str
    points: tuple[Point, ...]
    ticks: tuple[tuple[float, str], ...]  # a share of the width, and its number


def build_plot(
    edition: Edition, name: str, figures: Sequence[Figure], contradiction: Contradiction
) -> Plot | None:
    """Plot the values of the commonest unit; None if they do not differ."""
    units = [figure.unit for figure in figures]
    chosen = [each for each in figures if each.unit == max(units, key=units.count)]
    chosen.sort(key=lambda each: each.number)
    if len(chosen) < 2 or chosen[0].number == chosen[-1].number:
        return None
    letters = {
        claim: letter.upper()
        for letter, side in zip(
            list_letters(len(contradiction.sides)), contradiction.sides, strict=True
        )
        for claim in side.claims
    }
    bounds = [_read_bounds(each) for each in chosen]
    axis = _Axis.around([each.number for each in chosen], bounds)
    points = tuple(
        Point(
            edition.voices[source.id]
            if (source := edition.find_source(figure.claim_id))
            else figure.label,
            edition.cite_number(figure.claim_id),
            figure.value,
            letters.get(figure.claim_id, ""),
            axis.place(low),
            axis.place(figure.number),
            axis.place(high),
        )
        for figure, (low, high) in zip(chosen, bounds, strict=True)
    )
    return Plot(name, points, axis.list_ticks(are_dates=chosen[0].unit == "date"))


def _read_bounds(figure: Figure) -> tuple[float, float]:
    """The stated uncertainty, several added in quadrature; else the value itself."""
    read = read_figure(figure)
    return (read.low, read.high) if read and read.uncertain else (figure.number, figure.number)


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float

    @classmethod
    def around(cls, numbers: Sequence[float], bounds: Sequence[tuple[float, float]]) -> "_Axis":
        """Hold the values that belong together: see `_REACH`."""
        quarter = len(numbers) // 4
        first, last = numbers[quarter], numbers[-1 - quarter]
        spread = (last - first) or math.inf
        reach = _REACH * spread
        near = [each for each in numbers if first - reach <= each <= last + reach]
        low = max(min(each for each, _ in bounds), min(near[0], first - _WHISKER_REACH * spread))
        high = min(max(each for _, each in bounds), max(near[-1], last + _WHISKER_REACH * spread))
        margin = (high - low) * _MARGIN or 1.0
        return cls(low - margin, high + margin)

    def place(self, number: float) -> float:
        """Map a number to its share of the axis, clipped at the ends."""
        return min(1.0, max(0.0, (number - self.low) / (self.high - self.low)))

    def list_ticks(self, *, are_dates: bool) -> tuple[tuple[float, str], ...]:
        """Three to eight round numbers, 1, 2 or 5 times a power of ten apart."""
        power = 10.0 ** math.floor(math.log10(self.high - self.low))
        for distance in (2 * power, power, power / 2, power / 5):
            places = range(math.ceil(self.low / distance), math.floor(self.high / distance) + 1)
            if len(places) >= 3:
                break
        numbers = (round(place * distance, 10) for place in places)
        label = _format_year if are_dates else "{:,.10g}".format
        return tuple((self.place(each), label(each)) for each in numbers)


def _format_year(year: float) -> str:
    """Format a decimal year: `2022`, or the day that begins a part of it, `2022-06-17`."""
    begin = dt.date(int(year), 1, 1)
    days = (begin.replace(year=begin.year + 1) - begin).days
    return f"{year:g}" if year == int(year) else str(begin + dt.timedelta((year % 1) * days))
