"""Times: the years that a value holds for, since values of different years may both be right."""

import re

from caveat.adapters.extractive.attributes import Attribute
from caveat.contracts.source import SourceRef
from caveat.rules.text.words import listing, stem

Years = frozenset[int]
"""The years that a value is said to hold for; none when nothing is said of time."""

LAG = 3
"""Years that a figure without a year may be old when it is published: censuses and accounts take
that long to reach those who quote them."""

_YEAR = re.compile(r"(?<![\w.,/-])(1[5-9]\d\d|20\d\d)(?![\w%/-]|[.,]\d)")

_CHANGING = frozenset(
    stem(word)
    for word in listing(
        "population inhabitants people gdp price cost revenue income profit turnover debt sales",
        "export exports import imports unemployment employment employees staff members users",
        "downloads rate growth inflation production consumption capacity emissions passengers",
        "visitors students subscribers salary wage budget expenditure expectancy mortality",
        "fertility market reserves packages developers households traffic",
    )
)
"""Words of attributes that a year later are others, even where a sentence gives no year."""


def years(around: str, attribute: Attribute, source: SourceRef | None) -> Years:
    """Tell which years a value holds for.

    Args:
        around: the sentence without the value.
        attribute: what it is the value of.
        source: who says it.

    Returns:
        The years in the sentence; for what changes from year to year, else those up to the year in
        the source's title, else up to its publication. None for what was measured: that holds for
        all years, and a year beside it is when it was measured.
    """
    if attribute.measured:
        return frozenset()
    said = _years(around)
    if said or source is None or _CHANGING.isdisjoint(attribute.key):
        return said
    titled = _years(source.title)
    if titled:
        return _up_to(max(titled))
    return _up_to(source.published.year) if source.published else said


def may_be_one_time(one: Years, other: Years) -> bool:
    """Whether two values can be about one time."""
    return not one or not other or not one.isdisjoint(other)


def _up_to(year: int) -> Years:
    return frozenset(range(year - LAG, year + 1))


def _years(text: str) -> Years:
    found = years_named(text)
    return found | {NOW} if _PRESENT.search(text) else found


def years_named(text: str) -> Years:
    """Tell which years stand in a text."""
    return frozenset(map(int, _YEAR.findall(text)))


NOW = 9999
"""The year of what is said to be so today: no other year, whichever it is."""
_PRESENT = re.compile(r"(?i:\b(?:today|nowadays|currently|at present|by now|since \d{4})\b)")
