"""Times: the period that a value holds for, since values of two periods may both be right."""

import math
import re
from collections.abc import Collection

from caveat.contracts.source import Claim, SourceRef
from caveat.quantities.reading import find_values
from caveat.quantities.units import Kind

Period = tuple[tuple[float, float], ...]
"""The spans that a value is said to hold for, in decimal years; none when nothing says so."""

_OF_NAME = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)(?:-(0[1-9]|1[0-2]))?(?!\d)")
"""A year or a month in headings, titles and paths, where it may stand between any signs."""


def find_period(
    around: str, claim: Claim, source: SourceRef | None, series: Collection[str] = ()
) -> Period:
    """Tell which period a value holds for.

    Args:
        around: the sentence without the value.
        series: names of documents that come out at intervals (`name_series`). The day or month in
            the title of another one is when it was written: its year counts.

    Returns:
        The period that the sentence names, else its heading, the title or the path.
    """
    title = source.title if source else ""
    heading = (claim.location or "").removeprefix(title)
    if dates := list_dates(around) or _read_name(heading):
        return dates
    titled = _read_name(title) or _read_name((source.path or "") if source else "")
    if name_series(title) in series:
        return titled
    return tuple(
        (math.floor(low), math.ceil(high)) if high - low < _LONG else (low, high)
        for low, high in titled
    )


_LONG = 0.99  # years: "2024/25" is a period of its own


def name_series(title: str) -> str:
    """Name a document without its days and numbers, as all issues of a series are called."""
    for day in reversed([each for each in find_values(title) if each.kind is Kind.DATE]):
        title = f"{title[: day.start]} {title[day.end :]}"
    return " ".join(re.findall(r"[^\W\d_]+", title.casefold()))


def may_be_one_time(one: Period, other: Period) -> bool:
    """Whether two values can be about one time."""
    return not one or not other or any(a < d and c < b for a, b in one for c, d in other)


def list_dates(text: str) -> Period:
    """List the dates that stand in a text."""
    return tuple((each.low, each.high) for each in find_values(text) if each.kind is Kind.DATE)


def _read_name(text: str) -> Period:
    written = ((int(year), int(month or 0)) for year, month in _OF_NAME.findall(text))
    return list_dates(text) or tuple(
        (year + (month - 1) / 12, year + month / 12) if month else (year, year + 1)
        for year, month in written
    )
