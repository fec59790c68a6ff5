"""Quantities: numbers with a unit, money, percentages, durations, sizes, counted nouns, dates.

A regular expression reads them, because a grammar library costs fifty times as much and takes
"30 seconds" for an angle. Version, section and page numbers, addresses and the years of citations
are not quantities.
"""

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from caveat.quantities.dates import find_dates
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
)
from caveat.quantities.units import SPELLINGS, Kind, Unit, find_unit, read_currency, read_unit


@dataclass(frozen=True)
class Quantity:
    """One quantity as a text states it."""

    start: int
    end: int
    kind: Kind
    number: float  # its central number, in `unit`; a date counts in decimal years
    unit: str  # normalised unit, the plural noun that is counted, `date`, or nothing
    # the lowest number that the words allow: an uncertainty, a range, "at least", the rounding of
    # the last decimal; minus infinity for "at most"
    low: float
    high: float  # the highest; infinity for "at least"
    uncertain: bool = False  # whether the text states an uncertainty (`±`)

    @property
    def is_estimate(self) -> bool:
        """Whether it says how much, rather than "at least" or "at most" how much."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def agrees_with(self, other: "Quantity") -> bool:
        """Whether both can be true of the same thing: one unit, and the intervals overlap."""
        if self.unit != other.unit or self.number == other.number:
            return self.unit == other.unit
        # 1.91 and 1.92 are two values, though what each may be rounded from touches the other.
        return _is_below(self.low, other.high) and _is_below(other.low, self.high)


def _is_below(one: float, other: float) -> bool:
    return one < other and not math.isclose(one, other, rel_tol=1e-9)


@lru_cache(maxsize=1 << 12)
def find_quantities(text: str, language: str = "en") -> tuple[Quantity, ...]:
    """Find the quantities of a text, in order, without overlaps; of counted nouns the English.

    Returns:
        Quantities with `text[start:end]` as written, "at least" and "about" included.
    """
    return tuple(each.quantity for each in _find_all(text, language) if not each.is_bare)


@lru_cache(maxsize=1 << 12)
def find_values(text: str, language: str = "en") -> tuple[Quantity, ...]:
    """Find the quantities of a text, and bare numbers that only its words explain ("R0 is 1.8")."""
    return tuple(
        each.quantity
        for each in _find_all(text, language)
        if not each.is_bare or (_BARE_END.match(text, each.end) and not each.is_spelt)
    )


class Figure(NamedTuple):
    """A number of a text with its unit, `text[start:end]`."""

    start: int
    end: int
    is_date: bool


def list_figures(text: str, language: str = "en") -> list[Figure]:
    """List the values of a text and the numbers of what is no unit there: "98 autos"."""
    values = find_values(text, language)
    figures = [Figure(each.start, each.end, each.kind is Kind.DATE) for each in values]
    figures += [
        Figure(each.start, each.end, each.unit == DATE)
        for each in find_numerals(text, language)
        if each.is_read and not any(value.start <= each.start < value.end for value in values)
    ]
    return sorted(figures)


_BARE_END = re.compile(
    r"\s?(?:[.;,)]?\Z|[.;,)](?=\s[^\d])|\s?\((?!\d{1,3}\))|\s(?:and(?!\s\d)|in|at|on|as|for|according|by"
    r"|with|but|while|which|based|from|of the)\b)"
)
"""What may follow a number without a unit; another word may be a unit that is not known."""


_DATING = re.compile(r"(?i:\b(?:in|since|until|till|during|before|after|year|early|late)[\s-])\Z")
"""Words that make four digits a year whatever follows: "In 2007 K. Smith found it"."""


def _has_unit(text: str, start: int, end: int) -> bool:
    """Whether four digits measure something, as in "a melting point of 1811 K"."""
    if end - start != 4 or not text[end : end + 1].isspace():
        return False
    return not _DATING.search(text[:start]) and read_unit(text, end + 1) is not None


class _Found(NamedTuple):
    """A quantity, and how it is written."""

    quantity: Quantity
    end: int  # without "or more"
    unit: Unit | None = None
    value: Decimal = Decimal(0)
    scale: int = 0
    is_spelt: bool = False
    is_glued: bool = False  # to a name, unless it ends a range

    @property
    def is_bare(self) -> bool:
        """Whether nothing but its words say what it counts."""
        quantity = self.quantity
        is_date = quantity.kind is Kind.DATE
        return not (self.unit or is_date or quantity.uncertain or self.scale)


_SHARES = frozenset({PERCENT, POINTS})
_IGNORED = frozenset({DATE, CLOCK, ORDINAL, TIMES, FRACTION})
_GLUED = re.compile(r"(?:[\w.,:/@^_\\#]|[A-Za-z)\d][-–−])\Z")
_CONTINUED = re.compile(r"[.,:/]?\d")
_NUMBER = r"\d+(?:[.,]\d+)*"
_NOTE = r"(?:\s?\((?:stat|sys|syst|statistical|systematic|random|total|rand)[^()\n]{0,24}\))?"
_ERROR = re.compile(rf"\s?(?:±|\+/[-−–]?|\+[-−]|\\pm)\s?(?P<by>{_NUMBER}){_NOTE}")
_UP_AND_DOWN = re.compile(
    rf"[ \u00a0]?(?:\^\{{)?\+\s?(?P<up>{_NUMBER})\s?\}}?\s?(?:/|,\s?)?"
    rf"(?:_\{{)?[-−–]\s?(?P<down>{_NUMBER})\}}?"
)


def _find_all(text: str, language: str) -> list[_Found]:
    """Find the quantities and bare numbers of a text, ranges and uncertainties as one each."""
    dates = (
        Quantity(day.start, day.end, Kind.DATE, (day.low + day.high) / 2, "date", day.low, day.high)
        for day in find_dates(text, language)
        if day.has_year and not _has_unit(text, day.start, day.end)
    )
    candidates = [_Found(each, each.end) for each in dates]
    days = {
        offset for each in candidates for offset in range(each.quantity.start, each.quantity.end)
    }
    end = 0
    for numeral in find_numerals(text, language):
        if numeral.is_read and numeral.unit not in _IGNORED and numeral.start >= end:
            read = _read(text, numeral, language)
            place = range(read.quantity.start, read.end) if read else range(0)
            if read and place.start >= end and days.isdisjoint(place):
                candidates.append(read)
                end = read.end  # beyond an error, or the exponent of a unit
    joined: list[_Found] = []
    for each in sorted(candidates, key=lambda each: each.quantity.start):
        both = _join(text, joined[-1], each) if joined else None
        joined[-1:] = [both] if both else [*joined[-1:], each]
    return [
        each._replace(quantity=_apply_bound(text, each.quantity))
        for each in joined
        if not each.is_glued
    ]


def _read(text: str, numeral: Numeral, language: str) -> _Found | None:
    """Read a numeral with its uncertainty and its unit: 73.04 ± 1.04 km, 902 °C ± 4 °C."""
    start, end = numeral.start, numeral.body
    if numeral.currency:
        start = text.rindex(numeral.currency, 0, start)
        start -= numeral.value < 0 < start and text[start - 1] in "-−"
    is_glued = not numeral.currency and _GLUED.search(text, max(0, start - 2), start) is not None
    number = float(numeral.value)
    # Half of the last decimal: 1.3 stands for 1.25 to 1.35, 36 for itself alone.
    is_exact = numeral.is_spelt or numeral.place >= numeral.scale
    rounding = 0.0 if is_exact else float(0.5 * 10.0**numeral.place)
    errors: list[tuple[float, float]] = []  # downwards and upwards
    if numeral.end == end and not numeral.is_spelt:
        if sides := _UP_AND_DOWN.match(text, end):
            errors, end = (
                [(_weigh(sides["down"], language), _weigh(sides["up"], language))],
                sides.end(),
            )
        while not sides and (error := _ERROR.match(text, end)):
            errors, end = [*errors, (_weigh(error["by"], language),) * 2], error.end()
    if _CONTINUED.match(text, end):
        return None
    start, end, unit = _find_unit(text, numeral, start, end, language)
    while unit and (error := _ERROR.match(text, end)):
        more = find_unit(text, error.end(), language)
        symbols = {unit.symbol, more[0].symbol} if more else set()
        if more is None or (len(symbols - {"%"}) > 1 and not symbols <= _DEGREES):
            break
        is_share = more[0].symbol == "%" != unit.symbol
        share = abs(number) / 100 if is_share else more[0].factor / unit.factor
        by = _weigh(error["by"], language) * share
        errors, end = [*errors, (by, by)], more[1]
    below, above = map(math.hypot, *errors) if errors else (rounding, rounding)
    known = unit or Unit(Kind.NUMBER, "")
    low, middle, high = (
        _tidy(each * known.factor) for each in (number - below, number, number + above)
    )
    quantity = Quantity(start, end, known.kind, middle, known.symbol, low, high, bool(errors))
    return _Found(quantity, end, unit, numeral.value, numeral.scale, numeral.is_spelt, is_glued)


def _weigh(digits: str, language: str) -> float:
    return sum(float(each.value) for each in find_numerals(digits, language) if each.is_read)


def _find_unit(
    text: str, numeral: Numeral, start: int, end: int, language: str
) -> tuple[int, int, Unit | None]:
    """Find the unit of a numeral, and where both begin and end."""
    # "(73.04 ± 1.04) km/s/Mpc": the brackets belong to the number.
    is_set = not numeral.currency and text[max(0, start - 1) : start] == "("
    bracket = int(is_set and text[end : end + 1] == ")")
    read = find_numeral_unit(text, numeral, end + bracket, language)
    if read is None and numeral.unit in _SHARES:
        read = Unit(Kind.PERCENT, numeral.unit), numeral.end
    if read is None and language == "en":
        read = _parse_counted_noun(text, numeral, end + bracket)
    is_part = read and _LETTER.fullmatch(text[end + bracket : read[1]]) and _is_named(text, start)
    if read is None or is_part:
        return start, end, None
    return start - bracket, read[1], read[0]


def find_numeral_unit(
    text: str, numeral: Numeral, position: int, language: str
) -> tuple[Unit, int] | None:
    """Read the unit of a numeral that ends at a position, and say where it ends itself."""
    if numeral.currency:
        return read_currency(text, position, numeral.currency, language)
    if language == "en" and _PENCE.match(text, position):
        return SPELLINGS["pence"], position + 1
    gap = _PARTITIVE.match(text, position) if numeral.scale else None
    return find_unit(text, gap.end() if gap else position, language)


_PENCE = re.compile(r"p\b")  # "15p"
_PARTITIVE = re.compile(r"\s(?:d[ei]\s|d['’])", re.IGNORECASE)  # "millions d'euros"


_CHANGED = re.compile(
    r"\b(?i:ris(?:e|es|en|ing)|rose|rais\w+|increas\w+|grew|grow\w*|climb\w*|jump\w*|fall(?:s|en|ing)?"
    r"|fell|drop\w*|declin\w+|decreas\w+|reduc\w+|lower(?:s|ed|ing)?|cuts?|cutting|shr[aiu]nk|shrinks"
    r"|chang\w+|went|goes|gone|mov(?:es?|ed)|up|down|improv\w+|extend\w*|expand\w*|doubl\w+|revis\w+"
    r"|correct\w+|slipp\w+|soar\w*|widen\w*|adjust\w*)\b[^.;:]{0,60}\bfrom\s\Z"
)
"""Before two numbers that are no range: a value before and after it changed."""


def is_changed_from(text: str, position: int) -> bool:
    """Tell whether what stands at a position is what something changed from, as "rose from 48"."""
    return _CHANGED.search(text[max(0, position - 100) : position]) is not None


_LETTER = re.compile(r"\s?[A-Z]")
"""A unit of one capital, which may also be the name of a part: "Table 3 A"."""


def _tidy(number: float) -> float:
    """Drop the noise of binary fractions: twelve digits are more than any text states."""
    return float(f"{number:.12g}")


_WORD = re.compile(r"[\s\u00a0-]([A-Za-z][A-Za-z’'-]*)")
_PLURAL = re.compile(
    r"(?:(?:[a-hj-rtv-z]|(?<![A-Za-z-])[A-Z-]*+[a-z][A-Za-z-]*[A-Z-])s"
    r"|people|children|men|women|supernovae|criteria)\Z"
)
_FUNCTION_WORDS = """
    is was has does as this its his hers ours yours theirs us thus always sometimes besides
    perhaps plus versus says means makes gives takes uses needs allows requires provides shows
    lies stands and or of in on at to for from by with than that which who but the a an are were
    be been will would can could may might must should if when while it they we you he she not
    no
"""
_NOT_COUNTED = frozenset(_FUNCTION_WORDS.split())
_BEFORE_COUNTS = """
    about over under around approximately roughly nearly almost some these those all only using
    between among after before within above below exactly another just every most least than
    there our their both together find found use used
"""
_OPENERS = _NOT_COUNTED.union(_BEFORE_COUNTS.split())
"""Words before a count that are no name, even with a capital at the start of a sentence."""
_RATE = re.compile(r"\s?/\s?|\s(?:per|an?|each|every)\s")
_LABEL = re.compile(
    r"(?:\b(?i:versions?|v|sections?|chapters?|figures?|figs?|tables?|pages?|pp?|rfc|ports?|bugs?|no"
    r"|numbers?|equations?|eqs?|steps?|parts?|levels?|lines?|items?|appendix|volume|vol|release|iso"
    r"|issue|class|type|day|phase|grade|article)\.?|#)\s?\Z"
)
_NAME = re.compile(r"\b([A-Z][\w.-]{0,30})\s\Z")


def _parse_counted_noun(text: str, numeral: Numeral, position: int) -> tuple[Unit, int] | None:
    """Read the noun that a number counts: the first plural among the next three words."""
    if _is_label(text, numeral):
        return None
    for _ in range(3):
        word = _WORD.match(text, position)
        if word is None or word[1].lower() in _NOT_COUNTED:
            return None
        position = word.end()
        if _PLURAL.search(word[1]):
            if _OUT_OF.search(text[: numeral.start]):
                return None
            return _read_rate(text, word[1].lower(), position)
    return None


_OUT_OF = re.compile(r"\b(?i:\d+|one|two|three|four|nine)\s(?:in|out\sof)\s\Z")
"""Before a number of which a share is told: "one in five adults"."""


def _is_label(text: str, numeral: Numeral) -> bool:
    """Whether a number names a thing (`section 4`, `Debian 12`) or a year instead of counting."""
    if numeral.is_spelt:
        return numeral.value <= 1  # "one of the hosts", "one person" count nothing
    written = text[numeral.start : numeral.body]
    is_year = len(written) == 4 and written.isdigit() and 1900 <= numeral.value <= 2100
    return is_year or "." in written or _is_named(text, numeral.start)


def _is_named(text: str, start: int) -> bool:
    before = text[max(0, start - _REACH) : start]
    name = _NAME.search(before)
    named = name is not None and name[1].lower() not in _OPENERS
    return named or _LABEL.search(before) is not None


def _read_rate(text: str, noun: str, position: int) -> tuple[Unit, int]:
    per = _RATE.match(text, position)
    read = read_unit(text, per.end()) if per else None
    if read is None or read[0].kind is not Kind.DURATION:
        return Unit(Kind.COUNT, noun), position
    every, end = read
    return Unit(Kind.MEASURE, f"{noun}/{every.symbol}", 1 / every.factor), end


_LESS = (
    r"(?:less|fewer|smaller|lower|shorter|younger|earlier|lighter|narrower|shallower|thinner"
    r"|slower|colder|cooler|cheaper)\sthan"
)
_MORE = rf"(?!{_LESS}|rather\b|other\b)(?:more|\w+er)\sthan"
_BOUND = re.compile(
    rf"(?:\b(?:(?P<floor>at\sleast|(?:no|not)\s{_LESS}|(?<!no\s)(?<!not\s){_MORE}|over|above|a\sgood"
    r"|exceed(?:s|ing)|in\sexcess\sof|(?:a\s)?minimum\sof|upwards\sof|mehr\sals|mindestens|über|gut"
    r"|plus\sde|au\smoins|m[áa]s\sde|al\smenos|più\sdi|almeno)"
    rf"|(?P<ceiling>at\smost|(?:no|not)\s{_MORE}|(?<!no\s)(?<!not\s){_LESS}|up\sto|under|below"
    r"|within|(?:a\s)?maximum\sof|weniger\sals|höchstens|unter|moins\sde|menos\sde|meno\sdi)"
    r"|(?P<almost>nearly|almost|just\sunder|knapp|fast|près\sde|presque|casi|quasi)"
    r"|about|approximately|approx\.|around|roughly|some|circa|ca\.|an?\sestimated|rund|etwa|environ"
    r"|unos|unas)\s(?:about\s|an?\s|die\s|der\s|la\s)?"
    r"|(?P<above>[>≥⩾]=?\s?)|(?P<under>[<≤⩽]=?\s?)|[~≈∼≃]\s?)\s*[£$€]?\Z",
    re.IGNORECASE,
)
"""What makes a number rough, or the bound of an exact one."""
_REACH = 32  # characters that the longest of these take
_OR_MORE = re.compile(
    r"\+(?!\s?\d)|\s(?:or|and)\s(?:more|greater|above|longer|higher|over|older)\b"
)


def find_bound(text: str, position: int) -> re.Match[str] | None:
    """Find what makes the number at a position rough, or a bound: its floor or its ceiling."""
    return _BOUND.search(text, max(0, position - _REACH), position)


def _apply_bound(text: str, quantity: Quantity) -> Quantity:
    """Widen a quantity by the words around it: "at least", "up to", "about", "or more"."""
    if bound := find_bound(text, quantity.start):
        quantity = replace(quantity, start=bound.start())
        if bound["floor"] or bound["above"]:
            return replace(quantity, high=math.inf)
        if bound["ceiling"] or bound["under"]:
            return replace(quantity, low=-math.inf)
        return _widen_approximate(quantity)
    if more := _OR_MORE.match(text, quantity.end):
        return replace(quantity, end=more.end(), high=math.inf)
    return quantity


def _widen_approximate(quantity: Quantity) -> Quantity:
    """Allow a tenth either way: who says "about" rounds to one or two digits."""
    room = abs(quantity.number) / 10
    low = min(quantity.low, _tidy(quantity.number - room))
    high = max(quantity.high, _tidy(quantity.number + room))
    return replace(quantity, low=low, high=high)


_DEGREES = frozenset({"K", "°C"})  # units of which a difference is the same number
_DASH = re.compile(r"\s?(?:[-–—−]|\b(?P<to>to|bis|tot)\b|\b(?P<also>and|und|et|y|e|en)\b)\s?")
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra|fra|tussen)\s\Z", re.IGNORECASE)
_YEAR = re.compile(r"1\d{3}|20\d\d")  # what a change itself lasts: "fell from 2010 to 2020"
_PARTS = re.compile(r"\s?(?:,\s?)?(?:(?:and|und|et|y|e|en)\s)?")
_COMPOUND = frozenset({(86_400.0, 3_600.0), (3_600.0, 60.0), (60.0, 1.0), (0.3048, 0.0254)})
"""Factors of a unit and of that of its parts: hours and minutes, feet and inches."""


def _join(text: str, first: _Found, second: _Found) -> _Found | None:
    """Join "67–73 km", "between 5 m and 7 m" and "two hours and ten minutes" into one each."""
    one, other = first.quantity, second.quantity
    between = text[one.end : other.start]
    factors = [each.unit.factor if each.unit else 1.0 for each in (first, second)]
    if tuple(factors) in _COMPOUND and one.unit == other.unit and _PARTS.fullmatch(between):
        low, middle, high = (
            _tidy(getattr(one, each) + getattr(other, each)) for each in ("low", "number", "high")
        )
        both = replace(one, end=other.end, number=middle, low=low, high=high)
        return second._replace(quantity=both)
    dash = _DASH.fullmatch(between)
    if dash is None or (second.is_spelt and not first.is_spelt) or one.uncertain:
        return None
    low, high = one.low, other.high
    if first.is_bare or (first.scale and not first.unit):  # "3 to 5 million", "67–73 km/s"
        low = _tidy(float(first.value.scaleb(0 if first.scale else second.scale)) * factors[1])
        high = _tidy(float(second.value) * factors[1])
    elif one.unit != other.unit:
        return None
    if low >= high:
        return None
    are_years = one.kind is Kind.DATE or all(
        _YEAR.fullmatch(str(each.value)) for each in (first, second)
    )
    if dash["to"] and not are_years and is_changed_from(text, one.start):
        return None
    if dash["also"] and not _BETWEEN.search(text[: one.start]):
        return None
    middle = _tidy((low + high) / 2)
    both = replace(other, start=one.start, number=middle, low=low, high=high, uncertain=False)
    return second._replace(quantity=both, is_glued=first.is_glued)
