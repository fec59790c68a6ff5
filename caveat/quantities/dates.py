"""Days, months, quarters, years and times of day, as texts of any language write them."""

import calendar
import datetime as dt
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from babel import Locale, UnknownLocaleError

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
_KNOWN = frozenset({"en", "de", "fr", "es", "it", "pt", "nl"})


def parse_month(name: str) -> int | None:
    """Return the number of a month by its name or the beginning of that; None for no month."""
    begins = name.casefold()
    numbers = (number for full, number in _NUMBER_OF.items() if full.startswith(begins))
    return next(numbers, None) if len(begins) > 2 else None


def is_month(word: str) -> bool:
    """Whether a word is the name of a month, or the English one of three letters."""
    return word.casefold() in _NUMBER_OF


MONTH = "(?:" + "|".join(sorted(_NUMBER_OF, key=len, reverse=True)) + r")\b\.?"
"""The name of one, in small letters."""

_YEAR = r"(?:1[0-9]|20)\d\d"
_QUARTERS = {
    word: number
    for number, words in enumerate(
        (
            "first erste ersten erstes premier primer primeiro primo eerste",
            "second zweite zweiten zweites deuxième segundo secondo tweede",
            "third dritte dritten drittes troisième tercer terceiro terzo derde",
            "fourth vierte vierten viertes quatrième cuarto quarto vierde",
        ),
        start=1,
    )
    for word in words.split()
}


class Date(NamedTuple):
    """A time as a text states it: `text[start:end]`."""

    start: int
    end: int
    # its first and last moment as decimal years, from 0 to 1 where it names no year; both 0 for the
    # years of accounts, which begin anywhere
    low: float
    high: float
    # 2024-04-03, 2024-04, 2024-Q3, FY2024, --04-03 without a year; empty for a bare year
    iso: str = ""

    def holds(self, day: dt.date) -> bool:
        """Whether a day is of it."""
        return self.low <= _compute_decimal_year(day) < self.high

    @property
    def has_year(self) -> bool:
        """Whether its first and last moment are known."""
        return self.high > 1

    def agrees_with(self, other: "Date") -> bool:
        """Whether both may be one time, or one lies in the other: 6 October and Q4."""
        is_known = self.has_year and other.has_year
        one, another = (0, 0) if is_known else (math.floor(self.low), math.floor(other.low))
        return self.low - one < other.high - another and other.low - another < self.high - one


def find_dates(text: str, language: str = "en") -> Iterator[Date]:
    """Find days, months, quarters and years; `2019-05-14`, `3.4.2024`, `14 May`, `Q3 2024`."""
    # Years of citations such as `(2019)` or `Riess et al. 2022` are not dates of anything.
    pattern, number_of = _load_pattern(language)
    for match in pattern.finditer(text):
        date = _read(match, number_of, language)
        if date is not None:
            yield date


@cache
def _load_pattern(language: str) -> tuple[re.Pattern[str], dict[str, int]]:
    """How dates are written in a language: its months beside the common ones, after CLDR."""
    number_of = dict(_NUMBER_OF)
    if language not in _KNOWN:
        try:
            months = Locale.parse(language).months
        except (UnknownLocaleError, ValueError):
            return _build_pattern(number_of), number_of
        for form in months.values():
            for width in ("wide", "abbreviated"):
                number_of |= {
                    name.casefold().rstrip("."): number
                    for number, name in form.get(width, {}).items()
                    if len(name) > 2 and not name[0].isdigit()
                }
    return _build_pattern(number_of), number_of


def _build_pattern(number_of: Mapping[str, int]) -> re.Pattern[str]:
    names = "|".join(map(re.escape, sorted(number_of, key=len, reverse=True)))
    month = rf"(?i:{names})\b\.?"
    return re.compile(
        # "3-5 March"; half of the time: each form begins with a letter or digit
        rf"(?:(?<![\w/.-])|(?:(?<=(?<![\w-])\d-)|(?<=(?<![\w-])\d\d-))(?=\d\d?\s))(?=\w)(?:"
        rf"(?P<iy>{_YEAR})(?P<is>[-/.])(?P<im>0?[1-9]|1[0-2])(?P=is)(?P<id>0?[1-9]|[12]\d|3[01])"
        rf"(?!(?!T\d\d:\d\d)[\w-])"
        rf"|(?P<jy>{_YEAR})年(?P<jm>\d\d?)月(?:(?P<jd>\d\d?)日)?"
        rf"|(?P<nm>0[1-9]|1[0-2])/(?P<nmy>{_YEAR})(?![\w/-])"
        rf"|(?P<xm>{month})-['’]?(?P<xmy>\d\d)(?![\w-])"  # as sheets write months: "Jan-27"
        rf"|(?P<a>\d\d?)(?P<s>[./-])(?P<b>\d\d?)(?P=s)(?P<ny>{_YEAR})(?![\w-])"
        rf"|(?P<dd>[0-3]?\d)(?:(?:st|nd|rd|th|er|º|ª|\.)?[\s-]|\.)(?i:of\s|de\s)?(?P<dm>{month})"
        rf"(?:,?[\s-](?:de\s)?(?P<dy>{_YEAR})(?!\d))?"
        rf"|(?P<mm>{month})\s(?P<md>[0-3]?\d)(?!\d|[.,:]\d|\s?%)(?:st|nd|rd|th)?(?!\w)"
        rf"(?:,?\s(?P<mdy>{_YEAR})(?!\d))?"
        rf"|(?!Mars\s)(?P<my>{month}),?\s(?:de\s|of\s)?(?P<myy>{_YEAR})(?!\d)"
        # "Mars 2020" flies; a French month begins with a small letter.
        rf"|(?:[QT](?P<q>[1-4])|(?P<qq>[1-4])Q|(?P<qn>(?i:{'|'.join(_QUARTERS)})|[1-4])"
        rf"(?:st|nd|rd|th|\.|er|e|º)?\s(?i:quarter|quartal|trimestre|kwartaal))"
        rf"(?:[\s,/-]?\s?(?i:of\s|de\s)?(?i:the\s)?(?P<qf>FY\s?|fiscal\s(?:year\s)?)?"
        rf"(?P<qy>{_YEAR}(?:/\d\d(?!\d))?|(?<=[QFY ])['’]?\d\d(?=\W|$)(?!\s?%|[.,]\d)))?(?!\w)"
        rf"|(?:H(?P<h>[12])|(?P<hn>(?i:first|second))\s(?i:half)(?=\s(?:of\s)?{_YEAR}))"
        rf"(?:\s(?:of\s)?(?P<hy>{_YEAR}))?(?!\w)"
        rf"|(?P<yq>{_YEAR})[\s/-]?Q(?P<q2>[1-4])(?!\w)"
        rf"|(?:FY|(?i:fiscal|financial)\s(?i:year\s)?)\s?['’]?(?P<fy>{_YEAR}|\d\d)"
        rf"(?P<fz>[/–-]\d\d)?(?!\w)"
        rf"|(?P<ys>{_YEAR})[/–-](?P<ye>\d\d)(?![\w–/-])"
        # A bare number is a year only behind a word that places things in time.
        rf"|(?i:in|since|by|until|till|during|before|after|around|from|mid|circa|spring"
        rf"|summer|autumn|fall|winter|year|of|to|between|and|the|early|late)[\s-](?P<y>{_YEAR})(?![/–-]\d\d(?!\d))s?"
        rf"(?![,.]?\d|-\d\d-|[\s-]?%|\w)"
        rf")"
    )


def _read(match: re.Match[str], number_of: dict[str, int], language: str) -> Date | None:
    groups = match.groupdict()
    if groups["y"]:
        year = int(groups["y"])
        decade = 10 if match[0].endswith("s") else 1
        return Date(match.start("y"), match.end(), year, year + decade)
    if half := groups["h"] or groups["hn"]:
        return _build_part(match, "H", _QUARTERS.get(half.lower()) or int(half), groups["hy"])
    quarter = groups["q"] or groups["qq"] or groups["q2"] or groups["qn"]
    if quarter:
        number = _QUARTERS.get(quarter.lower()) or int(quarter)
        told = groups["yq"] or groups["qy"]
        return _build_part(match, "Q", number, told, is_fiscal=bool(groups["qf"]))
    if groups["fy"]:
        year = int(groups["fy"]) + (2000 if len(groups["fy"]) == 2 else 0)
        years = f"{year}{(groups['fz'] or '').replace('–', '/').replace('-', '/')}"
        return Date(*match.span(), 0, 0, f"FY{years}")
    if groups["ys"]:
        year, ends = int(groups["ys"]), int(groups["ye"])
        if (year + 1) % 100 != ends:
            # 2024-11 is a month, where it cannot be a span of years.
            is_month = match[0][4] == "-" and ends < year % 100
            return _build_date(match, year, ends, None) if is_month else None
        return Date(*match.span(), 0, 0, f"{groups['ys']}/{groups['ye']}")
    return _read_day(match, groups, number_of, language)


def _build_part(
    match: re.Match[str], letter: str, number: int, written: str | None, *, is_fiscal: bool = False
) -> Date:
    """Build a quarter or a half of a year."""
    digits, months = (written or "").strip("'’"), 3 if letter == "Q" else 6
    if not digits:
        return Date(
            *match.span(), months * (number - 1) / 12, months * number / 12, f"{letter}{number}"
        )
    year = int(digits.partition("/")[0]) + (2000 if len(digits) == 2 else 0)
    if is_fiscal or "/" in digits:
        name = f"FY{year}" if is_fiscal else digits
        return Date(*match.span(), 0, 0, f"{name}-{letter}{number}")
    first = dt.date(year, months * (number - 1) + 1, 1)
    behind = dt.date(year + months * number // 12, months * number % 12 + 1, 1)
    low, high = _compute_decimal_year(first), _compute_decimal_year(behind)
    return Date(*match.span(), low, high, f"{year}-{letter}{number}")


def _read_day(
    match: re.Match[str], groups: dict[str, str], number_of: dict[str, int], language: str
) -> Date | None:
    if groups["nm"]:
        return _build_date(match, int(groups["nmy"]), int(groups["nm"]), None)
    if groups["xm"]:
        month = number_of[groups["xm"].casefold().rstrip(".")]
        return _build_date(match, 2000 + int(groups["xmy"]), month, None)
    if groups["a"]:
        a, b = int(groups["a"]), int(groups["b"])
        if groups["s"] == "." or language != "en" or a > 12 or a == b:
            return _build_date(match, int(groups["ny"]), b, a)
        # 3/4/2024 is in March or in April
        return _build_date(match, int(groups["ny"]), a, b) if b > 12 else None
    if name := groups["dm"] or groups["mm"] or groups["my"]:
        written, days = groups["dy"] or groups["mdy"] or groups["myy"], groups["dd"] or groups["md"]
        if written is None and (name.islower() and language == "en"):
            return None  # "of 12 may"
        number = number_of[name.casefold().rstrip(".")]
        return _build_date(match, int(written or 0), number, int(days) if days else None)
    at = "i" if groups["iy"] else "j"
    day = int(groups[f"{at}d"]) if groups[f"{at}d"] else None
    return _build_date(match, int(groups[f"{at}y"]), int(groups[f"{at}m"]), day)


def _build_date(match: re.Match[str], year: int, month: int, day: int | None) -> Date | None:
    if not 1 <= month <= 12:
        return None
    days = calendar.monthrange(year or 2000, month)[1]
    if day is not None and not 1 <= day <= days:
        return None
    known = year or 2000
    first, last = dt.date(known, month, day or 1), dt.date(known, month, day or days)
    iso = (f"{year}-{month:02}" if year else f"--{month:02}") + (f"-{day:02}" if day else "")
    low, high = _compute_decimal_year(first), _compute_decimal_year(last + dt.timedelta(days=1))
    return Date(*match.span(), low - known + year, high - known + year, iso)


def _compute_decimal_year(day: dt.date) -> float:
    length = 366 if calendar.isleap(day.year) else 365
    return day.year + (day.timetuple().tm_yday - 1) / length


_CLOCK = re.compile(
    r"(?<![\w:.,/])(?<!(?<!:\d\d)-)(?<!±)(?<!± )(?P<h>[01]?\d|2[0-4]|\d{2,3}(?=:))"
    r"(?:(?P<colon>[:.h]|\sh\s)(?P<m>[0-5]\d)(?P<s>:[0-5]\d)?(?!\s?min))?"
    r"(?P<half>\s?(?:[ap]\.?m\b\.?|noon\b)|\s(?:uhr|o['’]clock)\b|(?<=\.\d\d)\suur\b)?"
    r"(?![\w:]|[.,]\d)",
    re.IGNORECASE,
)


def read_clock(text: str, position: int, language: str = "en") -> tuple[str, int] | None:
    """Read the clock that begins at a position, and say where it ends.

    Such are `17:30`, `5.30pm`, and `62:15`, which tells how long something took.
    """
    match = _CLOCK.match(text, position)
    if match is None or not (match["half"] or (match["colon"] or "").strip() in {":", "h"}):
        return None
    half = (match["half"] or "").strip().lower()
    if half == "am" and language == "de":  # "Linie 7 am Samstag"
        return None
    hour, minute = int(match["h"]), match["m"] or "00"
    if half[:1] in {"a", "p"}:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half[0] == "p")
    return f"{hour:02}:{minute}{match['s'] or ''}", match.end()
