"""Support: whether each numeral of a sentence, with its unit, stands in what the sentence rests on.

A numeral is supported by one of the same value, sign and precision in the same unit, however it is
set; by one that was not fully read, only as the same digits.
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from caveat.quantities.numerals import (
    CLOCK,
    DATE,
    FRACTION,
    ORDINAL,
    PERCENT,
    POINTS,
    TIMES,
    Numeral,
    find_numerals,
    load_scales,
)
from caveat.quantities.reading import find_bound, find_numeral_unit
from caveat.quantities.units import (
    SIGNS,
    SPELLINGS,
    Kind,
    Unit,
    find_base_units,
    read_unit,
    translate_units,
)


class Excerpt(NamedTuple):
    """A text, and what is needed to read its numerals."""

    text: str
    head: str = ""  # the column of a cell, which may give its unit and its scale
    language: str = "en"
    mark: str = ""  # before decimals in its document, by `find_decimal_mark`
    is_name: bool = False  # a title or heading: no calculation reads its numbers
    is_computed: bool = False  # a result, whose unit is no other number's
    is_unnamed: bool = False  # a cell of which neither row nor column nor note names the unit


class Reading(NamedTuple):
    """A numeral with its unit, its own or that of the one it is joined to: "93 to 88 per cent"."""

    numeral: Numeral
    unit: Unit | None = None  # a currency or measure
    end: int = 0  # of its unit
    is_foreign: bool = False  # whether its unit may be a word that is not known
    bracketed: frozenset[Unit] = frozenset()  # the unit behind its column: "Length (mm)"
    is_unnamed: bool = False  # whether it may have any unit, as `Excerpt` says
    is_name: bool = False  # whether it stands in a title, which counts nothing


def find_unsupported(
    said: Excerpt, sources: Iterable[Excerpt], counted: Collection[int] = ()
) -> list[str]:
    """Find the numerals of a text, with their units, that stand in none of the sources.

    Args:
        counted: numbers that may count the sources themselves, where they are written in words.
    """
    readings: dict[int, list[Reading]] = {}
    for reading in (*read_numerals(said), *_share_more(said.text, read_numerals(said))):
        if not (reading.numeral.is_spelt and reading.numeral.value in counted):
            readings.setdefault(reading.numeral.start, []).append(reading)
    if not readings:
        return []
    sources = list(sources)  # not before: to list them takes a third of putting a report together
    quoted = [each for source in sources for each in read_numerals(source)]
    years = " ".join(f"{each.head} {each.text}" for each in sources if not each.is_computed)
    named = (list_units(each.text, each.language) for each in sources if not each.is_computed)
    units = frozenset[Unit]().union(*named) - {_IN_PERCENT}
    heads = {(words, each.language) for each in sources if each.head for words in each[:2]}
    units = units.union(*(list_units(*each) for each in heads))  # a cell may hold a unit

    def is_supported(reading: Reading) -> bool:
        return _is_supported(reading, quoted, units, years, said.text)

    unsupported = (
        write_numeral(said.text, forms[0])
        for start, forms in sorted(readings.items())
        if not any(map(is_supported, forms))
    )
    return list(dict.fromkeys(unsupported))


def is_time(words: str, language: str = "en") -> bool:
    """Whether words are a date, a time of day or a span of time, which have too many forms.

    A year is one: of "last year" it stands nowhere.
    """
    if _YEAR.fullmatch(words):
        return True
    return any(
        each.numeral.unit in {DATE, CLOCK} or (each.unit and each.unit.kind is Kind.DURATION)
        for each in read_numerals(Excerpt(words, language=language))
    )


def write_numeral(text: str, reading: Reading) -> str:
    """Write a numeral as a text does, with its unit."""
    start, currency = reading.numeral.start, reading.numeral.currency
    if currency:
        start = text.rindex(currency, 0, start + len(currency))
    return text[start : max(reading.end, reading.numeral.end)]


def _is_supported(
    said: Reading, quoted: Collection[Reading], units: frozenset[Unit], years: str, text: str
) -> bool:
    numeral = said.numeral
    if (numeral.unit == ORDINAL or not numeral.is_read) and re.search(
        rf"(?<![\d.]){re.escape(numeral.written)}(?!\.?\d)", years
    ):
        return True  # word for word, also within a name: of "v1.8.0", of "p99"
    if numeral.unit == TIMES or (numeral.unit == FRACTION and numeral.is_spelt):
        # Such words are often counted from other numbers: they fall only against others of theirs.
        rivals = [each for each in quoted if each.numeral.unit == numeral.unit]
        return not rivals or any(_has_value(numeral, each.numeral) for each in quoted)
    near = find_bound(text, numeral.start)
    said_ways = [said]
    if numeral.is_read and numeral.value > 0 and _BY.search(text, 0, numeral.start):
        said_ways.append(said._replace(numeral=numeral._replace(value=-numeral.value)))
    return any(
        _supports(each, form, units, years, text)
        for each in quoted
        for way in said_ways
        for form in (way, *_sharpen(way, each, near))
    )


_BY = re.compile(r"\b(?:by|um|de|del|di|con|met|med)\s\Z")
"""Before what something changed by: "fell by 0.1%" of -0.1%. Which way it went, readers judge."""


def _sharpen(said: Reading, quoted: Reading, near: re.Match[str] | None) -> Iterator[Reading]:
    """Read a number as the exact one that it is, rounded to its last digit, or bounds."""
    numeral, exact, value = said.numeral, quoted.numeral, said.numeral.value
    is_number = numeral.is_read and exact.is_read and DATE not in {numeral.unit, exact.unit}
    if not (is_number and value) or quoted.is_name or value == exact.value:
        return
    if near is None:
        is_count = value == int(value) and not (numeral.scale or numeral.unit or said.unit)
        is_meant = is_rounded(value, exact.value, 1 + is_count)
    elif near["floor"] or near["ceiling"]:  # "more than 2,600" are 2,668, and "more than 2,700" not
        above = exact.value - value if near["floor"] else value - exact.value
        is_meant = 0 < above < Decimal(1).scaleb(int(value.normalize().as_tuple().exponent))
    else:
        is_meant = is_rounded(value.normalize(), exact.value, 0)
        is_meant &= not near["almost"] or exact.value < value
    if is_meant:
        yield said._replace(numeral=numeral._replace(value=exact.value))


def is_rounded(value: Decimal, exact: Decimal, fewest: int = 1) -> bool:
    """Whether a value is an exact one to its last digit; with few digits it is near too many.

    Args:
        fewest: digits that are too few: two count things, as in "63 plants".
    """
    _, digits, exponent = value.as_tuple()
    most = min(Decimal(1).scaleb(int(exponent)) / 2, abs(value) * _ROUNDED)
    return len(digits) > fewest and abs(exact - value) <= most


_ROUNDED = Decimal("0.1")  # share by which "about" may differ


def _supports(
    quoted: Reading, said: Reading, units: frozenset[Unit], years: str, text: str
) -> bool:
    one, other = said.numeral, quoted.numeral
    if DATE in (one.unit, other.unit):
        return _is_of_date(one, other, years)
    is_version = not (one.unit or said.unit or other.is_read)
    if is_version and re.fullmatch(rf"{re.escape(one.written)}(\.0)+", other.written):
        return True  # "5.1" of 5.1.0
    if CLOCK in (one.unit, other.unit):
        return other.unit == CLOCK and other.written.startswith(one.written)  # without its seconds
    if not (one.is_read and other.is_read):
        return (one.written, one.unit, one.scale) == (other.written, other.unit, other.scale)
    if said.unit and quoted.unit and said.unit != quoted.unit:
        return _is_in_other_unit(said, quoted, years, text)
    if said.unit and quoted.bracketed and not quoted.unit:  # a cell under "Length (mm)"
        known = (quoted._replace(unit=unit) for unit in quoted.bracketed)
        return any(
            _has_value(one, other)
            if each.unit == said.unit
            else _is_in_other_unit(said, each, years, text)
            for each in known
        )
    is_unknown = quoted.is_foreign or quoted.is_unnamed or other.scale == -_CENTS
    if quoted.is_unnamed and one.unit == PERCENT and not other.unit:
        other = other._replace(unit=PERCENT)
    if said.unit and not (quoted.unit or is_unknown) and said.unit not in units:
        return False
    return _has_value(one, other, quoted.bracketed or units)


_SPANS = {
    "yr": r"year|annu|anual|\ban(?:s|née|no|os?)?\b|año|jahr|jähr",
    "mo": "month|monat",
    "wk": "week|woche",
    "d": r"\bda(?:y|ily)|\btag|tage?\b|täglich",
    "h": r"\bhour|\bstund|\bheure|\bhora|\borari?[ao]",
    "min": r"\bminut",
    "s": r"\bsecond|\bsekund|\bsegund",
}


def _is_in_other_unit(said: Reading, quoted: Reading, years: str, text: str) -> bool:
    """Whether two are one, converted or with what a rate is per elsewhere in the text.

    Such are "46 tonnes of soot a year", and "£1.45 for each of 236 km" of "£1.45 a km".
    """
    if said.unit is None or quoted.unit is None:
        return False
    pairs = [(said.unit, quoted.unit)]
    for rate in {said.unit, quoted.unit}:
        total, _, span = rate.symbol.rpartition("/")
        if span not in _SPANS:
            per = read_unit(span, 0) if total and rate is quoted.unit else None
            is_told = per is not None and per[0] in list_units(text)
        else:
            is_told = rate is quoted.unit or bool(re.search(_SPANS[span], years, re.IGNORECASE))
        if is_told:
            plain = replace(rate, symbol=total)
            pairs.append((said.unit, plain) if rate is quoted.unit else (plain, quoted.unit))
    one, other = said.numeral, quoted.numeral
    return any(
        _has_value(one, other)
        if mine.symbol == theirs.symbol and mine.factor == theirs.factor
        else _is_converted(one.value, mine, other.value, theirs)
        for mine, theirs in pairs
    )


def _has_value(one: Numeral, other: Numeral, units: frozenset[Unit] = frozenset()) -> bool:
    kinds = {one.unit, other.unit}
    is_amount = bool(one.currency or other.currency)
    if kinds == {FRACTION, PERCENT}:
        share, percent = (one, other) if one.unit == FRACTION else (other, one)
        return round(share.value * 100, max(0, -percent.place)) == percent.value
    is_told = other.unit == "" and one.unit == PERCENT and _IN_PERCENT in units
    is_told |= one.unit == "" and other.unit == POINTS  # "2,9 Punkte"
    if len(kinds) > 1 and not is_told and kinds not in _ALIKE:
        return False
    is_scaled = one.scale or other.scale or FRACTION in kinds or one.is_spelt or other.is_spelt
    # 12 of 12.0, and not 12.0 of 12; £4.50 of 4.5
    shown = _CENTS if is_amount else 0
    as_precise = -one.place <= max(shown, -other.place)
    return one.value == other.value and bool(as_precise or is_scaled)


# "zweimal" is a two in words, and "twice" is not; "das 25. Fest" is the 25th.
_ALIKE = ({FRACTION, ""}, {TIMES, ""}, {ORDINAL, ""})


_CENTS = 2  # decimals of an amount of money


def _is_converted(value: Decimal, unit: Unit, other_value: Decimal, other_unit: Unit) -> bool:
    """Whether two are one in other units: 1.2 km and 1,200 metres."""
    one, other = find_base_units(unit.symbol), find_base_units(other_unit.symbol)
    if one is None or other is None or one[0] != other[0]:
        return False
    base = float(other_value) * other_unit.factor * other[1] + other[2]
    exact = (base - one[2]) / (unit.factor * one[1])
    return math.isclose(float(value), exact, rel_tol=1e-9) or is_rounded(value, Decimal(exact))


def _is_of_date(one: Numeral, other: Numeral, years: str) -> bool:
    """Whether a date of a source is one that a sentence states, or lies in it."""
    stated, quoted = one.written, other.written
    if one.unit != DATE:
        is_day = one.unit == ORDINAL and quoted.endswith(f"-{one.value:0>2}")
        return is_day or (len(stated) == 4 and quoted.removeprefix("FY").startswith(stated))
    if other.unit != DATE:
        return False
    if quoted.startswith(f"{stated}-") or quoted.removeprefix("FY") == stated.removeprefix("FY"):
        return True
    if stated.startswith(("--", "Q", "H")):
        return quoted.endswith(stated.removeprefix("-"))
    year, _, rest = stated.partition("-")
    return quoted in {f"--{rest}", rest} and year in years  # its year stands elsewhere


_JOINT = re.compile(
    r"\s?(?:(?P<range>[-–—]|(?:to|bis|auf|à|a|till|tot|until|through)(?=\s)|±|\+/[-−])"
    r"|[,;/]|,?\s?(?:and|or|against|versus|vs\.?|than|und|oder|et|ou|y|o|e|en)(?=\s))"
    r"\s?(?:(?:from|about|only|some)\s)?(?:[£$€]|(?-i:[A-Z]{3})\s)?\(?",
    re.IGNORECASE,
)
"""Between two numerals of which the second gives both their unit and their scale."""


@lru_cache(maxsize=1 << 12)
def read_numerals(words: Excerpt) -> tuple[Reading, ...]:
    """Every numeral, once as it stands, and once with what it shares with the next."""
    numerals = find_numerals(words.text, words.language, words.mark)
    readings: list[Reading] = []
    behind: Reading | None = None
    bracketed = frozenset(_list_bracketed(spell_signs(translate_units(words.head, words.language))))
    bracketed |= list_units(words.head) if "_" in words.head else frozenset()
    for numeral in reversed(numerals):
        is_whole = numeral.unit and not numeral.currency
        read = find_numeral_unit(words.text, numeral, numeral.end, words.language)
        unit, end = (None, numeral.end) if is_whole or read is None else read
        is_foreign = words.language != "en" and bool(_LETTERS.match(words.text, numeral.end))
        own = Reading(numeral, unit, end, is_foreign, bracketed, words.is_unnamed, words.is_name)
        joint = _JOINT.fullmatch(words.text, numeral.end, behind.numeral.start) if behind else None
        shared = _share(own, behind) if behind and joint else None
        behind = shared or own
        is_year = _YEAR.fullmatch(numeral.written)  # "in 2021 to 11.4%"
        is_range = joint is not None and joint["range"] is not None and not is_year
        is_range &= not own.unit  # "by £53,000 to £1.187m"
        readings += [behind] if is_range or not shared else [own, behind]
    scale = (
        find_scale(words.head, words.language) if ", " not in words.head else 0
    )  # of several, nobody knows whose
    return tuple(
        each
        if each.numeral.scale or each.numeral.unit
        else each._replace(numeral=_scale(each.numeral, scale))
        for each in readings
    )


def _share(own: Reading, behind: Reading) -> Reading | None:
    numeral, last = own.numeral, behind.numeral
    # "CHF 1.9 and 2.6 million"
    is_scaled_behind = numeral.currency and last.scale and behind.unit in {None, own.unit}
    is_bare = numeral.is_read and not (numeral.unit or numeral.scale)
    is_bare &= not own.unit or bool(is_scaled_behind)
    if not is_bare or not (last.unit or last.scale or behind.unit):
        return None
    if last.unit == DATE:  # "2 or 19 September"
        month = _DAY.fullmatch(last.written)
        if not month or not numeral.written.isdigit() or not 1 <= numeral.value <= _LAST_DAY:
            return None
        written = f"{month[1]}{numeral.value:0>2}"
        return own._replace(numeral=numeral._replace(unit=DATE, written=written))
    if last.unit == CLOCK:  # "von 9 bis 17 Uhr"
        time = _TIME.fullmatch(numeral.written)  # "van 10.15 tot 17.30 uur"
        written = f"{time[1]:0>2}:{time[2] or '00'}" if time else numeral.written
        return own._replace(numeral=numeral._replace(unit=CLOCK, written=written))
    return own._replace(
        numeral=_scale(numeral, last.scale)._replace(unit=last.unit), unit=own.unit or behind.unit
    )


_TIME = re.compile(r"(\d\d?)(?:\.([0-5]\d))?")
_DAY, _LAST_DAY = re.compile(r"((?:\d{4}|-)-\d\d-)\d\d"), 31
_BETWEEN = re.compile(r"[^.;:!?\n]{1,40}")


def _share_more(text: str, readings: Sequence[Reading]) -> Iterator[Reading]:
    """Read each bare number also with what the one beside it has: "5.3 rather than 4.6 million"."""
    # What a sentence writes may be short; of its words between them, readers judge what they mean.
    amounts = (each for each in readings if not _YEAR.fullmatch(each.numeral.written))
    ordered = sorted(amounts, key=lambda each: each.numeral.start)
    for one, other in pairwise(ordered):
        if _BETWEEN.fullmatch(text, max(one.end, one.numeral.end), other.numeral.start):
            yield from (each for each in (_share(one, other), _share(other, one)) if each)


_YEAR = re.compile(r"1\d{3}|20\d\d")


def _scale(numeral: Numeral, power: int) -> Numeral:
    if not (numeral.is_read and power):
        return numeral
    return numeral._replace(value=numeral.value.scaleb(power), scale=power)


_LETTERS = re.compile(r"[^\S\t]?-?[^\W\d_]")  # of its own cell


_HEAD = 200  # characters of a head or note
_HEAD_WORD = re.compile(r"°?[^\W\d_]++[²³]?(?!\d)|[%€$£¥]")  # no minutes in "rate_min1"
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]+)[)\]]")


@lru_cache(maxsize=1 << 12)
def list_units(head: str, language: str = "en") -> frozenset[Unit]:
    """The units that the head of a column or a heading names: `amount_gbp`, `Length (km)`."""
    head = head if language == "en" else translate_units(head, language, are_compounds=True)
    words = [word[0] for word in _HEAD_WORD.finditer(head.replace("_", " "))]
    plain = (re.sub(r"\A[TkM](?=[A-Z]{3}\Z)", "", word) for word in words)  # "TEUR"
    codes = (SIGNS.get(word) or SIGNS.get(word.upper()) for word in plain)
    known = [SPELLINGS.get(word) or SPELLINGS.get(word.lower()) for word in words]
    if "_" in head:  # "capacity_gw" and "capacity_mw"
        known += [unit for spelling, unit in SPELLINGS.items() if spelling.lower() in words]
    currencies = (Unit(Kind.MONEY, code) for code in codes if code)
    percent = [_IN_PERCENT] if _PERCENT.search(head) else []  # "Anteile in Prozent"
    named = (*currencies, *known, *percent, *_list_bracketed(head))
    whole: tuple[Unit, ...] = ()
    if len(head) <= _HEAD:  # "in per cent, air speed in centimetres per second"
        spelt = spell_signs(head)
        starts = (word.start() for word in _HEAD_WORD.finditer(spelt))
        whole = tuple(read[0] for read in (read_unit(spelt, at) for at in starts) if read)
    return frozenset(unit for unit in (*named, *whole) if unit)


_PERCENT = re.compile(r"%|\bp(?:er|ro|our|or)\s?[cz]ent|\bper\s?cento", re.IGNORECASE)


def spell_signs(head: str) -> str:
    """Write the currencies of a head as codes: "GBP per m²", and "Cost (USD per kg)"."""
    head = re.sub(r"(?<![^\W\d_])p(?=\)| per\b|/)", "pence", head)  # "Hire (p per copy)"
    return _SIGN.sub(lambda sign: SIGNS.get(sign[1]) or SIGNS[sign[1][-1]], head)


_SIGN = re.compile(r"([A-Z]{0,3}[€$£¥])(?:\s?(?:k|mn?|bn|000)\b)?")  # what it scales stands apart


def _list_bracketed(head: str) -> Iterator[Unit]:
    for words in _IN_BRACKETS.findall(head):
        if "=" in words:  # "(N = 5128)" names no newtons
            continue
        scales = {scale for _, scale in _find_scale_words(words)}  # "(CHF million per year)"
        plain = " ".join(word for word in words.split() if word not in scales)
        yield from [read[0]] if (read := read_unit(plain, 0)) else []


_IN_PERCENT = SPELLINGS[PERCENT]

_CODES = "|".join(sign for sign in SIGNS if re.fullmatch("[A-Z]{3}", sign))
_HEAD_SCALE = re.compile(
    rf"(?:[£$€]|\b(?-i:{_CODES})\s)\s?(?P<short>k|mn?|bn)\b"
    rf"|\b(?-i:(?P<letter>[TkM](?=(?:{_CODES})\b|[£$€])|[TtMm](?=kr\b)))|['’]?(?<!\d)000\b"
    # "in 1,000 CHF" and "1000 EUR", and neither "per 1000" nor the race of "1000 m"
    r"|(?:\b(?:in|en|à|(?-i:[A-Z]{3}))\s|[£$€×]\s?)1[.,'’\s]?000\b"
    r"|\b1[.,'’\s]?000(?=\s?(?:(?-i:[A-Z]{3})\b|[£$€]))",
    re.IGNORECASE,
)
_POWERS = {"k": 3, "t": 3, "m": 6, "mn": 6, "bn": 9}


def find_scale(head: str, language: str = "en") -> int:
    """Say in which power of ten the cells of a column stand: 3 under "(£ thousand)"."""
    if short := _HEAD_SCALE.search(head):
        return _POWERS[(short["short"] or short["letter"] or "k").lower()]
    return next((power for power, _ in _find_scale_words(head, language)), 0)


def _find_scale_words(head: str, language: str = "en") -> Iterator[tuple[int, str]]:
    scales, words = load_scales(language)
    for word in words.finditer(f" {head}"):
        power = scales[word[1].casefold().rstrip(".")]
        if power > 0 and not word.string[word.start(1) - 1].isalnum():  # and no "per cent"
            yield power, word[1]


def is_unit_note(sentence: str, language: str = "en") -> bool:
    """Whether words say in what the numbers beneath stand: "All figures in thousands of pounds"."""
    words = sentence if language == "en" else translate_units(sentence, language)
    return any(
        (find_scale(part, language) or _names_unit(part))
        and not any(map(str.isdecimal, _NO_VALUE.sub("", part)))  # "The lowest bid was 8 million"
        for part in (*re.split("[,;] ", words), *_IN_BRACKETS.findall(words))
    )


def _names_unit(part: str) -> bool:
    """Whether words name a unit, and do not just hold one: the "’s" of "the town’s standard"."""
    before, *behind = _UNIT_NOTE.split(part)
    words = behind[-1].split()[:_UNIT_WORDS] if behind else before.split()
    return len(words) <= _UNIT_WORDS and bool(list_units(" ".join(words)))


_UNIT_NOTE = re.compile(r" \(|: |\b(?:in|en|em) ")  # "Temperatures in °C", "Length (mm)"
_UNIT_WORDS = 3

_NO_VALUE = re.compile(
    r"(?<!\d)(?:(?:1[.,'’\s]?)?000|(?:19|20)\d\d)(?!\d)|\A\w+\s\d+[a-z]?[.:]\s"  # "Table 1. "
)
