"""The lexer of numerals: every number of a text with its value, sign, scale and unit.

It reads digits in any script and grouping, exponents, fractions, scales, percentages, signs and
accounting brackets, dates, times, quarters and numbers in words. It fails closed: of what it cannot
read fully it says so, and such a numeral stands for nothing but itself.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from itertools import zip_longest
from typing import Literal, NamedTuple
from unicodedata import numeric

from babel import Locale, UnknownLocaleError
from text_to_num import find_numbers as find_spelt_numbers

from caveat.quantities.dates import find_dates, read_clock
from caveat.quantities.units import SIGNS, SPELLINGS, Kind, read_unit

PERCENT, POINTS, ORDINAL, FRACTION, TIMES = "%", "pp", "th", "/", "×"
DATE, CLOCK = "date", "time"
UNKNOWN = "?"
"""The decimal mark of a document that does not tell: 1.234 is not fully read there."""

_UNREAD = Decimal("NaN")


class Numeral(NamedTuple):
    """A number as a text writes it: `text[start:end]`, its sign, scale and percent sign with it."""

    start: int
    end: int
    value: Decimal  # sign and scale applied, its digits kept: 73.0 is not 73; NaN: see `is_read`
    written: str  # its digits on their own, or an ISO date or time
    unit: str = ""  # one of those above; what it measures or counts is not part of the numeral
    currency: str = ""  # the sign or code before it
    scale: int = 0  # the power of ten that is written behind it, as 6 of "million"
    is_spelt: bool = False  # whether it is written in letters
    body: int = 0  # where its digits and scale end, and its percent sign or ending begins

    @property
    def is_read(self) -> bool:
        """Whether it is fully read; else it stands for its own digits alone."""
        return not self.value.is_nan()

    @property
    def key(self) -> str:
        """What it is compared by; a numeral that is not fully read by its own digits alone."""
        if not self.is_read or self.unit in {DATE, CLOCK}:
            return self.written + (f"e{self.scale}" if self.scale else "")
        plain = f"{self.value.normalize() if self.scale else self.value:f}"
        return plain + self.unit if self.unit in {PERCENT, POINTS, ORDINAL} else plain

    @property
    def place(self) -> int:
        """The power of ten of the last digit that it is written to; 0 where it is not read."""
        exponent = self.value.as_tuple().exponent
        return exponent if isinstance(exponent, int) else 0


# ---------------------------------------------------------------------------- how digits are set

_SPACES = " \u00a0\u202f\u2009\u2007\u2008"
_QUOTES = "'’"
_SPACE, _BREAK = re.compile(rf"[{_SPACES}]"), re.compile(rf"[{_SPACES}{_QUOTES}]")
_NO_DIGIT = re.compile(r"\D")
_PLAIN = str.maketrans({"٫": ".", "．": ".", "٬": ",", "，": ","})
_DIGITS = re.compile(
    rf"(?:\d{{1,3}}(?:[{_SPACES}{_QUOTES}]\d{{3}}(?!\d))+|\d+(?:[.,٫٬．，]\d+)*)(?:[.,٫．]\d+)?"
)
_OPEN_DATE = re.compile(r"\d{1,2}([/.-])\d{1,2}\1(?:\d\d){1,2}(?![\d/-])|\d+(?:\.\d+){2,}")
"""Digits that may be days first or months first, or the number of a version."""
_VULGAR = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅒"
_PARTS = {
    char: Decimal(part.numerator) / part.denominator
    for char in _VULGAR
    for part in [Fraction(numeric(char)).limit_denominator(10)]
}
_NEXT = re.compile(rf"\d|[{_VULGAR}]")
_GROUPED = re.compile(r"\d{1,3}(?:\D\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}")  # thousands, or lakhs


def find_decimal_mark(document: str, language: str | None = None) -> str:
    """Say which mark a document writes before decimals: "." or ","; empty where nothing tells.

    Args:
        document: as much as there is of it. Its numerals decide where its language is not known:
            beside "multa de 6.000 euros" stand "artículo 80.1", "versión 2.0" and "49.4%".
    """
    if language and (mark := _load_mark(language)):
        return mark
    marks = {_find_own_mark(match[0]) for match in _DIGITS.finditer(document)} - {""}
    return marks.pop() if len(marks) == 1 else ""


@lru_cache(maxsize=1 << 12)
def _find_own_mark(digits: str) -> str:
    """The decimal mark that a numeral shows by itself: 4,20 and 1.234,56 do, 1.234 does not."""
    marks = [char for char in digits if char in ".,"]
    if len(set(marks)) == 2 and marks.count(marks[-1]) == 1:
        return marks[-1]
    if len(marks) > 1:
        return {",": ".", ".": ","}[marks[0]] if _GROUPED.fullmatch(digits) else ""
    if not marks or _BREAK.search(digits):
        return marks[0] if marks else ""
    whole, _, decimals = digits.partition(marks[0])
    return "" if len(decimals) == 3 and len(whole) < 4 and whole != "0" else marks[0]


@cache
def _load_mark(language: str) -> str:
    try:
        return str(Locale.parse(language).number_symbols["latn"]["decimal"])
    except (UnknownLocaleError, ValueError, KeyError):
        return ""


def _parse_digits(written: str, mark: str) -> Decimal | None:
    """The value of digits with what groups and divides them; None where they may be two numbers."""
    if written.isdigit():
        return Decimal(written)
    if not written.isascii():
        written = written.translate(_PLAIN)
    bare = _BREAK.sub("_", written)
    marks = "".join(char for char in bare if char in ".,")
    own = _find_own_mark(written)
    if len(marks) > 1 and len(set(marks)) == 1:
        is_grouped = _GROUPED.fullmatch(bare) and marks[0] != mark
        return Decimal(_NO_DIGIT.sub("", bare)) if is_grouped else None
    if marks and not own:
        if marks == "." and mark not in {".", ","}:
            return None  # 1.234 or 1,234, in a text that does not tell
        own = mark if marks == mark else " "
    elif marks and mark == "." and own == "," and len(marks) == 1:
        return None  # "4,1" where decimals stand behind a point
    whole, _, decimals = bare.partition(own) if marks else (bare, "", "")
    if not whole.isdigit() and not _GROUPED.fullmatch(whole):
        return None
    if len({char for char in whole if not char.isdigit()}) > 1 or not (decimals or "0").isdigit():
        return None
    return Decimal(_NO_DIGIT.sub("", whole) + (f".{decimals}" if decimals else ""))


# ---------------------------------------------------------------------------- scales and percent

_SCALE_WORDS = {
    -2: "cent cents ct centime centimes céntimo céntimos centesimi",  # of any currency
    2: "hundred hundreds hundert centaines",
    3: "thousand thousands tausend tsd mille milliers mila migliaia duizend",
    5: "lakh lakhs lac",
    6: "million millions millionen mio millones millón milione milioni miljoen",
    7: "crore crores",
    9: "billion billions milliarde milliarden mrd md mds milliard milliards miliardo miliardi "
    "miljard",
    12: "trillion trillions",
}
_SCALES = {word: power for power, words in _SCALE_WORDS.items() for word in words.split()}
"""Powers of ten that are words behind a numeral in any text, as Swiss English has Mio."""

_BIG = re.compile(r"\s?([TkM])(?=€|(?:EUR|CHF|SEK|NOK|DKK|kr)\b)")  # "450 kEUR", "5 Mkr"
_LETTERS = {"T": 3, "k": 3, "K": 3, "M": 6, "m": 6, "mn": 6, "b": 9, "B": 9, "bn": 9, "tn": 12}
_RUNS = {"万": 4, "萬": 4, "億": 8, "亿": 8, "兆": 12}
_LETTER = re.compile(
    r"(?P<sure>\s?(?:bn|mn|tn)|[kM]|\s[kM](?=\t|\Z))(?![\w^-])"  # a cell "39 M"
    r"|(?P<other>\s?[mbB]|K)(?![\w/^-])"
)
_PLURAL = re.compile(r"\s(?:[a-z]{3,}s|people|men|women|children)\b")

_SHARE = re.compile(
    r"\s?(?P<pp>p\.\s?p\.|(?:percentage[\s-]points?|pp|Prozentpunkten?|procentpunt(?:en)?"
    r"|points?\sde\spourcentage|punt[io]\spercentual[ei]|puntos?\sporcentual(?:es)?"
    r"|pontos?\spercentua(?:l|is))\b)"
    r"|\s?(?P<bp>basis\spoints?\b|bps?\b)"
    r"|\s?(?P<mille>‰)"
    r"|\s?(?:[%％٪]|(?:per\s?cent|pct|prozent|pour\scent|por\sc[ei]e?nto|per\scento|procents?)\b)"
    r"(?P<points>[\s-]points?\b)?",
    re.IGNORECASE,
)
_RAISED = r"[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}"
_POWER = re.compile(
    rf"\s?[×x*·]\s?10(?:\^\{{?(?P<power>[-+−–]?\d{{1,4}})\}}?|(?P<raised>{_RAISED})"
    r"|(?P<lost>[-−–]?\d{1,2}))(?!\w)|[eE](?P<e>[-+−]?\d{1,4})(?!\w)"
)
_TOWER = re.compile(rf"\^\{{?(?P<power>[-+−]?\d{{1,3}})\}}?|(?P<raised>{_RAISED})")
_ASCII = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−–", "0123456789+---")
_LARGEST = 250
"""Powers of ten beyond any measurement (floats end at 308); larger ones are not read."""

_FRACTION = re.compile(
    rf"\s?(?P<vulgar>[{_VULGAR}])|\s(?P<a>\d)[/⁄](?P<b>\d\d?)(?![\d/])"
    r"|(?:[/⁄]|\s(?:in|out\sof)\s)(?P<of>\d{1,3})(?![\d/%]|[.,-]\d)"
)
_CODES = "|".join(sign for sign in SIGNS if sign.isascii() and sign.isalpha())
_OTHER = "|".join(re.escape(sign) for sign in sorted(SIGNS, key=len, reverse=True)
                  if not (sign.isascii() and sign.isalpha()))  # fmt: skip
_BEFORE = re.compile(
    r"(?P<outer>(?<![\w.)\]%])(?:[-−]|(?<![^\s(])–(?!\s))|(?<!\w)(?i:minus|negative)\s(?!\())?"
    rf"(?P<ahead>(?:{_OTHER})\s?(?=\())?(?P<bracket>(?<!\w)\()?"
    r"(?P<big>(?<!\w)[TkM](?=€))?"
    # A letter before "$" says whose dollars they are, be it known or not.
    rf"(?P<currency>(?:(?<!\w)[A-Z][A-Za-z]{{0,2}}\$|{_OTHER}|(?<!\w)(?:{_CODES})(?![A-Za-z]))\s?)?"
    r"(?P<inner>(?<![\w.)\]%])[-−–])?\Z"
)
_REACH = 16  # characters that the longest of these take
_LATIN = "A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff"
_NAMED = re.compile(rf"(?:[{_LATIN}\d_.]|[{_LATIN}][-−‐‑]|\^\{{?[-−]?)\Z")
_UNIT_DASH = re.compile(r"(?<![\w.-])\d[\d.,]*\s?([^\s\d-]{1,6})[-−‐‑]\Z")
_GLUED = re.compile(r"(?:[\w.-]*\w)?")
_SUFFIX = re.compile(
    rf"(?P<ordinal>(?:st|nd|rd|th|ère|er|e|ème|º|ª)(?!\w))|[{_LATIN}][{_LATIN}\d]*"
)
_FOLD = re.compile(r"[\s-]?fold\b")
_DECADE = re.compile(r"['’]?(?:s|ern?)(?!\w)")
_VERB = re.compile(r"\b(?:was|were|is|are|of|to|at|from|by|and|came\sto|reached)\Z")
_PERCENT_BEHIND = re.compile(r"\s?%")
_ROW = re.compile(r"\s*(?:\Z|[\t\n|(\d])")


class _Scale(NamedTuple):
    power: int
    end: int


def _read_scale(text: str, position: int, language: str, *, is_money: bool) -> _Scale | None:
    if text[position : position + 1] in _RUNS:
        return _Scale(_RUNS[text[position]], position + 1)
    scales, pattern = load_scales(language)
    if word := pattern.match(text, position):
        power, end = scales[word[1].casefold().rstrip(".")], word.end()
        if again := pattern.match(text, end):  # "lakh crore", "mil milhões"
            power, end = power + scales[again[1].casefold().rstrip(".")], again.end()
        return _Scale(power, end)
    if big := _BIG.match(text, position):
        return _Scale(_LETTERS[big[1]], big.end())
    letter = _LETTER.match(text, position)
    if letter is None:
        return None
    is_sure = letter["sure"] or is_money or _is_money(text, letter.end())
    is_counting = not letter[0].startswith(" ") and letter[0] in "mK"  # "1.82m passengers"
    if is_sure or (is_counting and _PLURAL.match(text, letter.end())):
        return _Scale(_LETTERS[letter[0].strip()], letter.end())
    return None


def _is_slot(text: str, at: int) -> bool:
    """Whether a number in brackets here is a negative amount, and no remark about another one."""
    lead = text[max(0, at - _REACH) : at]
    words = lead.rstrip()
    if "\t" in lead[len(words) :] or not words:
        return "\t" in lead or at == len(lead)
    return words[-1] in "|:=" or (words != lead and _VERB.search(words) is not None)


def _is_money(text: str, position: int) -> bool:
    gap = text[position : position + 1].isspace()
    unit = read_unit(text, position + gap)
    return unit is not None and unit[0].kind is Kind.MONEY


@cache
def load_scales(language: str) -> tuple[dict[str, int], re.Pattern[str]]:
    """The scales that any text may write, and those of a language after CLDR."""
    scales, dotted = dict(_SCALES), {"mio", "mrd", "tsd"}
    try:
        formats = Locale.parse(language).compact_decimal_formats if language != "en" else {}
    except (UnknownLocaleError, ValueError):
        formats = {}
    for forms in (form for lengths in formats.values() for form in lengths.values()):
        for size, pattern in forms.items():
            written = re.sub(r"[0'\u200f]", "", pattern.pattern).strip().casefold()
            word = written.rstrip(".")
            if len(word) > 1:
                scales[word] = len(size) - pattern.pattern.count("0")
                dotted |= {word} if written != word else set()
    longest_first = sorted(scales, key=len, reverse=True)
    words = "|".join(
        re.escape(word).replace(r"\ ", r"\s") + (r"(?!\w)\.?" if word in dotted else r"(?!\w)")
        for word in longest_first
    )
    return scales, re.compile(rf"[\s-]?({words})", re.IGNORECASE)


# ---------------------------------------------------------------------------- numerals in digits


def find_numerals(text: str, language: str = "en", mark: str = "") -> tuple[Numeral, ...]:
    """Find the numerals of a text, in order, without overlaps.

    Args:
        language: of the text, as ISO 639-1; its words for numbers are read.
        mark: that stands before decimals in its document, by `find_decimal_mark`; empty for the
            one of its language.
    """
    return _find_numerals(text, language, mark or find_decimal_mark(text, language))


@lru_cache(maxsize=1 << 12)
def _find_numerals(text: str, language: str, mark: str) -> tuple[Numeral, ...]:
    numerals = list(_find_digits(text, language, mark)) if _NEXT.search(text) else []
    for each in sorted(_find_words(text, language), key=lambda spelt: (spelt.start, -spelt.end)):
        if all(each.end <= other.start or other.end <= each.start for other in numerals):
            numerals.append(each)
    return tuple(sorted(numerals, key=lambda numeral: numeral.start))


def find_numbers(text: str) -> list[str]:
    """Name the numbers that a text writes in digits, as they are compared, in order."""
    return [n.key for n in find_numerals(text) if not n.is_spelt]


def _find_digits(text: str, language: str, mark: str) -> Iterator[Numeral]:
    days = [day for day in find_dates(text, language) if day.iso]
    position = 0
    while match := _NEXT.search(text, position):
        start = match.start()
        while days and days[0].end <= start:
            days.pop(0)
        if days and days[0].start <= start:
            yield Numeral(days[0].start, days[0].end, Decimal(0), days[0].iso, DATE)
            position = days[0].end
        elif clock := read_clock(text, start, language):
            yield Numeral(start, clock[1], Decimal(0), clock[0], CLOCK)
            position = clock[1]
        elif _is_name(text, start):
            glued = _GLUED.match(text, start)  # H0, v1.2.3: the rest of it goes with it
            position = max(start + 1, glued.end() if glued else 0)
        elif (open_date := _OPEN_DATE.match(text, start)) and (
            open_date[1] or _parse_digits(open_date[0], mark) is None
        ):
            yield Numeral(start, open_date.end(), _UNREAD, open_date[0])
            position = open_date.end()
        else:
            numeral = _read_numeral(text, start, language, mark)
            position = max(start + 1, numeral.end)
            yield numeral


def _is_name(text: str, start: int) -> bool:
    """Whether digits are of a name that they are glued to: GW170817, COVID-19, s^-1."""
    named = _NAMED.search(text, max(0, start - 3), start)
    if named is None or named[0][0] == "^":
        return named is not None
    if named[0] == ".":
        return start > 1 and (text[start - 2].isalnum() or text[start - 2] == ".")
    if len(named[0]) == 2:  # one or two digits behind a dash; "mid-1990s" has a year
        digits = _DIGITS.match(text, start)
        unit = _UNIT_DASH.search(text, max(0, start - _REACH), start)  # "0°C-35°C"
        is_range = unit is not None and unit[1] in SPELLINGS
        return digits is not None and len(digits[0]) < 3 and not is_range
    return not _look_before(text, start)["currency"]  # GBP300


def _look_before(text: str, start: int) -> re.Match[str]:
    """What stands before digits and belongs to them, be it nothing."""
    return next(_BEFORE.finditer(text, max(0, start - _REACH), start))


def _read_numeral(text: str, start: int, language: str, mark: str) -> Numeral:
    """Read the numeral whose first digit is at a position."""
    before = _look_before(text, start)
    currency = (before["currency"] or before["ahead"] or "").strip()
    begin, end, value, written = _read_digits(text, start, mark)
    unit, shift = "", 0
    if fraction := _FRACTION.match(text, end):
        read = _add_fraction(fraction, value, written)
        end = fraction.end() if read[1] != written else end  # "1,200 in 42" are two numbers
        value, written, unit = read
    tower = _TOWER.match(text, end) if written == "10" else None
    if raised := tower or _POWER.match(text, end):
        value, shift, end = *_apply_power(raised, value), raised.end()
    bracket = _close_bracket(text, end, before, written + currency)
    end += bracket == "negative"
    scale = _read_scale(text, end, language, is_money=bool(currency))
    if scale and not bracket:  # "(£3.2m)"
        bracket = _close_bracket(text, scale.end, before, written + currency)
        scale = _Scale(scale.power, scale.end + (bracket == "negative"))
    power, end = (scale.power, scale.end) if scale else (0, end)
    power += _LETTERS[before["big"]] if before["big"] else 0
    body = end
    unit, down, end, name = _read_ending(text, end, "" if scale else unit)
    if not (unit or name) and language not in _NO_DOTS and (dot := _ORDINAL_DOT.match(text, end)):
        unit, end = ORDINAL, dot.end()  # "am 15. des Monats"
    written += name
    if name or bracket == "open":
        value = _UNREAD
    value = value.scaleb(power - down) if power or down else value
    if bracket == "negative" or before["outer"] or before["inner"]:
        if not currency:
            begin = before.start("inner" if before["inner"] else 0)
        value, written = -value, f"-{written}"
    return Numeral(begin, end, value, written, unit, currency, power + shift - down, body=body)


_NO_DOTS = frozenset({"en", "es", "fr", "it", "nl", "pt"})  # languages whose ordinals have none
_ORDINAL_DOT = re.compile(r"\.(?=\s[^\W\d_A-Z])")


def _read_digits(text: str, start: int, mark: str) -> tuple[int, int, Decimal, str]:
    """Read the digits at a position: where they begin and end, their value, and they themselves."""
    digits = _DIGITS.match(text, start)
    if digits is None:
        return start, start, Decimal(0), ""
    written, end = digits[0], digits.end()
    if start and text[start - 1] == "." and written.isdigit():  # ".85"
        start, written = start - 1, f"0.{written}"
    value = _parse_digits(written, mark)
    return start, end, _UNREAD if value is None else value, _SPACE.sub(" ", written)


def _read_ending(text: str, position: int, unit: str) -> tuple[str, int, int, str]:
    """Read what ends a numeral: its unit, a power of ten less, where it ends, letters of a name."""
    if share := _SHARE.match(text, position):
        is_points = share["pp"] or share["bp"] or share["points"]
        down = 2 if share["bp"] else bool(share["mille"])
        return POINTS if is_points else PERCENT, down, share.end(), ""
    if fold := _FOLD.match(text, position):
        return TIMES, 0, fold.end(), ""
    suffix = _SUFFIX.match(text, position)
    if suffix is None or _DECADE.match(text, position) or suffix[0] in {"x", "p", "kr"}:
        return unit, 0, position, ""
    if suffix["ordinal"]:
        return ORDINAL, 0, suffix.end(), ""
    if read_unit(text, position):
        return unit, 0, position, ""
    return unit, 0, suffix.end(), suffix[0]  # 3D, 12b


def _add_fraction(
    fraction: re.Match[str], value: Decimal, written: str
) -> tuple[Decimal, str, str]:
    if vulgar := fraction["vulgar"]:
        return value + _PARTS[vulgar], f"{written}{vulgar}", "" if written else FRACTION
    if fraction["a"]:
        part = Decimal(fraction["a"]) / max(1, int(fraction["b"]))
        return value + part if 0 < part < 1 else _UNREAD, written + fraction[0], ""
    of = Decimal(fraction["of"])
    is_share = written.isdigit() and 0 < value < of  # 3/4 and 1 in 5, and not 24/7
    if not is_share and (fraction[0].startswith(" ") or not written.isdigit()):  # "1,50/100 kg"
        return value, written, ""
    return value / of if is_share else _UNREAD, f"{written}/{fraction['of']}", FRACTION


def _apply_power(raised: re.Match[str], value: Decimal) -> tuple[Decimal, int]:
    groups = raised.groupdict()
    digits = groups.get("e") or groups["power"] or groups["raised"] or ""
    power = int(digits.translate(_ASCII)) if digits else 0
    if not digits or abs(power) > _LARGEST:  # "3 × 105" has lost what raised its digits
        return _UNREAD, 0
    # 10⁵ is one times ten to the fifth, and its digits have said ten already.
    return value.scaleb(power - (raised.re is _TOWER)), power


def _close_bracket(
    text: str, end: int, before: re.Match[str], written: str
) -> Literal["", "negative", "open"]:
    """Whether brackets around a number make it negative, or may do so, as in a row of accounts."""
    if not before["bracket"] or text[end : end + 1] != ")":
        return ""
    at = before.start("bracket")
    if before["ahead"] or _PERCENT_BEHIND.match(text, end + 1):  # "$ (536)", "(4) %"
        return "negative"
    is_cell = {text[max(0, at - 1) : at], text[end + 1 : end + 2]} <= {"", "\t"}
    if written.isdigit() and not is_cell:
        return ""
    if _is_slot(text, at):
        return "negative"
    return "open" if _ROW.match(text, end + 1) else ""


# ---------------------------------------------------------------------------- numerals in words

LANGUAGES = frozenset({"da", "de", "en", "es", "fr", "it", "nl", "pt"})
"""Languages whose words for numbers are read."""

_TOKEN = re.compile(r"[^\W_]+|\s+|[^\w\s]|_")
_NOT_NUMBERS = re.compile(  # "dreimal" has a three, miles none; "einem Fünftel" is "ein Fünftel"
    r"(?<=[a-z])ma?al\b|\bmilles\b|(?<=\bein)e[ms]\b|\bones\b|\b(?i:os{0,2})\b"
)


def _number_words(words: Mapping[int, str]) -> dict[str, int]:
    return {word: number for number, listed in words.items() for word in listed.split()}


_ENGLISH_PARTS = _number_words({
    2: "half halves", 3: "third thirds", 4: "quarter quarters fourth fourths", 5: "fifth fifths",
    6: "sixth sixths", 7: "seventh sevenths", 8: "eighth eighths", 9: "ninth ninths",
    10: "tenth tenths",
})  # fmt: skip
_FOREIGN_PARTS = _number_words({
    2: "hälfte moitié mitad metà metade helft", 3: "drittel tiers terzi tercio tercios terços",
    4: "viertel quart quarts quarto quarti cuartos", 5: "fünftel", 6: "sechstel", 8: "achtel",
    10: "zehntel",
})  # fmt: skip
_PARTS_OF = _ENGLISH_PARTS | _FOREIGN_PARTS
_TIMES = _number_words({
    2: "twice twofold double doubled doubles doubling", 3: "thrice threefold triple tripled "
    "triples tripling treble trebled trebles trebling", 4: "fourfold quadruple quadrupled "
    "quadruples quadrupling", 5: "fivefold", 10: "tenfold",
})  # fmt: skip
_ROUND = {"dozen": 12, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9,
          "trillion": 10**12}  # fmt: skip
_OF_A = rf"(?:\s(?:of\s)?an?\s|-)(?P<whole>{'|'.join(_ROUND)})\b"
_WHOLE = re.compile(_OF_A, re.IGNORECASE)
_PART = rf"(?P<part>{'|'.join(_ENGLISH_PARTS)})\b"
_OF_THEM = re.compile(rf"[\s-]{_PART}(?!\sof\s(?:the\s)?\d{{4}})", re.IGNORECASE)
_FOREIGN_OF_THEM = re.compile(rf"\s(?P<part>{'|'.join(_FOREIGN_PARTS)})n?\b", re.IGNORECASE)
_ALONE = {
    language: re.compile(pattern, re.IGNORECASE)
    for language, pattern in {
        "en": rf"\b(?:an?\s(?!half)(?:good\s)?{_PART}(?=\s(?:of|more|less|fewer|[a-z]+er)\b)"
        rf"|(?P<half>half)(?=\s(?:of|the|its|their)\b|{_OF_A})|a\s(?P<dozen>dozen)\b"
        rf"|(?P<times>{'|'.join(_TIMES)})\b)",
        "": r"\b(?P<half>hälfte|moitié|mitad|metà|metade|helft)\b",
    }.items()
}
"""Words for numbers before which no number stands."""
_AND_A = re.compile(r"\sand\sa\s(half|quarter)\b", re.IGNORECASE)
_DOZEN = re.compile(r"\sdozen\b", re.IGNORECASE)
_IN = re.compile(r"\s(?:in|out\sof)\s", re.IGNORECASE)  # "one in five"
_MINUS = re.compile(r"\b(?:minus|negative)\s\Z", re.IGNORECASE)


class _Token(str):
    """A word, a gap or a sign, as the library looks at it."""

    __slots__ = ()

    def text(self) -> str:
        return str(self)

    def nt_separated(self, previous: "_Token") -> bool:
        del previous
        return False

    def not_a_number_part(self) -> bool:
        return False


class _Spelt(NamedTuple):
    value: Decimal
    is_ordinal: bool
    start: int
    end: int


def _find_words(text: str, language: str) -> Iterator[Numeral]:
    if language not in LANGUAGES:
        return
    plain = _NOT_NUMBERS.sub(lambda match: " " * len(match[0]), text)
    tokens = list(_TOKEN.finditer(plain))
    spelt = [
        _Spelt(
            Decimal(str(each.value)),  # 34.2, and not its binary fraction
            each.is_ordinal,
            tokens[each.start].start(),
            tokens[each.end - 1].end(),
        )
        for each in find_spelt_numbers([_Token(token[0]) for token in tokens], language, 0)
    ]
    is_english = language == "en"
    part_of = _OF_THEM if is_english else _FOREIGN_OF_THEM
    for each, following in zip_longest(spelt, spelt[1:]):
        if (part := part_of.match(plain, each.end)) and not each.is_ordinal:
            value = each.value / _PARTS_OF[part["part"].lower()]
            yield _build_spelt(text, each.start, part.end(), value, FRACTION)
            continue
        if not each.is_ordinal and (is_english or each.value >= 2):  # "un" and "ein" are articles
            yield _join_words(plain, each, following)
            continue
        before, behind = text[max(0, each.start - 2) : each.start], text[each.end : each.end + 3]
        if is_english and each.is_ordinal and before.lower() != "a " and behind != " of":
            yield _build_spelt(text, each.start, each.end, each.value, ORDINAL)
    for word in _ALONE["en" if is_english else ""].finditer(text):
        groups = {name: each.lower() for name, each in word.groupdict().items() if each}
        if times := groups.get("times"):
            yield _build_spelt(text, *word.span(), Decimal(_TIMES[times]), TIMES)
        elif "dozen" in groups:
            yield _build_spelt(text, *word.span(), Decimal(_ROUND["dozen"]))
        else:
            parts = _PARTS_OF[groups.get("part") or groups["half"]]
            yield _build_spelt(text, *word.span(), 1 / Decimal(parts), FRACTION)


def _join_words(text: str, number: _Spelt, following: _Spelt | None) -> Numeral:
    """Join a number in words with what belongs to it: two and a half million, one in five."""
    value, _, start, end = number
    if dozen := _DOZEN.match(text, end):
        return _build_spelt(text, start, dozen.end(), value * _ROUND["dozen"])
    if more := _AND_A.match(text, end):
        value, end = value + 1 / Decimal(_PARTS_OF[more[1].lower()]), more.end()
    if following and value % 1 and following.value in _ROUND.values():
        if following.start == end + 1:  # "two point one million"
            value, end = value * following.value, following.end
    elif following and value < following.value and _IN.fullmatch(text, end, following.start):
        return _build_spelt(text, start, following.end, value / following.value, FRACTION)
    return _build_spelt(text, start, end, value)


def _build_spelt(text: str, start: int, end: int, value: Decimal, unit: str = "") -> Numeral:
    if unit == FRACTION and (whole := _WHOLE.match(text, end)):  # "a quarter of a million"
        value, end, unit = value * _ROUND[whole["whole"].lower()], whole.end(), ""
    body, value = end, value.normalize()
    if not unit and (share := _SHARE.match(text, end)):
        is_point = share["pp"] or share["bp"] or share["points"]
        unit, end = POINTS if is_point else PERCENT, share.end()
        value = value.scaleb(-2) if share["bp"] else value
    if minus := _MINUS.search(text, max(0, start - _REACH), start):
        start, value = minus.start(), -value
    return Numeral(start, end, value, text[start:end], unit, is_spelt=True, body=body)
