"""Charts: figures of one unit on one scale, drawn with no script and no style of their own."""

from collections.abc import Sequence
from dataclasses import dataclass

from caveat.contracts.synthesis import Figure
from caveat.rendering.charts import Scale, scale, whisker


@dataclass(frozen=True)
class Bar:
    """One figure on the scale; positions are percent of its width.

    Attributes:
        figure: which.
        centre: of its number.
        low: of the lower end of its uncertainty; the centre where it states none.
        high: of the upper end.
    """

    figure: Figure
    centre: str
    low: str
    high: str


@dataclass(frozen=True)
class Chart:
    """Figures that are worth drawing.

    Attributes:
        bars: one each.
        ticks: positions and numbers of the scale.
    """

    bars: tuple[Bar, ...]
    ticks: tuple[tuple[str, str], ...]


def chart(figures: Sequence[Figure]) -> Chart | None:
    """Place figures on a scale; None where they are not worth drawing."""
    axis = scale(figures)
    if axis is None:
        return None
    ticks = tuple((_at(axis, tick), f"{tick:g}") for tick in axis.ticks)
    return Chart(tuple(_bar(axis, figure) for figure in figures), ticks)


def _bar(axis: Scale, figure: Figure) -> Bar:
    drawn = whisker(figure)
    low, high = (drawn.low, drawn.high) if drawn else (figure.number, figure.number)
    return Bar(figure, _at(axis, figure.number), _at(axis, low), _at(axis, high))


def _at(axis: Scale, number: float) -> str:
    return f"{100 * (number - axis.low) / (axis.high - axis.low):.2f}%"
