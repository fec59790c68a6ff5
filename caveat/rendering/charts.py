"""Charts: figures of one unit on one scale, with their uncertainties and the scale's ticks."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from caveat.contracts.synthesis import Figure
from caveat.quantities.reading import find_quantities

ROWS = 12  # of a table: as many as fit on a page
FEWEST = 2  # figures with an uncertainty that make a comparison worth drawing

MARGIN = 0.06
"""Share of the scale that stays free on each side, so that no whisker touches the edge."""


@dataclass(frozen=True)
class Whisker:
    """The ends of a figure's stated uncertainty, in its unit."""

    low: float
    high: float


@dataclass(frozen=True)
class Scale:
    """The axis of a chart."""

    low: float
    high: float
    ticks: tuple[float, ...]


@dataclass(frozen=True)
class Table:
    """Figures of one unit, ascending by number."""

    # those that are shown: the least and the greatest, so that the range is whole, those that are
    # disputed, and what is next to the ends
    rows: tuple[Figure, ...]
    beyond: tuple[Figure, ...] = ()  # those between them for which there is no room


def build_tables(figures: Sequence[Figure], disputed: Collection[str] = ()) -> tuple[Table, ...]:
    """Group figures by unit, in order of first appearance.

    Args:
        disputed: ids of claims whose figures come before others where there is no room for all.
    """
    units = dict.fromkeys(figure.unit for figure in figures)
    return tuple(
        _build_table(
            sorted((f for f in figures if f.unit == unit), key=lambda figure: figure.number),
            disputed,
        )
        for unit in units
    )


def _build_table(figures: Sequence[Figure], disputed: Collection[str]) -> Table:
    last = len(figures) - 1
    inwards = sorted(range(len(figures)), key=lambda place: min(place, last - place))
    ends = inwards[:2]
    in_dispute = [place for place in inwards if figures[place].claim_id in disputed]
    shown = set(list(dict.fromkeys((*ends, *in_dispute, *inwards)))[:ROWS])
    rows = tuple(each for place, each in enumerate(figures) if place in shown)
    return Table(rows, tuple(each for place, each in enumerate(figures) if place not in shown))


def find_whisker(figure: Figure) -> Whisker | None:
    """Read the uncertainty that a figure's value states; several are added in quadrature.

    Returns:
        None when the value states no uncertainty.
    """
    read = (
        each for each in find_quantities(figure.value) if math.isclose(each.number, figure.number)
    )
    stated = next((each for each in read if each.uncertain), None)
    return Whisker(stated.low, stated.high) if stated else None


def compute_scale(figures: Sequence[Figure]) -> Scale | None:
    """Find the axis that holds figures of one unit; None when they are not worth drawing."""
    whiskers = [drawn for figure in figures if (drawn := find_whisker(figure)) is not None]
    if len(whiskers) < FEWEST:
        return None
    ends = [figure.number for figure in figures]
    ends += [end for drawn in whiskers for end in (drawn.low, drawn.high)]
    low, high = min(ends), max(ends)
    margin = (high - low) * MARGIN or 1.0
    low, high = low - margin, high + margin
    return Scale(low, high, _compute_ticks(low, high))


def _compute_ticks(low: float, high: float) -> tuple[float, ...]:
    """Round numbers, three to seven of them, at a distance of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    distance = next(step * power for step in (1, 2, 5, 10) if step * power >= rough)
    first = math.ceil(low / distance)
    return tuple(
        round(number * distance, 10) for number in range(first, math.floor(high / distance) + 1)
    )


@dataclass(frozen=True)
class Bar:
    """One figure on the scale; positions are percent of its width."""

    figure: Figure
    centre: str
    low: str  # of the lower end of its uncertainty; the centre where it states none
    high: str


@dataclass(frozen=True)
class Chart:
    """Figures that are worth drawing."""

    bars: tuple[Bar, ...]  # one each
    ticks: tuple[tuple[str, str], ...]


def build_chart(figures: Sequence[Figure]) -> Chart | None:
    """Place figures on a scale; None where they are not worth drawing."""
    axis = compute_scale(figures)
    if axis is None:
        return None
    ticks = tuple((_format_position(axis, tick), f"{tick:g}") for tick in axis.ticks)
    return Chart(tuple(_build_bar(axis, figure) for figure in figures), ticks)


def _build_bar(axis: Scale, figure: Figure) -> Bar:
    drawn = find_whisker(figure)
    low, high = (drawn.low, drawn.high) if drawn else (figure.number, figure.number)
    return Bar(
        figure,
        _format_position(axis, figure.number),
        _format_position(axis, low),
        _format_position(axis, high),
    )


def _format_position(axis: Scale, number: float) -> str:
    return f"{100 * (number - axis.low) / (axis.high - axis.low):.2f}%"
