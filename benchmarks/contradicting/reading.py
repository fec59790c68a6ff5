"""Numbers as a package writes them, with what their last digit is worth."""

import re

from benchmarks.contradicting.statements import Value

SIGNIFICANT = 3
"""Digits of a whole number that count in any case: in 41,800,000 the zeros fill up, and 3,000 is
not meant to the nearest thousand."""

_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
_LARGE = {"million": 1e6, "billion": 1e9}


def value(written: str, factor: float = 1.0) -> Value:
    """Read one number.

    Args:
        written: with or without thousands separators, exponent, or `million` behind it.
        factor: that turns the written unit into the one that the attribute is compared in.
    """
    found = _NUMBER.match(written)
    if found is None:
        raise ValueError(f"{written!r} does not begin with a number")
    digits = found[0].replace(",", "")
    behind = written[found.end() :].split()
    factor *= _LARGE.get(behind[0].strip(".,;)"), 1.0) if behind else 1.0
    return Value(float(digits) * factor, _step(digits) * factor)


def name(written: str) -> Value:
    """Read a name: letters and digits alone, in lower case, without what stands in brackets."""
    plain = re.sub(r"\([^)]*\)", "", written)
    return Value(name="".join(each for each in plain.casefold() if each.isalnum()))


def _step(digits: str) -> float:
    mantissa, _, exponent = digits.lower().partition("e")
    whole, _, decimals = mantissa.lstrip("-").partition(".")
    scale = 10.0 ** int(exponent or 0)
    if decimals:
        return 10.0 ** -len(decimals) * scale
    filling = len(whole) - len(whole.rstrip("0"))
    return 10.0 ** min(filling, max(0, len(whole) - SIGNIFICANT)) * scale
