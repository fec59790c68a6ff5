"""Times: the years that a value holds for, since values of different years may both be right."""

import re
from dataclasses import dataclass

from caveat.adapters.extractive.attributes import Stated
from caveat.adapters.extractive.units import Kind
from caveat.adapters.extractive.words import listing, stem
from caveat.contracts.claim import Claim
from caveat.contracts.source import SourceRef


@dataclass(frozen=True)
class Times:
    """The years that a value is said to hold for; none when it says nothing of time."""

    years: frozenset[int] = frozenset()

    def may_be_same(self, other: "Times") -> bool:
        """Whether both can be about one time."""
        return not self.years or not other.years or not self.years.isdisjoint(other.years)


_YEAR = re.compile(r"(?<![\w.,/-])(1[5-9]\d\d|20\d\d)(?![\w%/-]|[.,]\d)")

_CHANGING = frozenset(
    stem(word)
    for word in listing(
        "population inhabitants people gdp price cost revenue income profit turnover debt sales",
        "export exports import imports unemployment employment employees staff members users",
        "downloads rate growth inflation production consumption capacity emissions passengers",
        "visitors students subscribers salary wage budget expenditure expectancy mortality",
        "fertility market reserves version packages developers households traffic temperature",
    )
)
"""Attributes that a year later are others, even where a sentence gives no year."""


def times(claim: Claim, each: Stated, source: SourceRef | None) -> Times:
    """Tell which years a value holds for.

    Those in the sentence; for what changes from year to year, else that of the source's title, else
    that of its publication. A value that was measured holds for all years, and an event is itself
    a time.
    """
    if each.measured or each.quantity.kind is Kind.DATE:
        return Times()
    before, after = claim.quote[: each.quantity.start], claim.quote[each.quantity.end :]
    years = _years(f"{before} {after}")
    if years or source is None or _CHANGING.isdisjoint(each.attribute):
        return Times(years)
    titled = _years(source.title)
    if not titled and source.published is not None:
        titled = frozenset({source.published.year})
    return Times(titled)


def _years(text: str) -> frozenset[int]:
    return frozenset(int(year) for year in _YEAR.findall(text))
