"""Dates in prose: days, months and years that a sentence places something at."""

import calendar
import datetime as dt
import re
from collections.abc import Iterator
from typing import NamedTuple

_MONTHS = (
    "january januar jänner janvier enero gennaio janeiro januari",
    "february februar février febrero febbraio fevereiro februari",
    "march märz mars marzo março maart",
    "april avril abril aprile",
    "may mai mayo maggio maio mei",
    "june juni juin junio giugno junho",
    "july juli juillet julio luglio julho",
    "august août agosto augustus",
    "september septembre septiembre settembre setembro",
    "october oktober octobre octubre ottobre outubro",
    "november novembre noviembre novembro",
    "december dezember décembre diciembre dicembre dezembro",
)
"""In English, German, French, Spanish, Italian, Portuguese and Dutch, the English name first."""
_NUMBER_OF = {
    spelling: number
    for number, names in enumerate(map(str.split, _MONTHS), start=1)
    for spelling in (*names, names[0][:3], *(["sept"] if number == 9 else []))
}


def parse_month(name: str) -> int | None:
    """Return the number of a month by its name or the beginning of that; None for no month."""
    begins = name.casefold()
    found = (number for full, number in _NUMBER_OF.items() if full.startswith(begins))
    return next(found, None) if len(begins) > 2 else None


def is_month(word: str) -> bool:
    """Whether a word is the name of a month, or the English one of three letters."""
    return word.casefold() in _NUMBER_OF


MONTH = "(?:" + "|".join(sorted(_NUMBER_OF, key=len, reverse=True)) + r")\b\.?"
"""The name of one, in small letters."""

_YEAR = r"(?:1[0-9]|20)\d\d"
_DATE = re.compile(
    rf"(?<![\w/.-])(?=\w)(?:"  # half of the time: each of the forms begins with a letter or digit
    rf"(?P<iso>(?P<iy>{_YEAR})-(?P<im>0[1-9]|1[0-2])-(?P<id>0[1-9]|[12]\d|3[01]))(?![\w-])"
    rf"|(?i:(?P<dd>[0-3]?\d)(?:st|nd|rd|th|er|\.)?\s(?:of\s|de\s)?(?P<dm>{MONTH}),?\s(?:de\s)?"
    rf"(?P<dy>{_YEAR}))(?!\d)"
    rf"|(?i:(?P<mm>{MONTH})\s(?P<md>[0-3]?\d)(?:st|nd|rd|th)?,?\s(?P<mdy>{_YEAR}))(?!\d)"
    rf"|(?P<nm>(?!Mars\s)(?i:{MONTH}),?\s(?P<ny>{_YEAR}))(?!\d)"
    # "Mars 2020" flies; a French month begins with a small letter.
    # A bare number is a year only behind a word that places things in time.
    rf"|(?i:in|since|by|until|till|during|before|after|around|from|mid|circa|spring"
    rf"|summer|autumn|fall|winter|year|of|to|between|and|the|early|late)[\s-](?P<y>{_YEAR})s?"
    rf"(?![,.]?\d|-\d\d-|[\s-]?%|\w)"
    rf")"
)


_HAS_YEAR = re.compile(_YEAR)


class Date(NamedTuple):
    """A date: `text[start:end]`, with its first and last moment as decimal years."""

    start: int
    end: int
    low: float
    high: float

    def holds(self, day: dt.date) -> bool:
        """Whether a day is of it."""
        return self.low <= _compute_decimal_year(day) < self.high


def find_dates(text: str) -> Iterator[Date]:
    """Find days, months and years; `2019-05-14`, `14 May 2019`, `May 2019`, `in 2019`."""
    # Years of citations such as `(2019)` or `Riess et al. 2022` are not dates of anything.
    if _HAS_YEAR.search(text) is None:  # as in most sentences: a tenth of the time to look
        return
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
        return _build_date(match, int(match["ny"]), _look_up_month(match["nm"]), None)
    if match["iso"]:
        return _build_date(match, int(match["iy"]), int(match["im"]), int(match["id"]))
    if match["dm"]:
        return _build_date(match, int(match["dy"]), _look_up_month(match["dm"]), int(match["dd"]))
    return _build_date(match, int(match["mdy"]), _look_up_month(match["mm"]), int(match["md"]))


def _look_up_month(text: str) -> int:
    return _NUMBER_OF[re.split(r"[\s.,]", text.lower(), maxsplit=1)[0]]


def _build_date(match: re.Match[str], year: int, month: int, day: int | None) -> Date | None:
    days = calendar.monthrange(year, month)[1]
    if day is not None and not 1 <= day <= days:
        return None
    first = dt.date(year, month, day or 1)
    last = dt.date(year, month, day or days)
    return Date(
        match.start(),
        match.end(),
        _compute_decimal_year(first),
        _compute_decimal_year(last + dt.timedelta(days=1)),
    )


def _compute_decimal_year(day: dt.date) -> float:
    length = 366 if calendar.isleap(day.year) else 365
    return day.year + (day.timetuple().tm_yday - 1) / length
