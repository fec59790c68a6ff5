"""Dates in prose: days, months and years that a sentence places something at."""

import calendar
import datetime as dt
import re
from collections.abc import Iterator
from typing import NamedTuple

_MONTHS = """
    january february march april may june july august september october november december
"""
_NUMBER_OF = {
    spelling: number
    for number, name in enumerate(_MONTHS.split(), start=1)
    for spelling in (name, name[:3], *(["sept"] if name == "september" else []))
}
_MONTH = "(?:" + "|".join(sorted(_NUMBER_OF, key=len, reverse=True)) + r")\.?"
_YEAR = r"(?:1[0-9]|20)\d\d"
_DATE = re.compile(
    rf"(?<![\w/.-])(?:"
    rf"(?P<iso>(?P<iy>{_YEAR})-(?P<im>0[1-9]|1[0-2])-(?P<id>0[1-9]|[12]\d|3[01]))(?![\w-])"
    rf"|(?i:(?P<dd>[0-3]?\d)(?:st|nd|rd|th)?\s(?:of\s)?(?P<dm>{_MONTH}),?\s(?P<dy>{_YEAR}))(?!\d)"
    rf"|(?i:(?P<mm>{_MONTH})\s(?P<md>[0-3]?\d)(?:st|nd|rd|th)?,?\s(?P<mdy>{_YEAR}))(?!\d)"
    rf"|(?P<nm>(?i:{_MONTH}),?\s(?P<ny>{_YEAR}))(?!\d)"
    # A bare number is a year only behind a word that places things in time.
    rf"|(?i:in|since|by|until|till|during|before|after|around|from|mid|circa|spring"
    rf"|summer|autumn|fall|winter|year|of|to|between|and|the|early|late)[\s-](?P<y>{_YEAR})s?"
    rf"(?![,.]?\d|-\d\d-|[\s-]?%|\w)"
    rf")"
)


class Date(NamedTuple):
    """A date: `text[start:end]`, with its first and last moment as decimal years."""

    start: int
    end: int
    low: float
    high: float


def dates(text: str) -> Iterator[Date]:
    """Find days, months and years; `2019-05-14`, `14 May 2019`, `May 2019`, `in 2019`."""
    # Years of citations such as `(2019)` or `Riess et al. 2022` are not dates of anything.
    for match in _DATE.finditer(text):
        date = _read(match)
        if date is not None:
            yield date


def _read(match: re.Match[str]) -> Date | None:
    if match["y"]:
        year = int(match["y"])
        decade = 10 if match[0].endswith("s") else 1
        return Date(match.start("y"), match.end(), year, year + decade)
    if match["nm"]:
        return _span(match, int(match["ny"]), _month(match["nm"]), None)
    if match["iso"]:
        return _span(match, int(match["iy"]), int(match["im"]), int(match["id"]))
    if match["dm"]:
        return _span(match, int(match["dy"]), _month(match["dm"]), int(match["dd"]))
    return _span(match, int(match["mdy"]), _month(match["mm"]), int(match["md"]))


def _month(text: str) -> int:
    name = re.match(r"[a-z]+", text.lower())
    return _NUMBER_OF[name[0]] if name else 1


def _span(match: re.Match[str], year: int, month: int, day: int | None) -> Date | None:
    days = calendar.monthrange(year, month)[1]
    if day is not None and not 1 <= day <= days:
        return None
    first = dt.date(year, month, day or 1)
    last = dt.date(year, month, day or days)
    return Date(match.start(), match.end(), _decimal(first), _decimal(last + dt.timedelta(days=1)))


def _decimal(day: dt.date) -> float:
    length = 366 if calendar.isleap(day.year) else 365
    return day.year + (day.timetuple().tm_yday - 1) / length
