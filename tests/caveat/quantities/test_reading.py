import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caveat.quantities.reading import Quantity, find_quantities
from caveat.quantities.units import Kind


def only(text: str) -> Quantity:
    (quantity,) = find_quantities(text)
    return quantity


MEASURES = {
    "H0 = 67.4 ± 0.5 km/s/Mpc today": ("67.4 ± 0.5 km/s/Mpc", 67.4, 66.9, 67.9, "km/s/Mpc"),
    "is (73.04 ± 1.04) km s−1 Mpc−1.": (
        "(73.04 ± 1.04) km s−1 Mpc−1", 73.04, 72.0, 74.08, "km/s/Mpc",
    ),
    "74.03 ± 1.42 km s$^{-1}$ Mpc$^{-1}$": (
        "74.03 ± 1.42 km s$^{-1}$ Mpc$^{-1}$", 74.03, 72.61, 75.45, "km/s/Mpc",
    ),
    "67.4±0.5 km s −1 Mpc −1": ("67.4±0.5 km s −1 Mpc −1", 67.4, 66.9, 67.9, "km/s/Mpc"),
    "69.8 ± 0.6 (stat) ± 0.8 (sys) km s^-1 Mpc^-1": (
        "69.8 ± 0.6 (stat) ± 0.8 (sys) km s^-1 Mpc^-1", 69.8, 68.8, 70.8, "km/s/Mpc",
    ),
    "melts at 902 °C ± 4 °C in air": ("902 °C ± 4 °C", 902, 898, 906, "°C"),
    "melts at 902 °C ± 4 K in air": ("902 °C ± 4 K", 902, 898, 906, "°C"),
    "a mass of 12 kg +/- 200 g": ("12 kg +/- 200 g", 12, 11.8, 12.2, "kg"),
    "is 8.4 g/cm³ ± 5% here": ("8.4 g/cm³ ± 5%", 8.4, 7.98, 8.82, "g/cm³"),
    "at 31% ± 2% a": ("31% ± 2%", 31, 29, 33, "%"),
    "is 69.8 km ± 0.6 km ± 0.8 km long": ("69.8 km ± 0.6 km ± 0.8 km", 69_800, 68_800, 70_800, "m"),
    "from -40 to 85 °C": ("-40 to 85 °C", 22.5, -40, 85, "°C"),
    "some 12 000 people": ("some 12 000 people", 12_000, 10_800, 13_200, "people"),
    "of 12 345 people": ("12 345 people", 12_345, 12_345, 12_345, "people"),
    "of 1 234 567 people": ("1 234 567 people", 1_234_567, 1_234_567, 1_234_567, "people"),
    "rose from 5 to 7 km": ("7 km", 7_000, 7_000, 7_000, "m"),
    "70.0+12.0−8.0 km s⁻¹ Mpc⁻¹": ("70.0+12.0−8.0 km s⁻¹ Mpc⁻¹", 70, 62, 82, "km/s/Mpc"),
    "73.3 +1.7 -1.8 kilometres per second per megaparsec": (
        "73.3 +1.7 -1.8 kilometres per second per megaparsec", 73.3, 71.5, 75, "km/s/Mpc",
    ),
    "covers 1.284 million sq km": ("1.284 million sq km", 1_284_000, 1_283_500, 1_284_500, "km²"),
    "covers 1,284,000 square kilometres": (
        "1,284,000 square kilometres", 1_284_000, 1_284_000, 1_284_000, "km²",
    ),
    "takes 3 to 5 days": ("3 to 5 days", 345_600, 259_200, 432_000, "s"),
    "between 67 km and 73 km": ("67 km and 73 km", 70_000, 67_000, 73_000, "m"),
    "between 5 and 10 minutes": ("5 and 10 minutes", 450, 300, 600, "s"),
    "a 30-second timeout": ("30-second", 30, 30, 30, "s"),
    "after two hours": ("two hours", 7_200, 7_200, 7_200, "s"),
    "some 3 months later": ("some 3 months", 0.25, 0.225, 0.275, "yr"),
    "with 1.5 GB of memory": ("1.5 GB", 1.5e9, 1.45e9, 1.55e9, "B"),
    "at 12% a": ("12%", 12, 12, 12, "%"),
    "twenty-five per cent": ("twenty-five per cent", 25, 25, 25, "%"),
    "costs $7.5 million": ("$7.5 million", 7.5e6, 7.45e6, 7.55e6, "USD"),
    "costs EUR 300.": ("EUR 300", 300, 300, 300, "EUR"),
    "3 × 10^5 km/s": ("3 × 10^5 km/s", 300_000, 300_000, 300_000, "km/s"),
    "5 requests per minute": ("5 requests per minute", 5 / 60, 5 / 60, 5 / 60, "requests/s"),
    "a 5.0σ tension": ("5.0σ", 5, 4.95, 5.05, "σ"),
    "at -5 °C": ("-5 °C", -5, -5, -5, "°C"),
    "of 42 type Ia supernovae": ("42 type Ia supernovae", 42, 42, 42, "supernovae"),
    "Two hundred people came": ("Two hundred people", 200, 200, 200, "people"),
    "Ωm = 0.315 ± 0.007.": ("0.315 ± 0.007", 0.315, 0.308, 0.322, ""),
    "at least 12 characters": ("at least 12 characters", 12, 12, math.inf, "characters"),
    "over 300 hosts": ("over 300 hosts", 300, 300, math.inf, "hosts"),
    "up to 30 days": ("up to 30 days", 2_592_000, -math.inf, 2_592_000, "s"),
    "about 40 hosts": ("about 40 hosts", 40, 36, 44, "hosts"),
    "at least about 40 hosts": ("at least about 40 hosts", 40, 40, math.inf, "hosts"),
}  # fmt: skip


@pytest.mark.parametrize("text", MEASURES)
def test_measures_are_read(text: str) -> None:
    expected = MEASURES[text]
    quantity = only(text)
    written, number, low, high, unit = expected
    assert text[quantity.start : quantity.end] == written
    assert (quantity.number, quantity.low, quantity.high) == pytest.approx((number, low, high))
    assert quantity.unit == unit


DATES = {
    "on 14 May 2019": ("14 May 2019", 2019.366),
    "on May 14th, 2019": ("May 14th, 2019", 2019.366),
    "on 2019-05-14.": ("2019-05-14", 2019.366),
    "June 1998": ("June 1998", 1998.455),
    "am 14. Mai 2019": ("14. Mai 2019", 2019.366),
    "el 14 de mayo de 2019": ("14 de mayo de 2019", 2019.366),
    "en juin 1998": ("juin 1998", 1998.455),
    "in 2019, it": ("2019", 2019.5),
    "in the 1990s": ("1990s", 1995.0),
    "from 2010 to 2015": ("2010 to 2015", 2013.0),
    "and 2020-01-02": ("2020-01-02", 2020.004),
}


@pytest.mark.parametrize("text", DATES)
def test_dates_are_read(text: str) -> None:
    quantity = only(text)
    assert quantity.kind is Kind.DATE
    assert text[quantity.start : quantity.end] == DATES[text][0]
    assert quantity.number == pytest.approx(DATES[text][1], abs=0.01)


@pytest.mark.parametrize(
    "text",
    [
        "version 2.36.1 in section 4.2 on port 22",
        "RFC 2119 and ISO 8859-1",
        "10.0.0.1:80 at 12:30",
        "Riess et al. (2022) and Planck 2018 results",
        "It runs Debian 12 systems",
        "640 Bände und 3 Vögel",
        "the SH0ES team and SHA-256",
        "one of the hosts",
        "bug #12345 reports",
        "on 30 February 2019 it",
        "two-thirds of all voters",
        "one in five adults",
        "nothing at all",
    ],
)
def test_other_numbers_are_no_quantities(text: str) -> None:
    assert find_quantities(text) == ()


def test_a_value_before_and_one_after_a_change_are_no_range() -> None:
    fee = "The fee will rise from £48 to £55 per plot."
    assert [fee[found.start : found.end] for found in find_quantities(fee)] == ["£48", "£55"]
    years = "The price fell from 2010 to 2020."
    assert [years[found.start : found.end] for found in find_quantities(years)] == ["2010 to 2020"]
    depth = "The channel is from 5 m to 7 m deep."
    assert [depth[found.start : found.end] for found in find_quantities(depth)] == ["5 m to 7 m"]


def test_several_in_one_sentence() -> None:
    text = "From 42 hosts we get 73.04 ± 1.04 km/s/Mpc, 5σ above the value of 2018."
    found = [(text[q.start : q.end], q.kind) for q in find_quantities(text)]
    assert found == [
        ("42 hosts", Kind.COUNT),
        ("73.04 ± 1.04 km/s/Mpc", Kind.MEASURE),
        ("5σ", Kind.NUMBER),
        ("2018", Kind.DATE),
    ]


AGREEMENTS = [
    ("1.284 million sq km", "1,284,000 square kilometres", True),
    ("67.4 ± 0.5 km/s/Mpc", "67.8 ± 0.9 km s^-1 Mpc^-1", True),
    ("67.4 ± 0.5 km/s/Mpc", "73.04 ± 1.04 km/s/Mpc", False),
    ("at least 8 characters", "12 characters", True),
    ("at least 8 characters", "6 characters", False),
    ("60 minutes", "1 hour", True),
    ("60 minutes", "60 metres", False),
    ("about 1,000 hosts", "1,050 hosts", True),
    ("in 2019", "14 May 2019", True),
    ("in 2019", "14 May 2020", False),
]


@pytest.mark.parametrize(("first", "second", "agree"), AGREEMENTS)
def test_overlapping_intervals_agree(first: str, second: str, agree: bool) -> None:
    assert only(first).agrees_with(only(second)) is agree
    assert only(second).agrees_with(only(first)) is agree


def test_bounds_are_no_estimates() -> None:
    assert only("67.4 ± 0.5 km/s/Mpc").is_estimate
    assert not only("up to 30 days").is_estimate
    assert only("about 30 days").high == 33 * 86_400
    assert only("67.4 ± 0.5 km/s/Mpc").uncertain


PIECES = st.sampled_from(
    ["5", "67.4", " ± ", "0.5", " km", "/s", "/Mpc", " s^-1", "−1", "to ", " and ", "between ", "%",
     "$", " million", "two ", " hosts", "May ", "2019", "-", "(", ")", ",", " ", "in ", "about ",
     "at least "]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
@example("2−1M")
def test_any_text_is_read_without_overlaps(text: str) -> None:
    position = 0
    for quantity in find_quantities(text):
        assert position <= quantity.start < quantity.end <= len(text)
        assert quantity.low <= quantity.number <= quantity.high
        position = quantity.end


def test_another_last_digit_of_equal_precision_is_another_value() -> None:
    one, other, short = (
        find_quantities(f"It is {n} metres long.")[0] for n in ("1.91", "1.92", "1.9")
    )
    assert not one.agrees_with(other)
    assert one.agrees_with(short)
    assert one.agrees_with(one)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "between 220 and 230 billion euros"),
        ("de", "zwischen 220 und 230 Milliarden Euro"),
        ("de", "220 bis 230 Milliarden Euro"),
        ("nl", "tussen 220 en 230 miljard euro"),
        ("fr", "entre 220 et 230 milliards d’euros"),
    ],
)
def test_the_first_of_a_range_has_the_scale_of_the_second(language: str, text: str) -> None:
    (quantity,) = find_quantities(text, language)
    assert (quantity.low, quantity.high, quantity.unit) == (220e9, 230e9, "EUR")
