"""Numerals as reports and sources write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.quantities.numbers import find_numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("67.4 ± 0.5 km/s/Mpc", ["67.4", "0.5"]),
        ("73.3 +1.7/−1.8", ["73.3", "1.7", "-1.8"]),
        ("67-73, or 67–73", ["67", "73", "67", "73"]),
        ("1,284,000; 1\u202f284\u202f000; 1'284'000; 1.284 million", ["1284000"] * 4),
        ("1, 2, 3 and 1,2,3", ["1", "2", "3", "1", "2", "3"]),
        ("5%, 5 %, 5 per cent, 5 percent", ["5%"] * 4),
        ("−5 and -5, but not 10-5", ["-5", "-5", "10", "5"]),
        ("10⁵, 10^5, 1e5, 1 × 10⁵, 1·10^{5}", ["100000"] * 5),
        ("10⁻³ and 2.5e-3", ["0.001", "0.0025"]),
        ("73.0 is not 73", ["73.0", "73"]),
        (".5 or 0.5", [".5", "0.5"]),
        ("version 2.4.17, on 2018-07-17", ["2.4.17", "2018", "07", "17"]),
        ("the 1990s, the mid-1990s, 67km, 2nd", ["1990", "1990", "67", "2"]),
        ("H0, GW170817, COVID-19, km s-1 Mpc^-1, v1.2.3", []),
        ("seven, a dozen, none", []),
        ("It was 67.4.", ["67.4"]),
        ("1e9999999 is too much", ["1"]),
    ],
)
def test_numerals_are_normalised(text: str, expected: list[str]) -> None:
    assert find_numbers(text) == expected


@given(st.integers(0, 10**15))
def test_thousands_separators_change_nothing(number: int) -> None:
    assert find_numbers(f"about {number:,} of them") == [str(number)]


@given(st.decimals(0, 10**6, places=3), st.text(alphabet=" .,;()±%", max_size=3))
def test_a_changed_digit_changes_the_numbers(number: object, after: str) -> None:
    text = f"{number}{after}"
    for at, character in enumerate(text):
        if character.isdigit():
            other = str((int(character) + 1) % 10)
            assert find_numbers(text[:at] + other + text[at + 1 :]) != find_numbers(text)
