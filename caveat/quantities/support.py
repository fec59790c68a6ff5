"""Support: whether each numeral of a sentence, with its unit, stands in what the sentence rests on.

A numeral is supported by one of the same value, sign and precision in the same unit, however it is
set; by one that was not fully read, only as the same digits.
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from babel import Locale, UnknownLocaleError

from caveat.quantities.dates import list_months
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
from caveat.quantities.units import (
    SIGNS,
    SPELLINGS,
    Kind,
    Unit,
    find_base_units,
    read_currency,
    read_foreign_unit,
    read_unit,
    translate_units,
)


class Excerpt(NamedTuple):
    """A text, and what is needed to read its numerals."""

    text: str
    head: str = ""  # the column of a cell, which may give its unit and its scale
    language: str = "en"
    mark: str = ""  # before decimals in its document, by `find_decimal_mark`
    is_name: bool = False  # a title or heading: "Planck 2018 with 1 km/s" says nothing of one ship
    published: date | None = None  # when its source was
    is_unscaled: bool = False  # a cell as it is written, under a head that scales it
    is_computed: bool = False  # a result, whose unit is no other number's
    is_unnamed: bool = False  # a cell of which neither row nor column nor note names the unit


class _Reading(NamedTuple):
    """A numeral with its unit, its own or that of the one it is joined to: "93 to 88 per cent"."""

    numeral: Numeral
    unit: Unit | None = None  # a currency or measure
    end: int = 0  # of its unit
    is_foreign: bool = False  # whether its unit may be a word that is not known
    # in a title: with the word before it, and with that behind it; None elsewhere
    named: tuple[str, ...] | None = None
    bracketed: frozenset[Unit] = frozenset()  # the unit behind its column: "Length (mm)"
    is_age: bool = False  # whether it may be one: "a woman of 81"
    is_unnamed: bool = False  # whether it may have any unit, as `Excerpt` says


def find_unsupported(
    said: Excerpt, sources: Iterable[Excerpt], counted: Collection[int] = ()
) -> list[str]:
    """Find the numerals of a text, with their units, that stand in none of the sources.

    Args:
        counted: numbers that may count the sources themselves, where they are written in words.
    """
    readings: dict[int, list[_Reading]] = {}
    for reading in (*_read(said), *_share_more(said.text, _read(said))):
        if not (reading.numeral.is_spelt and reading.numeral.value in counted):
            readings.setdefault(reading.numeral.start, []).append(reading)
    if not readings:
        return []
    sources = list(sources)  # not before: to list them takes a third of putting a report together
    quoted = [each for source in sources for each in _read(source)]
    if any(_is_time(form) for forms in readings.values() for form in forms):
        quoted += [each for source in sources for each in _join_durations(source, _read(source))]
    years = " ".join(f"{each.head} {each.text}" for each in sources if not each.is_computed)
    named = (list_units(each.text, each.language) for each in sources if not each.is_computed)
    units = frozenset[Unit]().union(*named) - {_IN_PERCENT}
    heads = {(words, each.language) for each in sources if each.head for words in each[:2]}
    units = units.union(*(list_units(*each) for each in heads))  # a cell may hold a unit

    def is_supported(reading: _Reading) -> bool:
        return _is_supported(reading, quoted, units, years, said.text, sources)

    whole = [each for each in _join_durations(said, _read(said)) if is_supported(each)]
    unsupported = (
        _write(said.text, forms[0])
        for start, forms in sorted(readings.items())
        if not any(each.numeral.start <= start < each.end for each in whole)
        and not any(map(is_supported, forms))
    )
    return list(dict.fromkeys(unsupported))


def _write(text: str, reading: _Reading) -> str:
    start, currency = reading.numeral.start, reading.numeral.currency
    if currency:
        start = text.rindex(currency, 0, start + len(currency))
    return text[start : max(reading.end, reading.numeral.end)]


def _is_supported(
    said: _Reading,
    quoted: Collection[_Reading],
    units: frozenset[Unit],
    years: str,
    text: str,
    sources: Collection[Excerpt] = (),
) -> bool:
    numeral = said.numeral
    days = [source.published for source in sources if source.published]
    if numeral.unit == DATE and days and not _has_date(sources):
        if any(_is_near(numeral, day) for day in days):
            return True
        # "in December" and "on 3 May" are of the year of their source, or of the one beside it
        near = {day.year + step for day in days for step in (-1, 0, 1)}
        years = " ".join([years, *map(str, near)])
    if not numeral.is_read and re.search(
        rf"(?<![\d.]){re.escape(numeral.written)}(?!\.?\d)", years
    ):
        return True  # word for word, also within a name: the 1.8.0 of "v1.8.0"
    if _is_slashed(numeral, years):
        return True
    if numeral.unit == TIMES or (numeral.unit == FRACTION and numeral.is_spelt):
        # Such words are often counted from other numbers: they fall only against others of theirs.
        rivals = [each for each in quoted if each.numeral.unit == numeral.unit]
        return not rivals or any(_has_value(numeral, each.numeral) for each in quoted)
    if numeral.unit == DATE and (month := re.fullmatch(r"(\d{4})-(\d\d)", numeral.written)):
        # "February 2024" of "in February of this year" and the date of its source
        named = frozenset[int]().union(*map(_list_bare_months, sources))
        if int(month[2]) in named and re.search(rf"\b{month[1]}\b", years):
            return True
    about = ABOUT.search(f"{text[: numeral.start].rstrip('£$€ ')} ")
    return any(
        _supports(each, form, units, years, text) and _is_applied(each, form, text)
        for each in quoted
        for form in (said, *_sharpen(said, each, about))
    )


ABOUT = re.compile(
    r"\b(?:about|around|some|roughly|rund|etwa|environ|circa|ca\.|unos|unas"
    r"|(?P<below>nearly|almost|just under|(?:less|fewer) than|under|below|weniger als|unter|knapp"
    r"|fast|(?:moins|près) de|presque|casi|menos de|meno di|quasi)"
    r"|(?P<above>(?:more|little) than|over|above|mehr als|über|gut|plus de|m[áa]s de|più di"
    r"|a good))"
    r"\s(?:an?\s|the\s|die\s|der\s|la\s)?\s*\Z",
    re.IGNORECASE,
)
"""What makes a number rough, and on which side of it the exact one lies."""


def _sharpen(said: _Reading, quoted: _Reading, about: re.Match[str] | None) -> Iterator[_Reading]:
    """Read a number as the exact one that it is, rounded to its last digit, or about as much."""
    numeral, exact, value = said.numeral, quoted.numeral, said.numeral.value
    is_number = numeral.is_read and exact.is_read and DATE not in {numeral.unit, exact.unit}
    if not (is_number and value) or quoted.named:  # a title counts nothing
        return
    is_count = value == int(value) and not (numeral.scale or numeral.unit or said.unit)
    excess = exact.value - value
    is_beyond = about and ((about["below"] and excess > 0) or (about["above"] and excess < 0))
    shown = value.normalize() if about else value
    if excess and not is_beyond and is_rounded(shown, exact.value, 0 if about else 1 + is_count):
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


def _has_date(sources: Iterable[Excerpt]) -> bool:
    """Whether a quote says itself which day, month or quarter it speaks of."""
    quotes = (source for source in sources if not (source.published or source.is_name))
    numerals = (each.numeral for quote in quotes for each in _read(quote))
    return any(each.unit == DATE and each.written[:1].isdigit() for each in numerals)


def _list_bare_months(source: Excerpt) -> frozenset[int]:
    """List the months that a text names without their year."""
    text = source.text
    for each in _read(source):
        if each.numeral.unit == DATE and each.numeral.written[:1].isdigit():
            written = source.text[each.numeral.start : each.numeral.end]
            text = text.replace(written, " ")
    return list_months(text, source.language)


def _is_applied(quoted: _Reading, said: _Reading, text: str) -> bool:
    """Whether the number of a title may be meant: a date, a large one, or with the same word."""
    numeral = quoted.numeral
    is_telling = len(numeral.written) > 2 or (said.unit and said.unit == quoted.unit)
    words = text.casefold()
    is_named = quoted.named is None or any(name.casefold() in words for name in quoted.named)
    return is_named or bool(is_telling)


def spell_out(words: str, text: str, language: str = "en") -> str:
    """Write a number of a text with its scale and unit, also those it shares with the next one.

    Of "3 to 5 million euros" the 3 is 3,000,000 EUR.
    """
    plain = find_numerals(words, language)
    text = next((cell for cell in text.split("\t") if words in cell), text)
    shared = {
        (each.numeral.value * Decimal(str(each.unit.factor)), each.unit.symbol)
        if each.unit
        else (each.numeral.value, each.numeral.unit)
        for each in _read(Excerpt(text, language=language))
        if text[each.numeral.start : each.numeral.end] == words
    } - {(each.value, each.unit) for each in plain}
    if len(shared) != 1 or not plain:
        return words
    value, unit = shared.pop()
    return f"{value:f} {unit}"


_NEAR = 7  # days from a source's own, of which it may speak without a date


def _is_near(numeral: Numeral, published: date) -> bool:
    """Whether a day may be the "yesterday" of a source, or a month its "last month"."""
    if numeral.written == f"{published - timedelta(published.day):%Y-%m}":
        return True
    with suppress(ValueError):  # a month, a day of any year
        return abs((date.fromisoformat(numeral.written) - published).days) <= _NEAR
    return False


def _is_slashed(said: Numeral, known: str) -> bool:
    """Whether a day is written there with slashes, in either order: "11/4/2024", "29/5"."""
    day = re.fullmatch(r"(\d\d(\d\d)|-)-0?(\d+)-0?(\d+)", said.written)
    if day is None:
        return False
    either = f"{day[3]}/0?{day[4]}|{day[4]}/0?{day[3]}"
    year = rf"/(?:{day[1]}|{day[2]})" if day[2] else r"(?:/\d{2,4})?"
    return bool(re.search(rf"(?<![\d/])0?(?:{either}){year}(?![\d/])", known))


def _supports(
    quoted: _Reading, said: _Reading, units: frozenset[Unit], years: str, text: str
) -> bool:
    one, other = said.numeral, quoted.numeral
    if DATE in (one.unit, other.unit):
        return _is_of_date(one, other, years)
    is_version = not (one.unit or said.unit or other.is_read)
    if is_version and re.fullmatch(rf"{re.escape(one.written)}(\.0)+", other.written):
        return True  # "5.1" of 5.1.0
    if CLOCK in (one.unit, other.unit):
        is_time = _tell_time(quoted).startswith(_tell_time(said))  # also without its seconds
        return is_time or not _list_seconds(said, years).isdisjoint(_list_seconds(quoted, years))
    is_serial = re.match(r"0\d+\Z", other.written) is not None  # "no. 0298" is no 298
    if not (one.is_read and other.is_read) or is_serial:
        return (one.written, one.unit, one.scale) == (other.written, other.unit, other.scale)
    if said.unit and quoted.unit and said.unit != quoted.unit:
        return _is_in_other_unit(said, quoted, years, text)
    if said.unit and quoted.bracketed and not quoted.unit:  # a cell under "Length (mm)"
        units = quoted.bracketed.union(*map(_list_numerators, quoted.bracketed))
        known = (quoted._replace(unit=unit) for unit in units)
        return any(
            _has_value(one, other)
            if each.unit == said.unit
            else _is_in_other_unit(said, each, years, text)
            for each in known
        )
    is_age = quoted.is_age and said.unit == _YEARS and not one.scale
    is_unknown = is_age or quoted.is_foreign or quoted.is_unnamed
    if quoted.is_unnamed and one.unit == PERCENT and not other.unit:
        other = other._replace(unit=PERCENT)
    if said.unit and not (quoted.unit or is_unknown) and said.unit not in units:
        return False
    return _has_value(one, other, quoted.bracketed or units)


def _list_numerators(unit: Unit) -> list[Unit]:
    """Name what a rate is of: "A hectare gave off 1.4 t" under "t/ha"."""
    total, per, _ = unit.symbol.partition("/")
    read = read_unit(total, 0) if per else None
    return [read[0]] if read else []


def _list_seconds(reading: _Reading, text: str) -> frozenset[int]:
    """How long something took, in seconds, by a text with its heads."""
    numeral, unit = reading.numeral, reading.unit
    if unit and unit.kind is Kind.DURATION and unit.symbol == "s" and numeral.is_read:
        return frozenset([round(float(numeral.value) * unit.factor)])
    return list_clock_seconds(numeral.written, text) if numeral.unit == CLOCK else frozenset()


def list_clock_seconds(written: str, heads: str) -> frozenset[int]:
    """The seconds of "3:42:18", and of "4:20", which begins with hours or, by its heads, minutes.

    Args:
        heads: words that may tell: "mm:ss".
    """
    clock = _CLOCK.fullmatch(written)
    if clock is None:
        return frozenset()
    first, second, third = (int(part or 0) for part in clock.groups())
    spans = {"h": 3600 * first + 60 * second + third, "m": 60 * first + second}
    told = set(map(str.lower, _CLOCK_HEAD.findall(heads))) & spans.keys()
    return frozenset(spans[begin] for begin in ("h" if clock[3] else told or spans))


_CLOCK = re.compile(r"(\d+):(\d\d)(?::(\d\d))?")
_CLOCK_HEAD = re.compile(r"(?<![^\W\d_])(h|m)[^\W\d_]*:[ms]", re.IGNORECASE)  # "mm:ss", "h:mm"


def _is_time(reading: _Reading) -> bool:
    is_span = reading.unit is not None and reading.unit.kind is Kind.DURATION
    return is_span or reading.numeral.unit == CLOCK


def _join_durations(words: Excerpt, readings: Sequence[_Reading]) -> Iterator[_Reading]:
    """Read the parts of each duration as one: "3 h 42 min 18 s", "an hour and 44 minutes"."""
    whole: _Reading | None = None  # what begins with the part behind
    ones = [*_find_ones(words, readings)]
    for part in sorted((*readings, *ones), key=lambda each: -each.numeral.start):
        behind, whole = whole, part
        if not (part.unit and _is_time(part) and part.numeral.is_read):
            whole = None
            continue
        if behind and _load_joint(words.language).fullmatch(
            words.text, part.end, behind.numeral.start
        ):
            whole = _join(part, behind) or part
        if whole is not part or part in ones:
            yield whole


def _find_ones(words: Excerpt, readings: Sequence[_Reading]) -> Iterator[_Reading]:
    """Find the spans of which there is one, or half of one: "an hour", "eine halbe Stunde"."""
    taken = [(each.numeral.start, each.end) for each in readings]
    for one in _ONE.finditer(words.text):
        if any(start <= one.start() < end for start, end in taken):  # "two and a half hours"
            continue
        read = read_foreign_unit(words.text, one.end(), words.language)
        read = read or read_unit(words.text, one.end())
        if read and read[0].kind is Kind.DURATION:
            value = Decimal("0.5" if one["half"] or one["part"] else 1)
            numeral = Numeral(one.start(), one.end(), value, one[0], is_spelt=True)
            yield _Reading(numeral, *read)


def _join(first: _Reading, rest: _Reading) -> _Reading | None:
    """Add a part in a smaller unit, of which there are fewer than one of the first has."""
    if not (first.unit and rest.unit and first.unit.symbol == rest.unit.symbol):
        return None
    more = rest.numeral.value * Decimal(rest.unit.factor) / Decimal(first.unit.factor)
    numeral = first.numeral._replace(value=first.numeral.value + more)
    return first._replace(numeral=numeral, end=rest.end) if 0 <= more < 1 else None


@cache
def _load_joint(language: str) -> re.Pattern[str]:
    """What may stand between the parts of a span: the "and" of a language, after CLDR."""
    word = "and"
    with suppress(UnknownLocaleError, ValueError, KeyError):
        word = Locale.parse(language).list_patterns["standard"]["2"].format("", "").strip()
    return re.compile(rf",?\s?(?:{re.escape(word)}\s)?")


_HALF = "half|halbe[nrs]?|demi|media|meia|mezz[ao]"
_ONE = re.compile(
    rf"\b(?:(?:an?|one|eine[rn]?|une?|una|uma|een)\s(?:(?P<half>{_HALF})[\s-])?"
    rf"|(?P<part>{_HALF})\s(?:an?\s)?)",
    re.IGNORECASE,
)


def read_duration(words: str, language: str) -> tuple[float, str] | None:
    """Read words that are one span of time, with its unit: "an hour and five minutes"."""
    excerpt = Excerpt(words, language=language)
    for each in _join_durations(excerpt, _read(excerpt)):
        if each.unit and (each.numeral.start, each.end) == (0, len(words)):
            return float(each.numeral.value) * each.unit.factor, each.unit.symbol
    return None


def _tell_time(reading: _Reading) -> str:
    """The time of day that is meant: of "22 Uhr", and of "22 h", which may be so long as well."""
    numeral, is_hours = reading.numeral, reading.unit == _HOUR
    if bare := _BARE_TIME.fullmatch(numeral.written):  # "the 7.10 from Kirk Ness", "at 1915"
        return f"{bare[1]:0>2}:{bare[2]}"
    return f"{numeral.value:0>2}:00" if is_hours and numeral.unit != CLOCK else numeral.written


_BARE_TIME = re.compile(r"([01]?\d|2[0-3])[.:]?([0-5]\d)")
_HOUR, _YEARS = SPELLINGS["h"], SPELLINGS["years"]
_AGED = re.compile(r"\b(?:aged?|of|von|de|di|van)\s\Z", re.IGNORECASE)
_SPANS = {
    "yr": r"year|annu|anual|\ban(?:s|née|no|os?)?\b|año|jahr|jähr",
    "mo": "month|monat",
    "wk": "week|woche",
    "d": r"\bda(?:y|ily)|\btag|tage?\b|täglich",
    "h": r"\bhour|\bstund|\bheure|\bhora|\borari?[ao]",
    "min": r"\bminut",
    "s": r"\bsecond|\bsekund|\bsegund",
}


def _is_in_other_unit(said: _Reading, quoted: _Reading, years: str, text: str) -> bool:
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
        return round(share.value * 100, _count_decimals(percent.value)) == percent.value
    is_told = other.unit == "" and one.unit == PERCENT and _IN_PERCENT in units
    is_told |= one.unit == "" and other.unit == POINTS  # "2,9 Punkte"
    if len(kinds) > 1 and not is_told and kinds not in _ALIKE:
        return False
    is_scaled = one.scale or other.scale or FRACTION in kinds or one.is_spelt or other.is_spelt
    # 12 of 12.0, and not 12.0 of 12; £4.50 of 4.5
    shown = _CENTS if is_amount else 0
    as_precise = _count_decimals(one.value) <= max(shown, _count_decimals(other.value))
    return one.value == other.value and bool(as_precise or is_scaled)


# "zweimal" is a two in words, and "twice" is not; "das 25. Fest" is the 25th.
_ALIKE = ({FRACTION, ""}, {TIMES, ""}, {ORDINAL, ""})


_CENTS = 2  # decimals of an amount of money


def _count_decimals(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


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
    said, quoted = one.written, other.written
    if one.unit != DATE:
        is_day = one.unit == ORDINAL and quoted.endswith(f"-{one.value:0>2}")
        return is_day or (len(said) == 4 and quoted.removeprefix("FY").startswith(said))
    if other.unit != DATE:
        return False
    if quoted.startswith(f"{said}-") or quoted.removeprefix("FY") == said.removeprefix("FY"):
        return True
    if said.startswith(("--", "Q", "H")):
        return quoted.endswith(said.removeprefix("-"))
    year, _, rest = said.partition("-")
    if quoted in {f"--{rest}", rest}:  # its year stands elsewhere
        return year in years
    month = re.match(rf"{year}-(\d\d)", quoted)
    number = int(month[1]) - 1 if month else 0
    return bool(month) and rest in {f"Q{number // 3 + 1}", f"H{number // 6 + 1}"}


_JOINT = re.compile(
    r"\s?(?:(?P<range>[-–—]|(?:to|bis|auf|à|a|till|until|through)(?=\s)|±|\+/[-−])"
    r"|[,;/]|,?\s?(?:and|or|against|versus|vs\.?|than|und|oder|et|ou|y|o|e|en)(?=\s))"
    r"\s?(?:(?:from|about|only|some)\s)?\(?",
    re.IGNORECASE,
)
"""Between two numerals of which the second gives both their unit and their scale."""

_FROM = re.compile(r",?\s(?:(?:up|down)\sfrom|against|compared\swith|gegen|gegenüber)\s")
"""Between two of which the first does."""


@lru_cache(maxsize=1 << 12)
def _read(words: Excerpt) -> tuple[_Reading, ...]:
    """Every numeral, once as it stands, and once with what it shares with the next."""
    numerals = find_numerals(words.text, words.language, words.mark)
    readings: list[_Reading] = []
    behind: _Reading | None = None
    bracketed = frozenset(_list_bracketed(spell_signs(translate_units(words.head, words.language))))
    bracketed |= list_units(words.head) if "_" in words.head else frozenset()
    for numeral in reversed((*numerals, *_find_romans(words.text))):
        unit, end = _find_unit(words, numeral)
        named = _name(words.text, numeral) if words.is_name else None
        is_foreign = words.language != "en" and bool(_LETTERS.match(words.text, numeral.end))
        own = _Reading(
            numeral,
            unit,
            end,
            is_foreign,
            named,
            bracketed,
            bool(_AGED.search(words.text, 0, numeral.start)),
            words.is_unnamed,
        )
        joint = _JOINT.fullmatch(words.text, numeral.end, behind.numeral.start) if behind else None
        shared = _share(own, behind) if behind and joint else None
        if behind and _FROM.fullmatch(words.text, end or numeral.end, behind.numeral.start):
            readings += [each for each in [_share(behind, own)] if each]
        behind = shared or own
        is_year = _YEAR.fullmatch(numeral.written)  # "in 2021 to 11.4%"
        is_range = joint is not None and joint["range"] is not None and not is_year
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


def _name(text: str, numeral: Numeral) -> tuple[str, ...]:
    before, behind = text[: numeral.start], _BEHIND.match(text, numeral.end)
    word = before[before.rstrip().rfind(" ") + 1 :]
    digits = text[numeral.start : numeral.end]
    return (*([word + digits] if word.strip() else []), *([digits + behind[0]] if behind else []))


_BEHIND = re.compile(r"\s?[^\s,.;:)]+")


def _share(own: _Reading, behind: _Reading) -> _Reading | None:
    numeral, last = own.numeral, behind.numeral
    is_bare = numeral.is_read and not (numeral.unit or numeral.scale or own.unit)
    if not is_bare or not (last.unit or last.scale or behind.unit):
        return None
    if last.unit == DATE:  # "2 or 19 September"
        month = _DAY.fullmatch(last.written)
        if not month or not numeral.written.isdigit() or not 1 <= numeral.value <= _LAST_DAY:
            return None
        written = f"{month[1]}{numeral.value:0>2}"
        return own._replace(numeral=numeral._replace(unit=DATE, written=written))
    if last.unit == CLOCK:  # "von 9 bis 17 Uhr"
        return own._replace(numeral=numeral._replace(unit=CLOCK, written=f"{numeral.value:0>2}:00"))
    return own._replace(
        numeral=_scale(numeral, last.scale)._replace(unit=last.unit), unit=behind.unit
    )


_DAY, _LAST_DAY = re.compile(r"((?:\d{4}|-)-\d\d-)\d\d"), 31
_BETWEEN = re.compile(r"[^.;:!?\n]{1,40}")


def _share_more(text: str, readings: Sequence[_Reading]) -> Iterator[_Reading]:
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


_PENCE = re.compile(r"p\b")  # "15p"
_HAS = re.compile(r"ha\s(?!d[ei]\b|d['’])[^\W\d]")  # "il conto 66387 ha raccolto"
_THEN = re.compile(r"\s(?:later|earlier|ago|before|after)\b")
_LETTERS = re.compile(r"[^\S\t]?-?[^\W\d_]")  # of its own cell
_GAP = re.compile(r"[\s\u00a0\u202f-]?")
_PARTITIVE = re.compile(r"\s(?:d[ei]\s|d['’])", re.IGNORECASE)  # "millions d'euros"


def _find_unit(words: Excerpt, numeral: Numeral) -> tuple[Unit | None, int]:
    if numeral.currency:
        unit, end = read_currency(words.text, numeral.end, numeral.currency)
        if not _THEN.match(words.text, end):  # "£16,400 a year later"
            return unit, end
        return Unit(Kind.MONEY, unit.symbol.partition("/")[0]), numeral.end
    gap = numeral.scale and _PARTITIVE.match(words.text, numeral.end)
    gap = gap or _GAP.match(words.text, numeral.end)
    at = gap.end() if gap else numeral.end
    if numeral.unit:
        return None, numeral.end
    if words.language == "en" and _PENCE.match(words.text, numeral.end):
        return SPELLINGS["pence"], numeral.end + 1
    read = read_unit(words.text, at)
    if words.language != "en":
        read = read_foreign_unit(words.text, at, words.language) or read
    if words.language in {"it", "es"} and _HAS.match(words.text, at):
        read = None
    return read or (None, numeral.end)


_HEAD = 200  # characters of a head or note
_HEAD_WORD = re.compile(r"°?[^\W\d_]++[²³]?(?!\d)|[%€$£¥]")  # no minutes in "rate_min1"
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]+)[)\]]")


@lru_cache(maxsize=1 << 12)
def list_units(head: str, language: str = "en") -> frozenset[Unit]:
    """The units that the head of a column or a heading names: `amount_gbp`, `Length (km)`."""
    head = _BIG_KRONOR.sub("", head)
    head = head if language == "en" else translate_units(head, language, are_compounds=True)
    words = [word[0] for word in _HEAD_WORD.finditer(head.replace("_", " ")) if _may_be_unit(word)]
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
        starts = (word.start() for word in _HEAD_WORD.finditer(spelt) if _may_be_unit(word))
        whole = tuple(read[0] for read in (read_unit(spelt, at) for at in starts) if read)
    return frozenset(unit for unit in (*named, *whole) if unit)


_BIG_KRONOR = re.compile(r"\b[TtMm](?=kr\b)")
_PERCENT = re.compile(r"%|\bp(?:er|ro|our|or)\s?[cz]ent|\bper\s?cento", re.IGNORECASE)


def spell_signs(head: str) -> str:
    """Write the currencies of a head as codes: "GBP per m²", and "Cost (USD per kg)"."""
    head = re.sub(r"\bper (\w+) \(([A-Z]{0,3}[€$£¥]|[A-Z]{3})\)", r"(\2 per \1)", head)
    head = re.sub(r"(?<![^\W\d_])p(?=\)| per\b|/)", "pence", head)  # "Hire (p per copy)"
    return _SIGN.sub(lambda sign: SIGNS.get(sign[1]) or SIGNS[sign[1][-1]], head)


_SIGN = re.compile(r"([A-Z]{0,3}[€$£¥])(?:\s?(?:k|mn?|bn|000)\b)?")  # what it scales stands apart


def _may_be_unit(word: re.Match[str]) -> bool:
    """Whether a word of a head may be a unit: no letter that stands for a name, as of "Hall A"."""
    before = word.string[: word.start()]
    return len(word[0]) > 1 or not word[0].isalpha() or bool(_UNIT_OPENS.search(before))


_UNIT_OPENS = re.compile(r"(?:\A\s*|[(\[/,:\d]|\b(?:in|per|en|em|je|pro|and))\s?\Z")


def _list_bracketed(head: str) -> Iterator[Unit]:
    # Of "Cost (CHF million per year)" the scale stands apart.
    read = (read_unit(_SCALE_WORD.sub("", words), 0) for words in _IN_BRACKETS.findall(head))
    yield from (unit for unit, _ in filter(None, read))
    # "yield 2023, t/ha", "running time in minutes", and no columns that nobody can part
    _, *behind = _UNIT_BEHIND.split(head)
    last = read_unit(behind[0], 0) if len(behind) == 1 else None
    if last and last[1] == len(behind[0]):
        yield last[0]


_UNIT_BEHIND = re.compile(r", | (?:in|en|em) ")
_IN_PERCENT = SPELLINGS[PERCENT]

_SCALE_WORDS = (
    r"thousands?|tausend|tsd|millions?|millionen|mio|billions?|milliarden|mrd|lakhs?|crores?"
    r"|hundreds?"
)
_SCALE_WORD = re.compile(rf"\b(?:{_SCALE_WORDS})\b\.?\s?", re.IGNORECASE)
_CODES = "|".join(sign for sign in SIGNS if re.fullmatch("[A-Z]{3}", sign))
_HEAD_SCALE = re.compile(
    rf"[£$€]\s?(?P<short>k|mn?|bn)\b|\b(?-i:(?P<letter>[TkM](?=(?:{_CODES})\b|[£$€])|[TtMm](?=kr\b)))|"
    rf"\b(?P<word>{_SCALE_WORDS})\b"
    r"|\b(?P<other>hundert|centaines|milliers|migliaia)\b|['’]?(?<!\d)(?P<zeros>000)\b"
    # "in 1,000 CHF" and "1000 EUR", and neither "per 1000" nor the race of "1000 m"
    r"|(?:\b(?:in|en|à|(?-i:[A-Z]{3}))\s|[£$€×]\s?)1[.,'’\s]?000\b"
    r"|\b1[.,'’\s]?000(?=\s?(?:(?-i:[A-Z]{3})\b|[£$€]))",
    re.IGNORECASE,
)


def find_scale(head: str, language: str = "en") -> int:
    """Say in which power of ten the cells of a column stand: 3 under "(£ thousand)"."""
    numerals = _HEAD_SCALE.search(head)
    if numerals is None:
        scales, words = load_scales(language)
        word = words.search(f" {head}") if language != "en" else None
        return scales[word[1].casefold().rstrip(".")] if word else 0
    read = find_numerals(f"1 {numerals['word']}") if numerals["word"] else ()
    known = (numerals["short"] or numerals["other"] or numerals["letter"] or "k").lower()
    return read[0].scale if read else _POWERS[known]


_POWERS = {"k": 3, "t": 3, "m": 6, "mn": 6, "bn": 9, "hundert": 2, "centaines": 2, "milliers": 3}
_POWERS |= {"migliaia": 3}


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
    before, *behind = _UNIT_NOTE.split(_INITIALS.sub("", part))
    words = behind[-1].split()[:_UNIT_WORDS] if behind else before.split()
    return len(words) <= _UNIT_WORDS and bool(list_units(" ".join(words)))


_UNIT_NOTE = re.compile(r" \(|: |\b(?:in|en|em) ")  # "Temperatures in °C", "Length (mm)"
_INITIALS = re.compile(r"\b(?:[A-Z]\.)+[A-Z]?")
_UNIT_WORDS = 3

_NO_VALUE = re.compile(
    r"(?<!\d)(?:(?:1[.,'’\s]?)?000|(?:19|20)\d\d)(?!\d)|\A\w+\s\d+[a-z]?[.:]\s"  # "Table 1. "
)


_ROMAN = re.compile(r"(?<=[a-z,] )(?:X{0,3}(?:IX|IV|V?I{0,3}))(?<=[IVX]{2})(?!\w)")


def _find_romans(text: str) -> Iterator[Numeral]:
    """Parts that are counted in Roman numbers: "Part XIV"."""
    for match in _ROMAN.finditer(text):
        values = [{"I": 1, "V": 5, "X": 10}[char] for char in match[0]]
        signed = [-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True)]
        yield Numeral(*match.span(), Decimal(sum(signed)), str(sum(signed)))
