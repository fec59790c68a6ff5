"""Numbers as other languages and short forms write them: "4,1 Mio." is "4.1 million"."""

import re
from functools import cache

from babel import UnknownLocaleError
from babel.numbers import get_decimal_symbol

_SCALES = {
    "thousand": "thousand tausend tsd mille mil mila duizend",
    "million": "million millions millionen mio millones millón milione milioni miljoen",
    "billion": "billion milliarde milliarden mrd milliard milliards miliardo miliardi miljard",
    "trillion": "trillion",
}
_SCALE_OF = {word: scale for scale, words in _SCALES.items() for word in words.split()}
_SHORT = {"k": "thousand", "m": "million", "mn": "million", "bn": "billion"}
_ANY = "|".join(sorted(_SCALE_OF, key=len, reverse=True))

_SCALED = re.compile(rf"(?<=\d)\s({_ANY})\b\.?", re.IGNORECASE)
_PERCENT = re.compile(
    r"(?<=\d)\s(?:prozent|pour cent|por ciento|per cento|procent)\b", re.IGNORECASE
)
_MONEY = re.compile(r"([£$€]\s?\d[\d.,]*)\s?(k|mn?|bn)\b", re.IGNORECASE)
_GROUPED = re.compile(r"(?<=\d)[.\u00a0\u202f](?=\d{3}(?!\d))")
_COMMA = re.compile(r"(?<=\d),(?=\d)")

_HEAD = re.compile(rf"[£$€]\s?(k|mn?|bn)\b|\b({_ANY})\b|['’]?(?<!\d)000\b", re.IGNORECASE)


def write_english_numbers(text: str, language: str) -> str:
    """Write the numbers of a text as English does, in full."""
    text = _MONEY.sub(lambda found: f"{found[1]} {_SHORT[found[2].lower()]}", text)
    if language == "en":
        return text
    if _find_decimal_sign(language) == ",":
        text = _COMMA.sub(".", _GROUPED.sub("", text))
    text = _SCALED.sub(lambda found: f" {_SCALE_OF[found[1].lower()]}", text)
    return _PERCENT.sub(" per cent", text)


def find_scale(column: str) -> str | None:
    """Say in which scale the cells of a column stand: "thousand" under "(£ thousand)"."""
    found = _HEAD.search(column)
    if found is None:
        return None
    short, word = found[1], found[2]
    return _SHORT[short.lower()] if short else _SCALE_OF[word.lower()] if word else "thousand"


@cache
def _find_decimal_sign(language: str) -> str:
    try:
        return get_decimal_symbol(language)
    except (UnknownLocaleError, ValueError):
        return "."
