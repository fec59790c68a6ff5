"""The one plot of a report: every value, on an axis that one far value does not stretch."""

import pytest
from hypothesis import given
from hypothesis.strategies import floats

from caveat.contracts.synthesis import Figure
from caveat.rendering.edition import Edition
from caveat.rendering.plot import Plot, build_plot
from tests.fakes.reports import AWAITED, a_report


def _figure(value: str, number: float, claim: str = "c0", unit: str = "km/s/Mpc") -> Figure:
    return Figure(label="A", value=value, number=number, unit=unit, claim_id=claim)


def _plot(figures: list[Figure]) -> Plot | None:
    return build_plot(Edition(a_report()), "", figures, AWAITED)


def test_every_value_has_its_place_and_its_side() -> None:
    first, second = (side.claim for side in AWAITED.sides)
    values = [
        _figure("67.4 ± 0.5 km/s/Mpc", 67.4, first),
        _figure("73 ± 1 km/s/Mpc", 73, second),
        _figure("70 km/s/Mpc", 70, "between"),
    ]
    plot = _plot(values)
    assert plot is not None
    assert [(point.value, point.side) for point in plot.points] == [
        ("67.4 ± 0.5 km/s/Mpc", "A"), ("70 km/s/Mpc", ""), ("73 ± 1 km/s/Mpc", "B"),
    ]  # fmt: skip
    for point in plot.points:
        assert 0 <= point.low <= point.centre <= point.high <= 1
    assert plot.points[1].low == plot.points[1].high
    assert 3 <= len(plot.ticks) <= 7


def test_none_of_many_is_dropped_and_one_far_value_presses_none_together() -> None:
    values = [_figure(f"{number} km/s/Mpc", number) for number in range(60, 80)]
    plot = _plot([*values, _figure("9,000 km/s/Mpc", 9000)])
    assert plot is not None
    assert len(plot.points) == 21
    assert plot.points[-1].centre == 1
    assert plot.points[10].centre - plot.points[0].centre > 0.1


@pytest.mark.parametrize("numbers", [(), (3,), (3, 3)])
def test_what_does_not_differ_is_not_drawn(numbers: tuple[int, ...]) -> None:
    assert _plot([_figure(f"{each} m", each, unit="m") for each in numbers]) is None


def test_an_uncertainty_that_is_far_wider_than_the_values_leaves_them_their_room() -> None:
    values = [_figure(f"{number} ± 1 km/s/Mpc", number) for number in range(60, 80)]
    known = _plot(values)
    hardly = _plot([*values, _figure("70 ± 900 km/s/Mpc", 70)])
    assert known is not None
    assert hardly is not None
    room = [plot.points[-1].centre - plot.points[0].centre for plot in (known, hardly)]
    assert room[1] > room[0] / 2
    assert [(each.low, each.high) for each in hardly.points if "900" in each.value] == [(0, 1)]


@given(low=floats(-1e3, 1e3), width=floats(1e-2, 1e4))
def test_an_axis_has_numbers_enough_and_not_too_many(low: float, width: float) -> None:
    plot = _plot([_figure(f"{at} m", at, unit="m") for at in (low, low + width)])
    assert plot is not None
    assert 3 <= len(plot.ticks) <= 8
