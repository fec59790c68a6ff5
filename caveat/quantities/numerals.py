"""Numerals as prose writes them: `1,284`, `73.04 ± 1.04`, `67–73`, `3 × 10^5`, `twenty-five`."""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from caveat.quantities.units import SIGNS

# Thousands are told from decimals as English writes them, since ranking texts are English first.
GROUPING = r"[,\u00a0\u202f\u2009’']"  # what stands between groups of three digits

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")

SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
"""Powers of ten that are written as words behind a numeral."""

# A plain space groups digits only where two numbers side by side are unlikely: 12 000, 1 234 567.
_SPACED = r"\d{1,3}(?: \d{3})*(?: \d{3} \d{3}| 000)(?!\d)"
_DIGITS = rf"(?:\d{{1,3}}(?:{GROUPING}\d{{3}})+(?!\d)|{_SPACED}|\d+)(?:\.\d+)?"
_POWER = (
    r"(?:\s?[×x]\s?10(?:\^?\{?[-−–]?\d{1,2}\}?|[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})|[eE][-+]?\d{1,2}(?!\w))?"
)
_SMALL = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen
"""
_UNITS = _SMALL.split()
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SPELT_VALUES = {word: value for value, word in enumerate(_UNITS)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_SPELT = (
    rf"(?i:(?<![\w-])(?:(?:{'|'.join(_TENS)})(?:-(?:{'|'.join(_UNITS[1:10])}))?|a(?=\shundred\b)"
    rf"|{'|'.join(sorted(_UNITS, key=len, reverse=True))})(?:\shundred)?(?!\w))"
)
_NOTE = r"(?:\s?\((?:stat|sys|syst|statistical|systematic|random|total|rand)[^()\n]{0,24}\))?"
_ERROR = rf"\s?(?:±|\+/[-−–]|\+[-−](?=\s?\d)|\\pm)\s?{_DIGITS}{_NOTE}"
_UP = rf"\s?(?:\^\{{)?\+\s?(?P<up>{_DIGITS})\}}?"
_DOWN = rf"\s?(?:/|,\s?)?(?:_\{{)?[-−–]\s?(?P<down>{_DIGITS})\}}?"
_CODES = "|".join(sign for sign in SIGNS if sign.isascii() and sign.isalpha())
_OTHER = "|".join(
    re.escape(sign)
    for sign in sorted(SIGNS, key=len, reverse=True)
    if not (sign.isascii() and sign.isalpha())
)
_CURRENCY = rf"(?<!\w)[A-Z][A-Za-z]{{0,2}}\$|{_OTHER}|(?<!\w)(?:{_CODES})(?=[\s\d])"
"""A letter before "$" says whose dollars they are, be it known or not."""
_NUMERAL = re.compile(
    rf"(?:(?P<currency>{_CURRENCY})\s?)?"
    # Not inside a word, version, address, time or path: SH0ES, 2.36.1, 10.0.0.1, 12:30, a/2.
    r"(?P<sign>(?<![\w)\]^{])[-−+])?(?<![\w.,:/@^_\\#])(?<![A-Za-z)\d][-–−])"
    rf"(?P<digits>{_DIGITS})(?P<power>{_POWER})"
    rf"(?:(?P<errors>(?:{_ERROR})+)|{_UP}{_DOWN}"
    rf"|(?P<range>\s?(?P<dash>[-–—−]|\b(?:to|and)\b)\s?(?P<to>{_DIGITS})(?!\d|[.,:/-]\d)))?"
    r"(?!\d|[.,:/]\d)"
    rf"|(?P<spelt>{_SPELT})"
)
_IN_ERRORS = re.compile(rf"(?:±|[-−–]|\\pm)\s?({_DIGITS})")


class Numeral(NamedTuple):
    """A number as written: `text[start:end]`."""

    start: int
    end: int
    number: float
    low: float  # the lowest value that its uncertainty, range or rounding allows
    high: float
    uncertain: bool = False  # whether an uncertainty is stated
    ranged: bool = False  # whether it is written as a range
    currency: str = ""  # the sign before it, or nothing
    spelt: bool = False  # whether it is written in letters


def find_numerals(text: str) -> Iterator[Numeral]:
    """Find the numerals of a text, in order, without overlaps."""
    position = 0
    while match := _NUMERAL.search(text, position):
        numeral = (
            _parse_spelt_numeral(match)
            if match["spelt"]
            else _apply_sign_and_scale(match, _parse_numeral(text, match))
        )
        position = numeral.end
        before = text[max(0, numeral.start - 5) : numeral.start]
        if not (_GROUP.match(text, numeral.start) and _NUMBER_BEFORE.search(before)):
            yield numeral


_GROUP = re.compile(r"\d{3}(?!\d)")
_NUMBER_BEFORE = re.compile(r"(?<![\w.,])\d{1,3} \Z")
"""Three digits behind a number and a space: "12 345 people" may be 345 people, and hardly is."""


def _parse_spelt_numeral(match: re.Match[str]) -> Numeral:
    words = re.split(r"[\s-]", match["spelt"].lower())
    number = float(sum(_SPELT_VALUES.get(word, 1 if word == "a" else 0) for word in words))
    number *= 100 if words[-1] == "hundred" else 1
    return Numeral(match.start(), match.end(), number, number, number, spelt=True)


def _parse_numeral(text: str, match: re.Match[str]) -> Numeral:
    number = _parse_digits(match["digits"])
    span = match.span()
    if match["errors"]:
        error = math.hypot(*(_parse_digits(found) for found in _IN_ERRORS.findall(match["errors"])))
        numeral = Numeral(*span, number, number - error, number + error, uncertain=True)
    elif match["up"]:
        low, high = number - _parse_digits(match["down"]), number + _parse_digits(match["up"])
        numeral = Numeral(*span, number, low, high, uncertain=True)
    elif match["range"] and _is_range(text, match):
        other = _parse_digits(match["to"])
        numeral = Numeral(*span, (number + other) / 2, number, other, ranged=True)
    else:
        half = _compute_rounding(match["digits"])
        numeral = Numeral(match.start(), match.end("power"), number, number - half, number + half)
    return numeral


def _apply_sign_and_scale(match: re.Match[str], numeral: Numeral) -> Numeral:
    scale = _parse_scale(match["power"])
    number, low, high = (scale * value for value in (numeral.number, numeral.low, numeral.high))
    if match["sign"] in {"-", "−"} and numeral.ranged:  # "-40 to 85 °C"
        low = -low
        number = (low + high) / 2
    elif match["sign"] in {"-", "−"}:
        number, low, high = -number, -high, -low
    return numeral._replace(number=number, low=low, high=high, currency=match["currency"] or "")


_CHANGED = re.compile(
    r"\b(?i:ris(?:e|es|en|ing)|rose|rais\w+|increas\w+|grew|grow\w*|climb\w*|jump\w*|fall(?:s|en|ing)?"
    r"|fell|drop\w*|declin\w+|decreas\w+|reduc\w+|lower(?:s|ed|ing)?|cuts?|cutting|shr[aiu]nk|shrinks"
    r"|chang\w+|went|goes|gone|mov(?:es?|ed)|up|down|improv\w+|extend\w*|expand\w*|doubl\w+|revis\w+"
    r"|correct\w+|slipp\w+|soar\w*|widen\w*|adjust\w*)\b[^.;:]{0,60}\bfrom\s\Z"
)
"""Before two numbers that are no range: a value before and after it changed."""


_YEAR = re.compile(r"1\d{3}|20\d\d")  # what a change itself lasts: "fell from 2010 to 2020"


def is_changed_from(text: str, position: int) -> bool:
    """Tell whether what stands at a position is what something changed from, as "rose from 48"."""
    return _CHANGED.search(text[max(0, position - 100) : position]) is not None


_BETWEEN = re.compile(r"(?i:\bbetween\s(?:about\s|around\s)?)\Z")


def _is_range(text: str, match: re.Match[str]) -> bool:
    if _parse_digits(match["digits"]) >= _parse_digits(match["to"]):
        return False
    are_years = _YEAR.fullmatch(match["digits"]) and _YEAR.fullmatch(match["to"])
    if match["dash"] == "to" and not are_years and is_changed_from(text, match.start()):
        return False
    if match["dash"] != "and":
        return True
    return _BETWEEN.search(text[max(0, match.start() - 20) : match.start()]) is not None


def _parse_digits(digits: str) -> float:
    return float(re.sub(r"[^\d.]", "", digits))


def _compute_rounding(digits: str) -> float:
    """Half of the last written decimal: 1.3 stands for 1.25 to 1.35, 36 for itself alone."""
    _, point, decimals = digits.partition(".")
    return float(0.5 * 10 ** -len(decimals)) if point else 0.0


_MINUS = str.maketrans("−–", "--")


def _parse_scale(power: str) -> float:
    if not power:
        return 1.0
    exponent = re.sub(r"\A(?:\s?[×x]\s?10|[eE])", "", power).strip("^{}")
    return float(10.0 ** int(exponent.translate(SUPERSCRIPTS).translate(_MINUS)))
