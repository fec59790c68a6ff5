"""When two quantities can both be true of one thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.quantities.measures import Measure, measure
from caveat.quantities.reading import find_quantities
from caveat.quantities.units import find_base_units


def read(text: str) -> Measure:
    (quantity,) = find_quantities(text)
    return measure(quantity, text[quantity.start : quantity.end])


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("7.87 g/cm³", "7,870 kg/m³", True),
        ("0.089 g/L", "0.089 kg/m³", True),
        ("1538 °C", "1811 K", True),
        ("2800 °F", "1811 K", True),
        ("100 km", "62.14 miles", True),
        ("1.284 million sq km", "1,284,000 km²", True),
        ("143 pm", "1.43 Å", True),
        ("90 minutes", "1.5 hours", True),
        ("36 km", "36.4 km", True),
        ("553 K", "553.65 K", True),
        ("34 ± 2 km", "31 ± 1 km", True),
        ("30 to 36 km", "35 to 40 km", True),
        ("at least 5 years", "7 years", True),
        ("at most 5 GB", "at most 2 GB", True),
        ("273 K", "273.15 K", True),
        ("643,801 km²", "644,000 km²", True),
        ("7.87 g/cm³", "7,150 kg/m³", False),
        ("1538 °C", "1860 K", False),
        ("5 years", "6 years", False),
        ("1.91 g/cm³", "1.92 g/cm³", False),
        ("1.92 km", "1.95 km", False),
        ("643,801 km²", "643,427 km²", False),
        ("30 km", "27 km", False),
        ("26 people", "27 people", False),
        ("34 ± 1 km", "29 ± 1 km", False),
        ("30 to 36 km", "37 to 40 km", False),
        ("at least 5 years", "3 years", False),
        ("in 1844", "in 1845", False),
        ("in May 1844", "on 2 June 1844", False),
        ("5 km", "5 kg", None),
        ("5 km/s/Mpc", "5 km/s", None),
        ("5 km", "5 km²", None),
        ("5 °", "5 °C", None),
        ("5 %", "5 s", None),
    ],
)
def test_measures_agree_or_not_or_cannot_be_compared(
    one: str, other: str, agree: bool | None
) -> None:
    a, b = read(one), read(other)
    assert (a.dimension == b.dimension) is (agree is not None)
    assert agree is None or a.agrees_with(b) is agree


def test_a_counted_noun_has_no_base_units() -> None:
    assert find_base_units("galaxies") is None
    assert find_base_units("galaxies/yr") is None


def test_a_melting_point_is_no_year_and_a_clock_no_length() -> None:
    assert [each.unit for each in find_quantities("a melting point of 1811 K")] == ["K"]
    assert [each.unit for each in find_quantities("In 2007 K. Smith found it.")] == ["date"]
    assert find_quantities("It opens at 5 pm.") == ()


NUMBERS = st.floats(1, 1e6).map(lambda number: float(f"{number:.6g}"))


@given(NUMBERS, st.floats(0, 0.2), NUMBERS, st.floats(0, 0.2))
def test_agreement_is_mutual(one: float, spread: float, other: float, other_spread: float) -> None:
    a = read(f"{one:.6f} ± {one * spread:.6f} km")
    b = read(f"{other:.6f} ± {other * other_spread:.6f} km")
    assert a.agrees_with(b) == b.agrees_with(a)
    assert a.agrees_with(a)


@given(st.integers(1, 10_000_000), st.integers(2, 6))
def test_a_number_agrees_with_itself_rounded(number: int, digits: int) -> None:
    rounded = int(float(f"{number:.{digits}g}"))
    assert read(f"{number:,} km").agrees_with(read(f"{rounded:,} km"))
