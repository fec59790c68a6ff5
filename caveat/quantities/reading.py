"""Quantities: numbers with a unit, money, percentages, durations, sizes, counted nouns, dates.

A regular expression reads them, because a grammar library costs fifty times as much and takes
"30 seconds" for an angle. Version, section and page numbers, addresses and the years of citations
are not quantities.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
from caveat.quantities.units import Kind, Unit, read_currency, read_foreign_unit, read_unit


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
    quantities = [
        _build_date(day.start, day.end, day.low, day.high)
        for day in find_dates(text, language)
        if day.low and not _has_unit(text, day.start, day.end)
    ]
    quantities += _exclude_overlaps(quantities, _find_measures(text, language))
    quantities.sort(key=lambda quantity: quantity.start)
    return tuple(_join_ranges(text, quantities))


@lru_cache(maxsize=1 << 12)
def find_values(text: str, language: str = "en") -> tuple[Quantity, ...]:
    """Find the quantities of a text, and bare numbers that only its words explain ("R0 is 1.8")."""
    quantities = [
        each for each in find_quantities(text, language) if not _HALF_READ.match(text, each.end)
    ]
    taken = {offset for each in quantities for offset in range(each.start, each.end)}
    bare = (
        _apply_qualifiers(text, _build_quantity(each, each.start, each.end, Unit(Kind.NUMBER, "")))
        for each in _find_amounts(text, language)
        if taken.isdisjoint(range(each.start, each.end))
        and not each.is_spelt
        and not each.currency
        and _BARE_END.match(text, each.end)
    )
    return tuple(sorted((*quantities, *bare), key=lambda each: each.start))


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


_HALF_READ = re.compile(r"\s?[/·^×]")  # behind a unit of which only the beginning is known
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


def _build_date(start: int, end: int, low: float, high: float) -> Quantity:
    return Quantity(start, end, Kind.DATE, (low + high) / 2, "date", low, high)


def _exclude_overlaps(taken: list[Quantity], quantities: Iterator[Quantity]) -> list[Quantity]:
    covered = {offset for quantity in taken for offset in range(quantity.start, quantity.end)}
    return [
        quantity
        for quantity in quantities
        if not covered.intersection(range(quantity.start, quantity.end))
    ]


class _Amount(NamedTuple):
    """A numeral with the uncertainty or the range that is written with it."""

    start: int
    end: int
    number: float
    low: float  # the lowest value that its uncertainty, range or rounding allows
    high: float
    currency: str
    is_spelt: bool
    is_uncertain: bool = False
    is_scaled: bool = False
    share: tuple[Unit, int] | None = None  # percent or points behind it, and where they end


_SHARES = frozenset({PERCENT, POINTS})
_IGNORED = frozenset({DATE, CLOCK, ORDINAL, TIMES, FRACTION})
_GLUED = re.compile(r"(?:[\w.,:/@^_\\#]|[A-Za-z)\d][-–−])\Z")
_CONTINUED = re.compile(r"[.,:/]?\d")
_NOTE = r"(?:\s?\((?:stat|sys|syst|statistical|systematic|random|total|rand)[^()\n]{0,24}\))?"
_ERROR = re.compile(rf"{_NOTE}\s?(?:±|\+/[-−–]?|\+[-−]?(?=\s?\d)|\\pm)\s?")
_END_NOTE = re.compile(_NOTE)
_UP_TO = re.compile(r"\s?(?:\^\{)?\+\s?")
_DOWN_TO = re.compile(r"\}?\s?(?:/|,\s?)?(?:_\{)?[-−–]?\s?")
_DASH = re.compile(r"\s?(?P<dash>[-–—−]|\b(?:to|and)\b)\s?")


def _find_amounts(text: str, language: str) -> Iterator[_Amount]:
    """Join numerals that are one: 73.04 ± 1.04, 73.3 +1.7/−1.8, 67–73."""
    read = (each for each in find_numerals(text, language) if each.is_read)
    numerals = [each for each in read if each.unit not in _IGNORED]
    at = 0
    while at < len(numerals):
        first, *others = numerals[at : at + 4]
        at += 1
        if _GLUED.search(text, max(0, first.start - 2), first.start) and not first.currency:
            continue
        amount, used = _join_numerals(text, first, others)
        at += used
        if not _CONTINUED.match(text, amount.end):
            yield amount


def _join_numerals(text: str, first: Numeral, others: Sequence[Numeral]) -> tuple[_Amount, int]:
    number, half = float(first.value), _compute_rounding(first)
    start = first.start
    if first.currency:
        start = text.rindex(first.currency, 0, start)
        start -= number < 0 < start and text[start - 1] in "-−"
    plain = _Amount(
        start, first.body, number, number - half, number + half, first.currency,
        first.is_spelt, is_scaled=bool(first.scale),
        share=(Unit(Kind.PERCENT, first.unit), first.end) if first.unit in _SHARES else None,
    )  # fmt: skip
    if first.end != first.body or first.is_spelt:
        return plain, 0
    errors, end = [], first.end
    if len(others) > 1 and _UP_TO.fullmatch(text, end, others[0].start):
        up, down = others[0], others[1]
        behind = _DOWN_TO.fullmatch(text, up.end, down.start)
        if behind and (down.value < 0 or behind[0].strip("/, }_{")):
            end = down.end + (text[down.end : down.end + 1] == "}")
            low, high = number - abs(float(down.value)), number + float(up.value)
            return plain._replace(end=end, low=low, high=high, is_uncertain=True), 2
    for error in others:
        if _ERROR.fullmatch(text, end, error.start) is None:
            break
        errors.append(abs(float(error.value)))
        note = _END_NOTE.match(text, error.body)
        end = note.end() if note else error.body
    if errors:
        room = math.hypot(*errors)
        low, high = number - room, number + room
        return plain._replace(end=end, low=low, high=high, is_uncertain=True), len(errors)
    if others and _is_written_range(text, first, others[0]):
        last = others[0]
        low = number * (1 if first.scale else 10.0**last.scale)
        high = float(last.value)
        middle = (low + high) / 2
        return plain._replace(end=last.body, number=middle, low=low, high=high,
                              is_scaled=bool(last.scale)), 1  # fmt: skip
    return plain, 0


def _compute_rounding(numeral: Numeral) -> float:
    """Half of the last written decimal: 1.3 stands for 1.25 to 1.35, 36 for itself alone."""
    exponent = numeral.value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent >= numeral.scale or numeral.is_spelt:
        return 0.0
    return float(0.5 * 10.0**exponent)


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


def _is_written_range(text: str, first: Numeral, last: Numeral) -> bool:
    dash = _DASH.fullmatch(text, first.end, last.start)
    if dash is None or last.currency or last.is_spelt:
        return False
    low = first.value.scaleb(0 if first.scale else last.scale)
    if low >= last.value or _CONTINUED.match(text, last.body):
        return False
    are_years = _YEAR.fullmatch(first.written) and _YEAR.fullmatch(last.written)
    if dash["dash"] == "to" and not are_years and is_changed_from(text, first.start):
        return False
    return dash["dash"] != "and" or bool(_BETWEEN.search(text[: first.start]))


def _find_measures(text: str, language: str) -> Iterator[Quantity]:
    end = 0
    for amount in _find_amounts(text, language):
        if amount.start < end:
            continue  # the exponent of a unit
        if amount.currency and _is_variable(text, amount):
            continue
        quantity = (
            _read_money(text, amount) if amount.currency else _read_measure(text, amount, language)
        )
        if quantity is not None:
            end = quantity.end
            yield _apply_qualifiers(text, quantity)


_OPERATOR_BEFORE = re.compile(r"[\w)][+*/%]\Z")
_OPERATOR_BEHIND = re.compile(r"[+*%][$\w(]")


def _is_variable(text: str, amount: _Amount) -> bool:
    """Whether "$5" is the fifth of something in a program's expression: "($4+$5)"."""
    before = text[max(0, amount.start - 2) : amount.start]
    calculated = _OPERATOR_BEFORE.search(before) or _OPERATOR_BEHIND.match(text, amount.end)
    return amount.currency == "$" and calculated is not None


def _read_money(text: str, amount: _Amount) -> Quantity:
    unit, end = read_currency(text, amount.end, amount.currency)
    return _build_quantity(amount, amount.start, end, unit)


def _read_measure(text: str, amount: _Amount, language: str) -> Quantity | None:
    # "(73.04 ± 1.04) km/s/Mpc": the brackets belong to the number.
    bracket = int(text[amount.end : amount.end + 1] == ")")
    bracket *= int(text[max(0, amount.start - 1) : amount.start] == "(")
    start, end = amount.start - bracket, amount.end + bracket
    read = _read_following_unit(text, end, language) or amount.share
    if read is None and language == "en":
        read = _parse_counted_noun(text, amount, end)
    if read is not None and _LETTER.fullmatch(text[end : read[1]]) and _is_named(text, amount):
        return None
    if read is not None:
        unit, behind = read
        return _build_quantity(amount, start, behind, unit)
    if amount.is_uncertain or amount.is_scaled:
        return _build_quantity(amount, amount.start, amount.end, Unit(Kind.NUMBER, ""))
    return None


_LETTER = re.compile(r"\s?[A-Z]")
"""A unit of one capital, which may also be the name of a part: "Table 3 A"."""


def _build_quantity(amount: _Amount, start: int, end: int, unit: Unit) -> Quantity:
    return Quantity(
        start=start,
        end=end,
        kind=unit.kind,
        number=_tidy(amount.number * unit.factor),
        unit=unit.symbol,
        low=_tidy(amount.low * unit.factor),
        high=_tidy(amount.high * unit.factor),
        uncertain=amount.is_uncertain,
    )


def _tidy(number: float) -> float:
    """Drop the noise of binary fractions: twelve digits are more than any text states."""
    return float(f"{number:.12g}")


_GAP = re.compile(r"(?:[\s\u00a0\u202f~]|\\,|[-‑])?")


def _read_following_unit(text: str, position: int, language: str) -> tuple[Unit, int] | None:
    gap = _GAP.match(text, position)
    start = gap.end() if gap else position
    read = read_unit(text, start)
    if language != "en":
        read = read_foreign_unit(text, start, language) or read
    # "the 1990s" are years, not seconds.
    if read and start == position and text[start : read[1]] == "s" and text[start - 1] == "0":
        return None
    return read


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


def _parse_counted_noun(text: str, amount: _Amount, position: int) -> tuple[Unit, int] | None:
    """Read the noun that a number counts: the first plural among the next three words."""
    if _is_label(text, amount):
        return None
    for _ in range(3):
        word = _WORD.match(text, position)
        if word is None or word[1].lower() in _NOT_COUNTED:
            return None
        position = word.end()
        if _PLURAL.search(word[1]):
            if word[1].lower() in _FRACTIONS or _OUT_OF.search(text[: amount.start]):
                return None
            return _read_rate(text, word[1].lower(), position)
    return None


_FRACTION_WORDS = """
    halves thirds fifths sixths sevenths eighths ninths tenths hundredths thousandths
"""
_FRACTIONS = frozenset(_FRACTION_WORDS.split())
_OUT_OF = re.compile(r"\b(?i:\d+|one|two|three|four|nine)\s(?:in|out\sof)\s\Z")
"""Before a number of which a share is told: "one in five adults"."""


def _is_label(text: str, amount: _Amount) -> bool:
    """Whether a number names a thing (`section 4`, `Debian 12`) or a year instead of counting."""
    if amount.is_spelt:
        return amount.number <= 1  # "one of the hosts", "one person" count nothing
    written = text[amount.start : amount.end]
    is_year = len(written) == 4 and written.isdigit() and 1900 <= amount.number <= 2100
    return is_year or "." in written or _is_named(text, amount)


def _is_named(text: str, amount: _Amount) -> bool:
    before = text[max(0, amount.start - _BEFORE) : amount.start]
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


_UP = (
    r"(?:more|greater|larger|bigger|higher|taller|longer|older|later|heavier|wider|deeper|thicker"
    r"|faster|hotter|warmer)"
)
_DOWN = (
    r"(?:less|fewer|smaller|lower|shorter|younger|earlier|lighter|narrower|shallower|thinner"
    r"|slower|colder|cooler|cheaper)"
)
_AT_LEAST = re.compile(
    rf"(?:\b(?i:at\sleast|(?:no|not)\s{_DOWN}\sthan|(?<!no\s)(?<!not\s){_UP}\sthan|over|above"
    r"|exceed(?:s|ing)|in\sexcess\sof|(?:a\s)?minimum\sof|upwards\sof)\s|[>≥⩾]=?\s?)\Z"
)
_AT_MOST = re.compile(
    rf"(?:\b(?i:at\smost|(?:no|not)\s{_UP}\sthan|(?<!no\s)(?<!not\s){_DOWN}\sthan|up\sto|under"
    r"|below|within|(?:a\s)?maximum\sof)\s|[<≤⩽]=?\s?)\Z"
)
_ABOUT = re.compile(
    r"(?:\b(?i:about|approximately|approx\.|around|roughly|nearly|almost|some|circa|ca\.|an?\s"
    r"estimated)\s|[~≈∼≃]\s?)\Z"
)
_OR_MORE = re.compile(
    r"\+(?!\s?\d)|\s(?:or|and)\s(?:more|greater|above|longer|higher|over|older)\b"
)
_OR_LESS = re.compile(r"\s(?:or|and)\s(?:less|fewer|below|shorter|lower|under)\b|\sat\smost\b")
_BEFORE = 24  # characters that the longest qualifier and its spaces take


def _apply_qualifiers(text: str, quantity: Quantity) -> Quantity:
    """Widen a quantity by the words around it: "at least", "up to", "about", "or more"."""
    before = text[max(0, quantity.start - _BEFORE) : quantity.start]
    if about := _ABOUT.search(before):
        quantity = _widen_approximate(replace(quantity, start=quantity.start - len(about[0])))
        before = before[: about.start()]
    if least := _AT_LEAST.search(before):
        return replace(quantity, start=quantity.start - len(least[0]), high=math.inf)
    if most := _AT_MOST.search(before):
        return replace(quantity, start=quantity.start - len(most[0]), low=-math.inf)
    if more := _OR_MORE.match(text, quantity.end):
        return replace(quantity, end=more.end(), high=math.inf)
    if less := _OR_LESS.match(text, quantity.end):
        return replace(quantity, end=less.end(), low=-math.inf)
    return quantity


def _widen_approximate(quantity: Quantity) -> Quantity:
    """Allow a tenth either way: who says "about" rounds to one or two digits."""
    room = abs(quantity.number) / 10
    low = min(quantity.low, _tidy(quantity.number - room))
    high = max(quantity.high, _tidy(quantity.number + room))
    return replace(quantity, low=low, high=high)


_TO = re.compile(r"\s?(?:[-–—]|to)\s?")
_AND = re.compile(r"\sand\s")
_BETWEEN = re.compile(r"(?i:\bbetween\s)\Z")


def _join_ranges(text: str, quantities: list[Quantity]) -> Iterator[Quantity]:
    """Join "between 67 km and 73 km", "902 °C ± 4 °C" and "2010 to 2015" into one quantity each."""
    last: Quantity | None = None
    for quantity in quantities:
        if last is not None and _is_uncertainty(text, last, quantity):
            last = _add_uncertainty(last, quantity)
            continue
        if last is not None and _is_compound(text, last, quantity):
            last = _sum(last, quantity)
            continue
        if last is not None and _is_range(text, last, quantity):
            last = replace(
                last,
                end=quantity.end,
                number=_tidy((last.low + quantity.high) / 2),
                high=quantity.high,
                uncertain=False,
            )
            continue
        if last is not None:
            yield last
        last = quantity
    if last is not None:
        yield last


_PLUS_MINUS = re.compile(r"\s?(?:±|\+/[-−–]|\\pm)\s?")


def _is_uncertainty(text: str, first: Quantity, second: Quantity) -> bool:
    """Whether the second says how far off the first may be, with a unit of its own behind each."""
    if not _PLUS_MINUS.fullmatch(text[first.end : second.start]):
        return False
    is_plain = first.is_estimate and second.is_estimate and not second.uncertain
    return is_plain and (second.unit in {first.unit, "%"} or {first.unit, second.unit} <= _DEGREES)


_DEGREES = frozenset({"K", "°C"})  # units of which a difference is the same number


def _add_uncertainty(first: Quantity, second: Quantity) -> Quantity:
    is_share = second.unit == "%" != first.unit
    room = abs(first.number) * second.number / 100 if is_share else second.number
    # What the number says of itself joins as one more independent uncertainty.
    own = (first.high - first.low) / 2 if first.uncertain else 0.0
    room = math.hypot(room, own)
    return replace(
        first,
        end=second.end,
        low=_tidy(first.number - room),
        high=_tidy(first.number + room),
        uncertain=True,
    )


_TO_NEXT = re.compile(r"\sto\s")


_PARTS = re.compile(r"\s?(?:,\s?)?(?:(?:and|und|et|y|e|en)\s)?")


def _is_compound(text: str, first: Quantity, second: Quantity) -> bool:
    """Whether two are one, as "two hours and ten minutes" or "5 feet 10 inches" are."""
    if not (first.unit == second.unit in {"s", "m"} and 0 < second.number < first.number):
        return False
    plain = first.is_estimate and second.is_estimate and not (first.uncertain or second.uncertain)
    joined = _PARTS.fullmatch(text[first.end : second.start]) is not None
    return (
        plain
        and joined
        and (_find_unit_initial(text, first), _find_unit_initial(text, second)) in _COMPOUND
    )


_COMPOUND = frozenset(
    {*zip("hmdfsotjg", "mshimmsho", strict=True)}  # hours and minutes … feet and inches … Stunden …
)
"""First letters of a unit and of the one that its parts are told in."""


def _find_unit_initial(text: str, quantity: Quantity) -> str:
    return re.split(r"[\s\d-]", text[quantity.start : quantity.end])[-1][:1].lower()


def _sum(first: Quantity, second: Quantity) -> Quantity:
    return replace(
        first,
        end=second.end,
        number=_tidy(first.number + second.number),
        low=_tidy(first.low + second.low),
        high=_tidy(first.high + second.high),
    )


def _is_range(text: str, first: Quantity, second: Quantity) -> bool:
    if first.unit != second.unit or first.number >= second.number:
        return False
    if not (first.is_estimate and second.is_estimate) or second.number > 1_000 * abs(first.number):
        return False  # "$5 to $7.5 million" leaves open what the five are
    between = text[first.end : second.start]
    before = text[max(0, first.start - _BEFORE) : first.start]
    changes = _TO_NEXT.match(text, first.end) and is_changed_from(text, first.start)
    if first.kind is not Kind.DATE and changes:
        return False  # a change itself lasts "from 2010 to 2020"
    if _AND.fullmatch(between):
        return _BETWEEN.search(before) is not None
    return _TO.fullmatch(between) is not None
