"""Numbers: the numerals of a text, as they can be compared.

Spelled-out numbers ("seven", "a dozen") are out of scope: they are words, and words are quoted or
they are not. So are numerals inside names (`H0`, `COVID-19`, `km s-1`): they count nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from caveat.quantities.numerals import GROUPING, SCALES, SUPERSCRIPTS

_LARGEST_EXPONENT = 400
"""Powers of ten beyond any measurement (floats end at 308); larger ones are left as they stand."""

_DIGIT = re.compile(r"\d")
_NUMERAL = re.compile(
    rf"""
    (?P<sign>(?<![\w.)\]%])[-−])?
    (?<![\w.])
    # A numeral of one or two digits glued to a letter is part of a name: COVID-19, km s-1, s^-1.
    (?<![^\W\d_][-−‐‑](?=\d{{1,2}}(?!\d)))(?<!\^[-−])(?<!\^)
    (?P<digits>
        \d+(?:\.\d+){{2,}}                                # a version or a dotted date
      | \d{{1,3}}(?:{GROUPING}\d{{3}})+(?!\d)(?:\.\d+)?
      | \d+(?:\.\d+)?
      | (?<![\w.])\.\d+
    )
    (?:
        [eE](?P<e>[-+−]?\d{{1,4}})(?!\w)
      | \s?[×x*·]\s?10(?:\^?\{{?(?P<power>[-+−]?\d{{1,4}})\}}?|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))
      | (?P<tower>(?<=10)(?:\^\{{?[-+−]?\d{{1,4}}\}}?|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))
    )?
    (?:\s(?P<scale>{"|".join(SCALES)})\b)?
    (?P<percent>\s?(?:%|per\ ?cent\b))?
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True)
class WrittenNumber:
    """One numeral: as it is written, normalised, and where it stands in the text."""

    written: str
    normal: str
    start: int
    end: int


def find_numerals(text: str) -> Iterator[WrittenNumber]:
    """Find the numerals of a plain text, in order."""
    if _DIGIT.search(text) is None:  # as of most sentences: a quarter of the time to look
        return
    for match in _NUMERAL.finditer(text):
        digits = re.sub(GROUPING, "", match["digits"])
        sign = "-" if match["sign"] else ""
        normal = (
            sign
            + _apply_exponent(digits, _parse_exponent(match))
            + ("%" if match["percent"] else "")
        )
        yield WrittenNumber(sign + digits, normal, match.start(), match.end())


def find_numbers(text: str) -> list[str]:
    """Name the numbers in a text, normalised, in order.

    Thousands separators go, the Unicode minus becomes `-`, exponents and "million" are written
    out, "per cent" becomes `%`; a range or a `±` gives its two numerals. Digits stay as they are
    written: `73.0` is not `73`, because precision is part of what a source says.

    Args:
        text: plain text without claim markers.

    Returns:
        One string a numeral, for example `["67.4", "0.5"]` for "67.4 ± 0.5 km/s/Mpc".
    """
    return [numeral.normal for numeral in find_numerals(text)]


def _parse_exponent(match: re.Match[str]) -> int:
    written = match["e"] or match["power"] or match["raised"] or ""
    exponent = int(written.translate(SUPERSCRIPTS).replace("−", "-") or 0)
    if match["tower"]:
        # 10⁵ is one times ten to the fifth, and its digits have said ten already.
        bare = match["tower"].translate(SUPERSCRIPTS).replace("−", "-").strip("^{}")
        exponent += int(bare) - 1
    return exponent + SCALES.get((match["scale"] or "").lower(), 0)


def _apply_exponent(digits: str, exponent: int) -> str:
    if exponent == 0 or abs(exponent) > _LARGEST_EXPONENT or digits.count(".") > 1:
        return digits if exponent == 0 else f"{digits}e{exponent}"
    return f"{Decimal(digits).scaleb(exponent).normalize():f}"
