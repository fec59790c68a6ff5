"""Times: the months that a value holds for, since values of two periods may both be right."""

import re
from collections.abc import Iterator

from caveat.adapters.extractive.entities import Key
from caveat.contracts.claim import Claim
from caveat.contracts.source import SourceRef
from caveat.rules.text.words import build_word_list, stem

Period = frozenset[int]
"""The months that a value is said to hold for, counted from year 0; none when nothing says so."""

LAG = 3
"""Years that a figure without a year may be old when it is published: censuses and accounts take
that long to reach those who quote them."""

_YEAR = re.compile(r"(?<![\w.,/-])(1[5-9]\d\d|20\d\d)(?![\w%/-]|[.,]\d)")
_YEAR_OF_NAME = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
"""In headings, titles and paths, where a year may stand between any signs."""

_MONTHS = build_word_list("jan feb mar apr may jun jul aug sep oct nov dec")
_OF_MONTH = re.compile(
    rf"(?i:\b({'|'.join(_MONTHS)})[a-z]*\.?,?\s((?:1[5-9]|20)\d\d))(?!\d)"
    r"|(?<!\d)((?:1[5-9]|20)\d\d)-(0[1-9]|1[0-2])(?!\d)|\bQ([1-4])[\s/-]?((?:1[5-9]|20)\d\d)\b"
)
"""A month or a quarter with its year: "March 2024", "2024-03", "Q1 2024"."""

_CHANGING = frozenset(
    stem(word)
    for word in build_word_list(
        "population inhabitants people gdp price cost revenue income profit turnover debt sales",
        "export exports import imports unemployment employment employees staff members users",
        "downloads rate growth inflation production consumption capacity emissions passengers",
        "visitors students subscribers salary wage budget expenditure expectancy mortality",
        "fertility market reserves packages developers households traffic",
    )
)
"""Words of attributes that a year later are others, even where a sentence gives no year."""


def find_period(around: str, attribute: Key, claim: Claim, source: SourceRef | None) -> Period:
    """Tell which months a value holds for.

    Args:
        around: the sentence without the value.

    Returns:
        The period that the sentence names, else its heading, the title or the path; for what
        changes from year to year, else the years up to its publication.
    """
    said = _find_months(around, _YEAR) | (
        _list_year_months(NOW) if _PRESENT.search(around) else frozenset()
    )
    above = (claim.location or "", *((source.title, source.path or "") if source else ()))
    found = said or next(filter(None, (_find_months(each, _YEAR_OF_NAME) for each in above)), said)
    if found or source is None or source.published is None or _CHANGING.isdisjoint(attribute):
        return found
    latest = source.published.year
    return frozenset[int]().union(*map(_list_year_months, range(latest - LAG, latest + 1)))


def may_be_one_time(one: Period, other: Period) -> bool:
    """Whether two values can be about one time."""
    return not one or not other or not one.isdisjoint(other)


def _find_months(text: str, year: re.Pattern[str]) -> Period:
    """The months that a text names; of a year without a month all twelve."""
    months = frozenset(_read(text))
    years = map(int, year.findall(_OF_MONTH.sub("", text)))
    return months.union(*map(_list_year_months, years))


def _read(text: str) -> Iterator[int]:
    for name, of_name, of_digits, digits, quarter, of_quarter in _OF_MONTH.findall(text):
        if quarter:
            first = int(of_quarter) * 12 + 3 * int(quarter) - 3
            yield from range(first, first + 3)
        elif name:
            yield int(of_name) * 12 + _MONTHS.index(name.lower())
        else:
            yield int(of_digits) * 12 + int(digits) - 1


def _list_year_months(year: int) -> Period:
    return frozenset(range(year * 12, year * 12 + 12))


def find_years(text: str) -> frozenset[int]:
    """Tell which years stand in a text."""
    return frozenset(map(int, _YEAR.findall(text)))


NOW = 9999  # the year of what is said to be so today: no other year, whichever it is
_PRESENT = re.compile(r"(?i:\b(?:today|nowadays|currently|at present|by now|since \d{4})\b)")
