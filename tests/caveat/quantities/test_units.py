"""Units are worth what pint says, and currencies are read by the names that CLDR gives them."""

import functools
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from babel import Locale
from pint import UnitRegistry

from caveat.quantities import units
from caveat.quantities.measures import measure
from caveat.quantities.reading import find_quantities
from caveat.quantities.units import SIGNS, SPELLINGS, Kind, find_base_units
from caveat.rules.lines import build_word_list

TABLE = Path(units.__file__).with_suffix(".toml")

PINT: dict[str, str] = {
    "h": "hour", "d": "day", "wk": "week", "mo": "month", "kB": "kilobyte", "B": "byte",
    "kbit": "kilobit", "Mbit": "megabit", "Gbit": "gigabit", "ft": "foot", "mi": "mile",
    "nmi": "nautical_mile", "yd": "yard", "au": "astronomical_unit", "ly": "light_year",
    "t": "metric_ton", "st": "stone", "kt": "kilometric_ton", "Mt": "megametric_ton",
    "Gt": "gigametric_ton", "ha": "hectare", "kn": "knot", "kph": "km/hour", "mph": "mile/hour",
    "gal": "gallon", "imp gal": "imperial_gallon", "bbl": "oil_barrel", "fl oz": "fluid_ounce",
    "acre-ft": "acre_foot", "km²": "km**2", "m²": "m**2", "cm²": "cm**2", "mm²": "mm**2",
    "ft²": "foot**2", "sq mi": "mile**2", "cm³": "cm**3", "m³": "m**3", "km³": "km**3",
    "ft³": "foot**3", "hp": "horsepower", "BTU": "Btu", "inHg": "inch_Hg", "lbf": "force_pound",
    "kgf": "force_kilogram", "dyn": "dyne", "Ci": "curie", "mCi": "millicurie", "°": "degree",
    "arcmin": "arcminute", "arcsec": "arcsecond", "mas": "milliarcsecond", "Da": "dalton",
    "kDa": "kilodalton", "IU": "international_unit", "%": "percent", "kbps": "kilobit/second",
    "Mbps": "megabit/second", "Gbps": "gigabit/second", "rpm": "revolutions_per_minute",
    "lb": "pound", "oz": "ounce", "g": "gram", "T": "tesla", "Torr": "torr", "Å": "angstrom",
    "inch": "inch", "C": "coulomb", "Pa": "pascal", "atm": "atmosphere",
}  # fmt: skip
"""Symbols that pint names otherwise."""

OWN = frozenset(build_word_list("M☉ L☉ R☉ M⊕ R⊕ mag mmag dB σ pp ‰ IU ppb ppt decade gauss"))
"""Of these the factor is one by definition, or pint has none."""


def listed() -> Iterator[tuple[str, float, str]]:
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    for family in table["family"]:
        for symbol, factor, *_ in family["units"] if family["kind"] != "money" else ():
            name = symbol.replace("_", " ")
            if name not in OWN and not name.startswith("°"):
                yield name, factor, family["base"]


@functools.cache
def registry() -> UnitRegistry[float]:
    return UnitRegistry()


@pytest.mark.parametrize(("symbol", "factor", "base"), list(listed()))
def test_a_unit_is_worth_what_pint_says(symbol: str, factor: str, base: str) -> None:
    one = registry().Quantity(1, PINT.get(symbol, symbol))
    worth = one.to(PINT.get(base, base)).magnitude
    # Months are a twelfth of a year, whose days pint counts otherwise than a calendar does.
    assert float(Fraction(factor)) == pytest.approx(worth, rel=1e-3 if base == "yr" else 1e-5)


def test_temperatures_are_what_pint_says() -> None:
    for symbol, name in (("°C", "degC"), ("°F", "degF")):
        base, factor, offset = find_base_units(symbol) or ("", 0.0, 0.0)
        assert base == "K^1"
        told = registry().Quantity(54.3, name).to("kelvin").magnitude
        assert 54.3 * factor + offset == pytest.approx(told)


CURRENCIES = sorted({unit.symbol for unit in SPELLINGS.values() if unit.kind is Kind.MONEY})


def _sign(code: str) -> str:
    """Write what stands before an amount: letters take a space."""
    sign = str(Locale("en").currency_symbols[code])
    return f"{sign} " if sign.isalpha() else sign


@pytest.mark.parametrize("code", CURRENCIES)
def test_a_currency_is_read_by_the_name_that_cldr_gives_it(code: str) -> None:
    english = Locale("en")
    names = english._data["currency_names_plural"][code]  # babel's face has no plurals
    for written in (f"5 {names['other']}", f"{_sign(code)}5", f"{code} 5"):
        (read,) = find_quantities(f"The bill was {written} in all.")
        assert (read.unit, read.number, read.kind) == (code, 5.0, Kind.MONEY)


def test_no_sign_of_another_currency_is_taken_for_a_known_one() -> None:
    for code, sign in Locale("en").currency_symbols.items():
        found = find_quantities(f"The bill was {_sign(code)}5.")
        assert all(read.unit in {code, sign} for read in found), code
    assert SIGNS["$"] == "USD"


@pytest.mark.parametrize(
    ("written", "unit", "number"),
    [
        ("A$5 million", "AUD", 5e6), ("CN¥300", "CNY", 300.0), ("Z$5", "Z$", 5.0),
        ("5 mg/dL", "mg/dL", 5.0), ("3 L☉", "L☉", 3.0), ("3 L⊙", "L☉", 3.0), ("3 L", "L", 3.0),
        ("120 mmHg", "Pa", 15998.6864898), ("30 psi", "Pa", 206842.718795), ("5 kcal", "cal", 5e3),
        ("9.4 T", "T", 9.4), ("3 kN", "N", 3e3), ("20 mSv", "Sv", 0.02), ("412 ppm", "%", 0.0412),
        ("$780 a month", "USD/mo", 780.0), ("780 dollars a month", "USD/mo", 780.0),
        ("12.5 MN", "N", 12.5e6),
    ],
)  # fmt: skip
def test_what_is_written_is_the_unit_that_is_meant(written: str, unit: str, number: float) -> None:
    (read,) = find_quantities(f"It was {written} then.")
    assert read.unit == unit
    assert read.number == pytest.approx(number)


@pytest.mark.parametrize("text", ["Table 3 A shows it.", "A dose of 5 mg/xyz is common."])
def test_part_of_something_else_is_no_quantity(text: str) -> None:
    assert not find_quantities(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 kWh", "3.6 MJ"), ("1 kcal", "4.184 kJ"), ("2 bar", "200 kPa"), ("500 ppm", "0.05%"),
        ("1 Gy", "1000 mGy"), ("100 mg/dL", "1 g/L"),
    ],
)  # fmt: skip
def test_one_amount_in_two_units_is_one(one: str, other: str) -> None:
    a, b = (measure(find_quantities(f"It is {each}.")[0], each) for each in (one, other))
    assert a.agrees_with(b)
