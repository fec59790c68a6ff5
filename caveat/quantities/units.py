"""Units of measurement: how texts write them, and the one spelling that they are compared in."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

from babel import Locale, UnknownLocaleError
from babel.core import get_global
from babel.numbers import (
    get_currency_name,
    get_currency_symbol,
    get_territory_currencies,
    list_currencies,
)
from babel.units import format_unit


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
    """A unit as it was read."""

    kind: Kind
    symbol: str  # the normalised unit, for example `km/s/Mpc`, `s`, `B`, `%`
    factor: float = 1.0  # multiplies a number in the written unit into one in `symbol`


class _Atom(NamedTuple):
    kind: Kind
    symbol: str
    base: str
    factor: float


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

_UNSAFE = "-"
"""In place of symbols: that of the unit is not safe in prose, and only its words are read."""


def _split_spellings(spellings: str) -> list[str]:
    return [spelling.replace("_", " ") for spelling in spellings.split()]


def _read_tables() -> tuple[dict[str, _Atom], dict[str, _Atom], dict[str, str]]:
    """Read the symbols, in which case matters, the words, and the signs of currencies."""
    symbols: dict[str, _Atom] = {}
    words: dict[str, _Atom] = {}
    signs: dict[str, str] = {}
    for family in _TABLE["family"]:
        for symbol, factor, others, spelt in family["units"]:
            name = symbol.replace("_", " ")
            atom = _Atom(Kind(family["kind"]), name, family["base"], float(Fraction(factor)))
            if others != _UNSAFE:
                symbols.update(dict.fromkeys([name, *_split_spellings(others)], atom))
            words.update(dict.fromkeys(map(str.lower, _split_spellings(spelt)), atom))
    for code, (written, spelt) in _TABLE["currencies"].items():
        atom = _Atom(Kind.MONEY, code, code, 1.0)
        signs.update(dict.fromkeys([code, *_split_spellings(written)], code))
        behind = [sign for sign in _split_spellings(written) if "$" not in sign and sign != "£"]
        symbols.update(dict.fromkeys([code, *behind], atom))
        words.update(dict.fromkeys(map(str.lower, _split_spellings(spelt)), atom))
    return symbols, words, signs


_SYMBOLS, _WORDS, _SIGNS = _read_tables()

# Alone, a sign that several countries share means the currency that is traded most.
SIGNS: Mapping[str, str] = {**_SIGNS, "$": "USD", "£": "GBP", "¥": "JPY", "€": "EUR"}
"""What stands before an amount of money, and the code of its currency."""


def _build_unit(atom: _Atom) -> Unit:
    return Unit(atom.kind, atom.base, atom.factor)


SPELLINGS: Mapping[str, Unit] = {
    spelling: _build_unit(atom) for spelling, atom in {**_WORDS, **_SYMBOLS}.items()
}
"""Every way to write a unit of one part, and what is meant by it."""


def _build_alternatives(spellings: Iterable[str]) -> str:
    longest_first = sorted(spellings, key=len, reverse=True)
    return "|".join(re.escape(spelling).replace(r"\ ", r"\s") for spelling in longest_first)


# LaTeX writes s$^{-1}$, and text taken from a PDF may leave a space before the minus.
_EXPONENT = r"(?:\$?\^?\{?(?:\s?(?P<minus>[-−⁻]))?(?P<power>[1-4¹²³⁴])\}?\$?)?"
_ATOM = re.compile(
    rf"(?:(?P<symbol>{_build_alternatives(_SYMBOLS)})|(?P<word>(?i:{_build_alternatives(_WORDS)})))"
    # neither within a word, nor elided: "d'euros"
    rf"{_EXPONENT}(?![A-Za-zµÀ-ÖØ-öø-ɏЀ-ӿ\d☉⊙⊕]|[-−]\d|\.\d|['’][^\W\d_])"
)
_JOINT = re.compile(
    r"(?P<per>\s?/\s?|\sper\s|\san?\s(?!\w+\s(?:later|earlier|ago|before|after)\b)|\seach\s)"
    r"|(?P<more>\s(?:and|und|et|y|e|en)\s)"
    r"|\s?[·⋅]\s?|[\s~]|\\,|"
)
_SUPERSCRIPT = str.maketrans("¹²³⁴", "1234")


_UNKNOWN = re.compile(r"/(?:[^\W\d_]|\()")
"""Behind a unit that is divided by one that is not known: milligrams of what?"""


class _Factor(NamedTuple):
    atom: _Atom
    power: int
    end: int


def read_unit(text: str, position: int) -> tuple[Unit, int] | None:
    """Read the unit that begins at a position."""
    # `km/s/Mpc`, `km s^-1 Mpc^-1`, `km s⁻¹ Mpc⁻¹` and `kilometres per second per megaparsec` are
    # the same unit. A unit of one part is brought to the base of its family (hours to seconds); one
    # of several parts is only spelt alike, since readers know `km/s/Mpc` and not its base.
    factors = _parse_factors(text, position)
    if not factors:
        return None
    end = factors[-1].end
    if _UNKNOWN.match(text, end):
        return None
    if len(factors) == 1 and factors[0].power == 1:
        return _build_unit(factors[0].atom), end
    kind = Kind.MONEY if factors[0].atom.kind is Kind.MONEY else Kind.MEASURE
    return Unit(kind, _spell(factors)), end


_GAP = re.compile(r"(?:[\s\u00a0\u202f~]|\\,|[-‑])?")


def find_unit(text: str, position: int, language: str = "en") -> tuple[Unit, int] | None:
    """Read the unit of a number that ends at a position, and say where it ends itself."""
    gap = _GAP.match(text, position)
    start = gap.end() if gap else position
    read = read_unit(text, start)
    if language != "en":
        read = read_foreign_unit(text, start, language) or read
    # "the 1990s" are years, not seconds.
    is_decade = (
        read and start == position and text[start - 1] == "0" and text[start : read[1]] == "s"
    )
    return None if is_decade else read


_PER = dict.fromkeys(("je", "pro", "par", "por", "le", "la", "el", "al"), "per")
_PER |= dict.fromkeys(("à l’", "à l'", "all’", "all'"), "per ")
_LONGEST = 60  # characters that a unit in words has at most


def read_foreign_unit(text: str, position: int, language: str) -> tuple[Unit, int] | None:
    """Read the unit that begins at a position in the words of a language: "kWh je Kilometer"."""
    written, ends = "", dict[int, int]()
    pieces, names = _load_names(language)
    for piece in pieces.finditer(text, position, position + _LONGEST):
        written += names.get(piece[0].lower()) or piece[0]
        ends[len(written)] = piece.end()
    read = read_unit(written, 0)
    return (read[0], ends[read[1]]) if read and read[1] in ends else None


def translate_units(text: str, language: str, *, are_compounds: bool = False) -> str:
    """Write the units of a text in English: "kWh per kilometer" of "kWh je Kilometer".

    Args:
        are_compounds: whether a word that ends in one is taken for it: the days of "Sperrtage".
    """
    pieces, names = _load_names(language)

    def translate(piece: str) -> str:
        word = piece.lower()
        tails = [word[at:] for at in range(1, len(word) - _TAIL + 1)] if are_compounds else []
        named = (names.get(tail, tail) for tail in tails if tail in names or tail in _WORDS)
        return names.get(word) or (piece if word in _WORDS else next(named, piece))

    return "".join(map(translate, pieces.findall(text)))


_TAIL = 4  # letters of a unit at a word's end, at least


@cache
def _load_names(language: str) -> tuple[re.Pattern[str], Mapping[str, str]]:
    """Load the English name of each unit that a language calls otherwise (CLDR).

    Returns:
        What parts a text into such names, words and signs; and the names in small letters.
    """
    names = dict(_PER)
    with suppress(UnknownLocaleError, ValueError):
        locale = Locale.parse(language)
        names |= {**dict(_read_currencies(locale)), **dict(_read_names(locale))}
    return re.compile(rf"(?i:{_build_alternatives(names)})\b|\w+|\W"), names


def _read_currencies(locale: Locale) -> Iterator[tuple[str, str]]:
    """Yield what a language calls currencies, after CLDR, each with its code.

    A noun of several is its country's own, or the dollar or pound that is traded most.
    """
    country = str(get_global("likely_subtags").get(locale.language, "")).rpartition("_")[2]
    own = get_territory_currencies(country)
    nouns: dict[str, set[str]] = {}
    for code, count in product(list_currencies(locale), _COUNTS):
        name = get_currency_name(code, count, locale).lower()
        if code in SIGNS:
            yield name, code
        for noun in name.split()[:: max(1, name.count(" "))]:
            nouns.setdefault(noun, set()).add(code)
    for noun, codes in nouns.items():
        meant = [code for code in (*own, "USD", "GBP") if code in codes & SIGNS.keys()]
        if meant and len({code[:2] for code in codes}) > 1:  # "svenska" is of one country alone
            yield noun, meant[0]
    yield from ((get_currency_symbol(each, locale).lower().rstrip("."), each) for each in own)


def _read_names(locale: Locale) -> Iterator[tuple[str, str]]:
    for unit in sorted(Locale("en").unit_display_names.keys() & locale.unit_display_names.keys()):
        for count in _COUNTS:
            name, own = _name_unit(unit, count, "en"), _name_unit(unit, count, locale)
            yield from _match_names(name, own)


_COUNTS = (1, 2, 5)  # that have forms of their own: "tydzień", "tygodnie", "tygodni"


def _match_names(name: str, own: str) -> Iterator[tuple[str, str]]:
    """Yield a unit's name in another language, also without its hyphen, and the English one."""
    known = _WORDS.get(name.lower())
    own = own.lower()
    plural = f"{own}n" if own.endswith(("er", "el")) else own  # "Metern": of cases CLDR has one
    for spelling in {own, plural, own.replace("-", "")} - _WORDS.keys():
        if known is not None and known.kind is not Kind.MONEY and spelling:
            yield spelling, name


def _name_unit(unit: str, count: int, locale: Locale | str) -> str:
    # A language whose long name is its short one has that alone: "uur", "giorni".
    names = (
        format_unit(count, unit, length, locale=locale).removeprefix(str(count)).strip()
        for length in ("long", "short")
    )
    return next((name for name in names if name != unit), "")


def read_currency(text: str, end: int, sign: str, language: str = "en") -> tuple[Unit, int]:
    """Read the unit of an amount that ends at a position and has a sign before it: "$780 a month".

    Returns:
        The unit and where it ends.
    """
    code = SIGNS.get(sign, sign)
    amount = f"{code}{text[end : end + _LONGEST]}"
    rate = read_unit(amount, 0) if language == "en" else read_foreign_unit(amount, 0, language)
    if rate is not None and rate[0].symbol != code:
        return rate[0], end + rate[1] - len(code)
    return Unit(Kind.MONEY, code), end


def _parse_factors(text: str, position: int) -> list[_Factor]:
    factors: list[_Factor] = []
    while True:
        joint = _JOINT.match(text, position) if factors else None
        start = joint.end() if joint else position
        match = _ATOM.match(text, start)
        if match is None:
            return factors
        is_below = bool(joint and (joint["per"] or joint["more"]))
        if joint and joint["more"] and factors[-1].power > 0:  # "per square metre and month"
            return factors
        factor = _parse_factor(match, inverted=is_below)
        # Only a negative power follows without a slash or a dot: "5 km s-1", but not "5 m h".
        is_product = joint is not None and joint[0].strip() in {"·", "⋅"}
        if joint is not None and not is_below and factor.power > 0 and not is_product:
            return factors
        factors.append(factor)
        position = factor.end


def _parse_factor(match: re.Match[str], *, inverted: bool) -> _Factor:
    power = int((match["power"] or "1").translate(_SUPERSCRIPT)) * (-1 if match["minus"] else 1)
    if match["symbol"]:
        atom = _SYMBOLS[match["symbol"]]
    else:
        atom = _WORDS[re.sub(r"\s", " ", match["word"].lower())]
    return _Factor(atom, -power if inverted else power, match.end())


def _spell(factors: list[_Factor]) -> str:
    above = "·".join(_format_factor(factor) for factor in factors if factor.power > 0)
    below = "".join(f"/{_format_factor(factor)}" for factor in factors if factor.power < 0)
    return f"{above or '1'}{below}"


def _format_factor(factor: _Factor) -> str:
    power = abs(factor.power)
    return factor.atom.symbol + ("" if power == 1 else "¹²³⁴"[power - 1])


def convert_to_base(number: float, symbol: str) -> float:
    """Return a number in base units; itself where it has no unit of measurement."""
    _, factor, offset = find_base_units(symbol) or ("", 1.0, 0.0)
    return number * factor + offset


def find_base_units(symbol: str) -> tuple[str, float, float] | None:
    """Bring a unit to base units, so that g/cm³ and kg/m³, °C and K can be compared.

    Returns:
        The base units, and the factor and the offset that turn a number in `symbol` into one in
        them; None for what is no unit of measurement, such as a noun that is counted.
    """
    factors = _parse_factors(symbol, 0)
    if not factors or factors[-1].end != len(symbol):
        return None
    if len(factors) == 1 and symbol in _TEMPERATURES:
        return _TEMPERATURES[symbol]
    scale = 1.0
    powers: dict[str, int] = {}
    for factor in factors:
        roots, worth = _ROOTS.get(factor.atom.base, ({factor.atom.base: 1}, 1.0))
        scale *= (factor.atom.factor * worth) ** factor.power
        for root, power in roots.items():
            powers[root] = powers.get(root, 0) + power * factor.power
    spelt = "·".join(f"{root}^{power}" for root, power in sorted(powers.items()) if power)
    return spelt, scale, 0.0


def are_comparable(symbol: str, other: str) -> bool:
    """Tell whether numbers in two normalised units can be held against each other."""
    if symbol == other:
        return True
    one, two = find_base_units(symbol), find_base_units(other)
    return one is not None and two is not None and one[0] == two[0]


_TEMPERATURES = {"K": ("K^1", 1.0, 0.0), "°C": ("K^1", 1.0, 273.15),
                 "°F": ("K^1", 5 / 9, 273.15 - 32 * 5 / 9)}  # fmt: skip
"""The scales of temperature have zeros of their own, which a factor cannot express."""

_ENERGY = {"kg": 1, "m": 2, "s": -2}
_ROOTS: Mapping[str, tuple[Mapping[str, int], float]] = {
    "L": ({"m": 3}, 1e-3), "km²": ({"m": 2}, 1e6), "Da": ({}, 1.0),
    "N": ({"kg": 1, "m": 1, "s": -2}, 1.0), "Pa": ({"kg": 1, "m": -1, "s": -2}, 1.0),
    "W": ({"kg": 1, "m": 2, "s": -3}, 1.0), "J": (_ENERGY, 1.0), "Wh": (_ENERGY, 3600.0),
    "cal": (_ENERGY, 4.184), "eV": (_ENERGY, 1.602176634e-19),
}  # fmt: skip
"""Bases that are made of others, and what one is worth in them. Relative masses of atoms are given
in daltons or without a unit."""
