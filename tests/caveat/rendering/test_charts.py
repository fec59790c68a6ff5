"""Uncertainties as sources write them, and scales that hold them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.synthesis import Figure
from caveat.rendering.charts import ROWS, build_tables, compute_scale, find_whisker


def _figure(value: str, number: float, unit: str = "km/s/Mpc") -> Figure:
    return Figure(label="l", value=value, number=number, unit=unit, claim_id="c1")


@pytest.mark.parametrize(
    ("value", "number", "low", "high"),
    [
        ("67.4 ± 0.5 km/s/Mpc", 67.4, 66.9, 67.9),
        ("(73.04 ± 1.04) km s−1 Mpc−1", 73.04, 72.0, 74.08),
        ("70.0 +12.0/−8.0 km/s/Mpc", 70.0, 62.0, 82.0),
        ("70.0+12.0−8.0 km s−1 Mpc−1", 70.0, 62.0, 82.0),
        ("10 ± 3 (stat) ± 4 (sys)", 10.0, 5.0, 15.0),
        ("1.5 ± 0.5 hours", 5400.0, 3600.0, 7200.0),
        ("12 kg ± 200 g", 12.0, 11.8, 12.2),
        ("8.4 g/cm³ ± 5%", 8.4, 7.98, 8.82),
    ],
)
def test_stated_uncertainties_are_read(value: str, number: float, low: float, high: float) -> None:
    drawn = find_whisker(_figure(value, number))
    assert drawn is not None
    assert drawn.low == pytest.approx(low)
    assert drawn.high == pytest.approx(high)


@pytest.mark.parametrize("value", ["67 km/s/Mpc", "67–73", "km s-1", "over 5", ""])
def test_no_uncertainty_is_invented(value: str) -> None:
    assert find_whisker(_figure(value, 67.0)) is None


def test_one_uncertainty_is_no_comparison() -> None:
    assert compute_scale([_figure("67.4 ± 0.5", 67.4), _figure("70", 70)]) is None


@given(st.lists(st.tuples(st.integers(-9999, 9999), st.integers(0, 99)), min_size=2, max_size=9))
def test_a_scale_holds_its_figures_and_its_ticks(pairs: list[tuple[int, int]]) -> None:
    figures = [_figure(f"{number} ± {either}", number) for number, either in pairs]
    axis = compute_scale(figures)
    assert axis is not None
    assert all(axis.low < n - e and n + e < axis.high for n, e in pairs)
    assert 1 <= len(axis.ticks) <= 7
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)


def test_units_are_kept_apart_and_ordered() -> None:
    found = build_tables([_figure("3 m", 3, "m"), _figure("9 s", 9, "s"), _figure("1 m", 1, "m")])
    assert [[figure.number for figure in table.rows] for table in found] == [[1, 3], [9]]


@given(st.lists(st.integers(-9999, 9999), min_size=1, max_size=40))
def test_a_table_shows_both_ends_and_loses_nothing(numbers: list[int]) -> None:
    (table,) = build_tables([_figure(str(number), number) for number in numbers])
    shown = [figure.number for figure in table.rows]
    assert len(shown) == min(ROWS, len(numbers))
    assert (shown[0], shown[-1]) == (min(numbers), max(numbers))
    assert sorted([*shown, *(figure.number for figure in table.beyond)]) == sorted(numbers)


def test_a_disputed_value_is_among_the_rows_however_many_there_are() -> None:
    figures = [_figure(str(number), number) for number in range(2 * ROWS)]
    middle = figures[ROWS].model_copy(update={"claim_id": "c-middle"})
    figures[ROWS] = middle
    (table,) = build_tables(figures, {"c-middle"})
    assert middle in table.rows
    assert middle not in build_tables(figures)[0].rows
    assert len(table.rows) == ROWS
