"""Units of measurement: how texts write them, and the one spelling that they are compared in."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What sort of thing a quantity is; it decides which questions the quantity answers."""

    DURATION = "duration"
    DATE = "date"
    MONEY = "money"
    PERCENT = "percent"
    SIZE = "size"
    COUNT = "count"
    MEASURE = "measure"
    NUMBER = "number"


@dataclass(frozen=True)
class Unit:
    """A unit as it was read.

    Attributes:
        kind: what it measures.
        symbol: the normalised unit, for example `km/s/Mpc`, `s`, `B`, `%`.
        factor: multiplies a number in the written unit into one in `symbol`.
    """

    kind: Kind
    symbol: str
    factor: float = 1.0


class _Atom(NamedTuple):
    kind: Kind
    symbol: str
    base: str
    factor: float


def _family(kind: Kind, base: str, members: str) -> dict[str, _Atom]:
    """Read `symbol factor spelling spelling ...;` entries; `_` stands for a space."""
    atoms = {}
    for member in members.split(";"):
        symbol, factor, *spellings = member.split()
        for spelling in (symbol, *spellings):
            atoms[spelling.replace("_", " ")] = _Atom(kind, symbol, base, float(factor))
    return atoms


# Months and years are kept apart from days, because neither is a whole number of them.
_SYMBOLS: dict[str, _Atom] = {
    **_family(Kind.DURATION, "s", "s 1 sec;min 60;h 3600 hr hrs;d 86400;ms 1e-3;ns 1e-9;µs 1e-6"),
    **_family(Kind.DURATION, "yr", "yr 1 yrs;kyr 1e3;Myr 1e6;Gyr 1e9 Gyrs"),
    **_family(Kind.SIZE, "B", "B 1;kB 1e3 KB;MB 1e6;GB 1e9;TB 1e12;PB 1e15"),
    **_family(Kind.SIZE, "B", "KiB 1024;MiB 1048576;GiB 1073741824;TiB 1099511627776"),
    **_family(Kind.SIZE, "bit", "kbit 1e3 kb;Mbit 1e6 Mb;Gbit 1e9 Gb"),
    **_family(Kind.MEASURE, "bit/s", "kbps 1e3 kbit/s;Mbps 1e6 Mbit/s;Gbps 1e9 Gbit/s"),
    **_family(Kind.MEASURE, "m", "m 1;km 1e3;cm 1e-2;mm 1e-3;ft 0.3048"),
    **_family(Kind.MEASURE, "m", "µm 1e-6 μm;nm 1e-9;pm 1e-12;Å 1e-10"),
    **_family(Kind.MEASURE, "pc", "pc 1;kpc 1e3;Mpc 1e6;Gpc 1e9;ly 0.306601"),
    **_family(Kind.MEASURE, "kg", "kg 1;g 1e-3;mg 1e-6;µg 1e-9 μg;t 1e3;lb 0.45359237 lbs"),
    **_family(Kind.MEASURE, "km²", "km² 1 km2 km^2 sq_km;m² 1e-6 m2 m^2 sq_m;ha 1e-2;sq_mi 2.59"),
    **_family(Kind.MEASURE, "L", "L 1 l;mL 1e-3 ml;cm³ 1e-3 cm3 cm^3 cc;m³ 1e3 m3 m^3"),
    **_family(Kind.MEASURE, "m/s", "mph 0.44704;kph 0.2777778"),
    **_family(Kind.MEASURE, "Hz", "Hz 1;kHz 1e3;MHz 1e6;GHz 1e9;THz 1e12"),
    **_family(Kind.MEASURE, "W", "W 1;kW 1e3;MW 1e6;GW 1e9;TW 1e12"),
    **_family(Kind.MEASURE, "Wh", "Wh 1;kWh 1e3;MWh 1e6;GWh 1e9;TWh 1e12"),
    **_family(Kind.MEASURE, "J", "J 1;kJ 1e3;MJ 1e6;GJ 1e9"),
    **_family(Kind.MEASURE, "eV", "eV 1;keV 1e3;MeV 1e6;GeV 1e9;TeV 1e12"),
    **_family(Kind.MEASURE, "V", "V 1;mV 1e-3;kV 1e3"),
    **_family(Kind.MEASURE, "Pa", "Pa 1;hPa 100;kPa 1e3;MPa 1e6;GPa 1e9;mbar 100;atm 101325"),
    **_family(Kind.MEASURE, "mol", "mol 1;mmol 1e-3"),
    **_family(Kind.MEASURE, "Da", "Da 1 u amu;kDa 1e3"),
    **_family(Kind.MEASURE, "K", "K 1;mK 1e-3;µK 1e-6 μK"),
    **_family(Kind.MEASURE, "°C", "°C 1 ℃"),
    **_family(Kind.MEASURE, "°F", "°F 1 ℉"),
    **_family(Kind.MEASURE, "°", "° 1 deg;arcmin 1.66667e-2;arcsec 2.77778e-4;mas 2.77778e-7"),
    **_family(Kind.NUMBER, "σ", "σ 1"),
    **_family(Kind.MEASURE, "mag", "mag 1;mmag 1e-3"),
    **_family(Kind.MEASURE, "dB", "dB 1"),
    **_family(Kind.MEASURE, "M☉", "M☉ 1 M⊙ Msun"),
    **_family(Kind.PERCENT, "%", "% 1;‰ 0.1"),
    **_family(Kind.MONEY, "EUR", "EUR 1 €"),
    **_family(Kind.MONEY, "USD", "USD 1"),
    **_family(Kind.MONEY, "GBP", "GBP 1"),
    **_family(Kind.MONEY, "JPY", "JPY 1"),
    **_family(Kind.MONEY, "CHF", "CHF 1"),
}  # fmt: skip
"""Case matters here: `m` is a metre, `MB` is not `Mb`."""

_WORDS: dict[str, str] = {
    word.replace("_", " "): symbol
    for symbol, words in {
        "s": "second seconds secs",
        "min": "minute minutes mins",
        "h": "hour hours",
        "d": "day days",
        "ms": "millisecond milliseconds",
        "µs": "microsecond microseconds",
        "ns": "nanosecond nanoseconds",
        "yr": "year years",
        "Myr": "megayear megayears",
        "Gyr": "gigayear gigayears",
        "B": "byte bytes",
        "kB": "kilobyte kilobytes",
        "MB": "megabyte megabytes",
        "GB": "gigabyte gigabytes",
        "TB": "terabyte terabytes",
        "bit": "bit bits",
        "m": "metre metres meter meters",
        "km": "kilometre kilometres kilometer kilometers",
        "cm": "centimetre centimetres centimeter centimeters",
        "mm": "millimetre millimetres millimeter millimeters",
        "nm": "nanometre nanometres nanometer nanometers",
        "Å": "angstrom angstroms ångström ångströms ångstrom ångstroms",
        "mi": "mile miles",
        "inch": "inch inches",
        "ft": "foot feet",
        "pc": "parsec parsecs",
        "kpc": "kiloparsec kiloparsecs",
        "Mpc": "megaparsec megaparsecs",
        "Gpc": "gigaparsec gigaparsecs",
        "ly": "light-year light-years light_year light_years",
        "kg": "kilogram kilograms kilogramme kilogrammes kilo kilos",
        "g": "gram grams gramme grammes",
        "mg": "milligram milligrams",
        "t": "tonne tonnes ton tons",
        "lb": "pound_weight",
        "km²": "square_kilometre square_kilometres square_kilometer square_kilometers",
        "cm³": "cubic_centimetre cubic_centimetres cubic_centimeter cubic_centimeters",
        "m³": "cubic_metre cubic_metres cubic_meter cubic_meters",
        "m²": "square_metre square_metres square_meter square_meters",
        "sq_mi": "square_mile square_miles",
        "ha": "hectare hectares",
        "acre": "acre acres",
        "L": "litre litres liter liters",
        "mL": "millilitre millilitres milliliter milliliters",
        "Hz": "hertz",
        "W": "watt watts",
        "kW": "kilowatt kilowatts",
        "MW": "megawatt megawatts",
        "GW": "gigawatt gigawatts",
        "kWh": "kilowatt-hour kilowatt-hours",
        "J": "joule joules",
        "kJ": "kilojoule kilojoules",
        "eV": "electronvolt electronvolts electron_volt electron_volts",
        "mol": "mole moles",
        "Da": "dalton daltons",
        "pm": "picometre picometres picometer picometers",
        "Pa": "pascal pascals",
        "kPa": "kilopascal kilopascals",
        "GPa": "gigapascal gigapascals",
        "atm": "atmosphere atmospheres",
        "V": "volt volts",
        "K": "kelvin kelvins",
        "°C": "degrees_celsius degree_celsius",
        "°F": "degrees_fahrenheit degree_fahrenheit",
        "°": "degree degrees",
        "arcsec": "arcsecond arcseconds",
        "arcmin": "arcminute arcminutes",
        "σ": "sigma",
        "mag": "magnitude magnitudes mags",
        "dB": "decibel decibels",
        "M☉": "solar_mass solar_masses",
        "%": "percent per_cent",
        "pp": "percentage_point percentage_points",
        "wk": "week weeks",
        "mo": "month months",
        "decade": "decade decades",
        "century": "century centuries",
        "USD": "dollar dollars us_dollar us_dollars",
        "EUR": "euro euros",
        "GBP": "pound pounds pounds_sterling",
        "JPY": "yen",
        "CHF": "swiss_franc swiss_francs",
    }.items()
    for word in words.split()
}

# Units that have words but no symbol that is safe in prose ("in", "mo").
_SPELT: dict[str, _Atom] = {
    **_family(Kind.DURATION, "s", "wk 604800"),
    **_family(Kind.DURATION, "yr", "mo 0.0833333333;decade 10;century 100"),
    **_family(Kind.SIZE, "bit", "bit 1"),
    **_family(Kind.MEASURE, "m", "mi 1609.344;inch 0.0254"),
    **_family(Kind.MEASURE, "km²", "acre 0.0040468564"),
    **_family(Kind.PERCENT, "pp", "pp 1"),
}


def _alternatives(spellings: dict[str, str] | dict[str, _Atom]) -> str:
    longest_first = sorted(spellings, key=len, reverse=True)
    return "|".join(re.escape(spelling).replace(r"\ ", r"\s") for spelling in longest_first)


# LaTeX writes s$^{-1}$, and text taken from a PDF may leave a space before the minus.
_EXPONENT = r"(?:\$?\^?\{?(?:\s?(?P<minus>[-−⁻]))?(?P<power>[1-4¹²³⁴])\}?\$?)?"
_ATOM = re.compile(
    rf"(?:(?P<symbol>{_alternatives(_SYMBOLS)})|(?P<word>(?i:{_alternatives(_WORDS)})))"
    rf"{_EXPONENT}(?![A-Za-zµ\d]|[-−]\d)"
)
_JOINT = re.compile(r"(?P<per>\s?/\s?|\sper\s|\sa\s|\san\s|\seach\s)|\s?[·⋅]\s?|[\s~]|\\,|")
_TIMES = re.compile(r"\s?[·⋅*]\s?|[\s~]")
_SUPERSCRIPT = str.maketrans("¹²³⁴", "1234")


class _Factor(NamedTuple):
    atom: _Atom
    power: int
    end: int


def unit_at(text: str, position: int) -> tuple[Unit, int] | None:
    """Read the unit that begins at a position.

    `km/s/Mpc`, `km s^-1 Mpc^-1`, `km s⁻¹ Mpc⁻¹` and `kilometres per second per megaparsec` are the
    same unit. A unit of one part is brought to the base of its family (hours to seconds); one of
    several parts is only spelt alike, since readers know `km/s/Mpc` and not its base.

    Args:
        text: where to read.
        position: where the unit begins.

    Returns:
        The unit and the offset behind it, or None when there is no unit.
    """
    factors = _factors(text, position)
    if not factors:
        return None
    end = factors[-1].end
    if len(factors) == 1 and factors[0].power == 1:
        atom = factors[0].atom
        return Unit(atom.kind, atom.base, atom.factor), end
    return Unit(_compound_kind(factors), _spell(factors)), end


def _factors(text: str, position: int) -> list[_Factor]:
    factors: list[_Factor] = []
    while True:
        joint = _JOINT.match(text, position) if factors else None
        start = joint.end() if joint else position
        if joint is not None and joint["per"] and text[start : start + 1] == "(":
            return factors + _bracketed(text, start)
        match = _ATOM.match(text, start)
        if match is None:
            return factors
        factor = _factor(match, inverted=bool(joint and joint["per"]))
        # Only a negative power goes on without a slash: "5 km s-1", but not "5 m h".
        if joint is not None and not joint["per"] and factor.power > 0:
            return factors
        factors.append(factor)
        position = factor.end


def _bracketed(text: str, opening: int) -> list[_Factor]:
    """Read `(g·K)` behind a slash; the last factor ends behind the bracket."""
    factors: list[_Factor] = []
    position = opening + 1
    while match := _ATOM.match(text, position):
        factors.append(_factor(match, inverted=True))
        position = match.end()
        if text[position : position + 1] == ")":
            return [*factors[:-1], factors[-1]._replace(end=position + 1)]
        joint = _TIMES.match(text, position)
        position = joint.end() if joint else len(text)
    return []


def _factor(match: re.Match[str], *, inverted: bool) -> _Factor:
    power = int((match["power"] or "1").translate(_SUPERSCRIPT)) * (-1 if match["minus"] else 1)
    if match["symbol"]:
        atom = _SYMBOLS[match["symbol"]]
    else:
        symbol = _WORDS[re.sub(r"\s", " ", match["word"].lower())]
        atom = _SYMBOLS.get(symbol.replace("_", " ")) or _SPELT[symbol]
    return _Factor(atom, -power if inverted else power, match.end())


def _compound_kind(factors: list[_Factor]) -> Kind:
    return Kind.MONEY if factors[0].atom.kind is Kind.MONEY else Kind.MEASURE


def _spell(factors: list[_Factor]) -> str:
    above = "·".join(_raised(factor) for factor in factors if factor.power > 0)
    below = "".join(f"/{_raised(factor)}" for factor in factors if factor.power < 0)
    return f"{above or '1'}{below}"


def _raised(factor: _Factor) -> str:
    power = abs(factor.power)
    return factor.atom.symbol.replace("_", " ") + ("" if power == 1 else "¹²³⁴"[power - 1])


def comparable(symbol: str) -> tuple[str, float, float] | None:
    """Bring a unit to base units, so that g/cm³ and kg/m³, °C and K can be compared.

    Args:
        symbol: a normalised unit, as `Unit.symbol` spells it.

    Returns:
        The base units, and the factor and the offset that turn a number in `symbol` into one in
        them; None for what is no unit of measurement, such as a noun that is counted.
    """
    factors = _factors(symbol, 0)
    if not factors or factors[-1].end != len(symbol):
        return None
    if len(factors) == 1 and symbol in _TEMPERATURES:
        return _TEMPERATURES[symbol]
    scale = 1.0
    powers: dict[str, int] = {}
    for factor in factors:
        root, power, worth = _ROOTS.get(factor.atom.base, (factor.atom.base, 1, 1.0))
        scale *= (factor.atom.factor * worth) ** factor.power
        powers[root] = powers.get(root, 0) + power * factor.power
    spelt = "·".join(f"{root}^{power}" for root, power in sorted(powers.items()) if power)
    return spelt, scale, 0.0


_TEMPERATURES = {"K": ("K^1", 1.0, 0.0), "°C": ("K^1", 1.0, 273.15),
                 "°F": ("K^1", 5 / 9, 273.15 - 32 * 5 / 9)}  # fmt: skip
"""The scales of temperature have zeros of their own, which a factor cannot express."""

_ROOTS = {"L": ("m", 3, 1e-3), "km²": ("m", 2, 1e6), "Da": ("", 0, 1.0)}
"""Bases that are powers of another: base, power, and what one is worth. Relative masses of atoms
are given in daltons or without a unit."""
