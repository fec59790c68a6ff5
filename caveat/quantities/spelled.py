"""Numbers that are written as words: "five million eight hundred and forty thousand"."""

import re
from collections.abc import Iterator

_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SMALL = {word: value for value, word in enumerate(_UNITS)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_NUMERAL = "|".join((*_SMALL, *_SCALES, "hundred"))
_RUN = re.compile(
    rf"\b(?:{'|'.join(_SMALL)}|a\s(?:hundred|thousand|million))\b"
    rf"(?:(?:[\s-]|\sand\s|,\s)(?:{_NUMERAL})\b)*\b",
    re.IGNORECASE,
)


def spelled(text: str) -> Iterator[int]:
    """Find the numbers of an English text that are written as words, in order."""
    for match in _RUN.finditer(text):
        total = part = 0
        for word in re.findall(r"[a-z]+", match[0].casefold()):
            if word in _SMALL:
                part += _SMALL[word]
            elif word == "hundred":
                part = max(1, part) * 100
            elif word in _SCALES:
                total, part = total + max(1, part) * _SCALES[word], 0
        yield total + part
