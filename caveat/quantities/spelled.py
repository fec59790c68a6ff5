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


_ELSEWHERE = {
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn"
    " sechzehn siebzehn achtzehn neunzehn zwanzig",
    "fr": "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
    " dix-sept dix-huit dix-neuf vingt",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince"
    " dieciséis diecisiete dieciocho diecinueve veinte",
    "it": "due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici"
    " quindici sedici diciassette diciotto diciannove venti",
    "nl": "twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien"
    " zestien zeventien achttien negentien twintig",
}
"""From two to twenty: what prose writes out. Larger ones it writes in digits."""
_OF = {
    language: {word: number for number, word in enumerate(words.split(), start=2)}
    for language, words in _ELSEWHERE.items()
}


def spelled(text: str, language: str = "en") -> Iterator[int]:
    """Find the numbers that a text writes as words, in order; up to twenty where not in English."""
    if known := _OF.get(language):
        words = re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)?", text.casefold())
        yield from (known[word] for word in words if word in known)
        return
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
