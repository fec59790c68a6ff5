"""Reads what documents state about themselves, front matter included; the rest is ignored."""

import datetime as dt
import itertools
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple, TypeVar

import yaml

from caveat.adapters.documents.composer import clean_text
from caveat.adapters.documents.loaded import Metadata
from caveat.contracts.source import Precision, SourceKind
from caveat.quantities.dates import MONTH, parse_month
from caveat.rules.lines import shorten
from caveat.rules.sources.identity import normalise_url

T = TypeVar("T")

TITLE_LIMIT = 300  # characters; longer titles are abstracts that were put in the wrong field

_PLACEHOLDER = re.compile(
    r"\W*(?:anonymous|unspecified|unknown|untitled(?: document)?|no title|document|presentation|"
    r"title)\s*\d*\W*|(?:slide|folie|diapositive|book|mappe|classeur|libro|sheet|tabelle|dokument)\s*\d*|"
    r"power ?point(?:[- ]pr[äe]sentation)?|r graphics output|"
    r"(?:pr[ée]sentation|presentaci[óo]n de|apresenta[çc][ãa]o do) power ?point|"
    r"microsoft (?:word|excel|powerpoint) - .*|"
    r".*\.(?:docx?|pptx?|xlsx?|tex|dvi|e?ps|indd|pdf|qxd|rtf|odt|fm|pages|p65|pmd|wpd|txt)",
    re.IGNORECASE,
)
"""Titles that programs put where nobody wrote one."""


class FieldNames(NamedTuple):
    """What fields are called; of those that are there, the first that can be read counts."""

    titles: Sequence[str]
    urls: Sequence[str]
    dates: Sequence[str]
    authors: Sequence[str]
    kinds: Sequence[str]
    citations: Sequence[str] = ()


_FRONT_MATTER = FieldNames(
    titles=("title", "name", "headline"),
    urls=("doi", "url", "canonical", "canonical_url", "link", "source", "permalink"),
    dates=("published", "date", "publication_date", "date_published", "issued", "year"),
    authors=("author", "authors", "by", "byline", "creator"),
    kinds=("kind", "type", "source_type", "category", "genre"),
    citations=("citations", "cited_by", "citation_count", "times_cited"),
)

_KINDS: dict[SourceKind, str] = {
    SourceKind.PEER_REVIEWED: (
        "peer reviewed|peer review|journal article|article journal|journal|paper|article|"
        "scholarly article|research article|medical scholarly article|review article|"
        "conference paper|paper conference|proceedings|inproceedings|letter"
    ),
    SourceKind.PREPRINT: (
        "preprint|pre print|eprint|e print|working paper|manuscript|posted content"
    ),
    SourceKind.DATASET: "dataset|data set|data|database|data catalog|statistics",
    SourceKind.STANDARD: "standard|specification|rfc|norm|recommendation|legislation|regulation",
    SourceKind.REPORT: (
        "report|technical report|tech report|techreport|white paper|whitepaper|thesis|"
        "dissertation|policy brief|press release"
    ),
    SourceKind.BOOK: "book|chapter|book chapter|inbook|monograph|textbook|handbook",
    SourceKind.DOCUMENTATION: (
        "documentation|docs|manual|guide|tutorial|reference|how to|howto|tech article|faq|"
        "api reference|readme"
    ),
    SourceKind.NEWS: (
        "news|news article|newspaper|newspaper article|article newspaper|magazine|"
        "magazine article|article magazine|reportage news article|analysis news article"
    ),
    SourceKind.ENCYCLOPEDIA: (
        "encyclopedia|encyclopaedia|encyclopedia entry|entry encyclopedia|wiki|wikipedia|"
        "dictionary|entry dictionary"
    ),
    SourceKind.BLOG: "blog|blog post|blog posting|post weblog|weblog|essay|opinion",
    SourceKind.FORUM: (
        "forum|forum post|discussion|discussion forum posting|question|qa page|qa|thread|"
        "mailing list|social media|social media posting|comment"
    ),
    SourceKind.ADVERTISING: (
        "advertising|advertisement|advertiser content article|advertorial|ad|sponsored|"
        "sponsored content|promotion|marketing|product page"
    ),
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names.split("|")}

_NUMERIC = (
    re.compile(r"D:(?P<y>\d{4})(?P<m>\d{2})?(?P<d>\d{2})?"),  # PDF 32000-1, 7.9.4
    re.compile(r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})(?!\d)"),
    re.compile(r"(?P<y>\d{4})(?:[-/.](?P<m>\d{1,2})(?:[-/.](?P<d>\d{1,2}))?)?(?!\d)"),
)
_DAY_FIRST = re.compile(
    r"(?:\w+,\s*)?(?P<d>\d{1,2})(?:st|nd|rd|th|er)?[\s.-]+(?:de )?(?P<m>[^\W\d_]{3,})\.?[\s,-]+"
    r"(?:de )?(?P<y>\d{4})"
)
_MONTH_FIRST = re.compile(
    r"(?P<m>[^\W\d_]{3,})\.?(?:\s+(?P<d>\d{1,2})(?:st|nd|rd|th)?,?)?\s+(?P<y>\d{4})"
)

_BLOCK = re.compile(
    r"\s*(?:---|(\+{3}))[ \t]*\n(.*?\n)(?(1)\+{3}|(?:---|\.\.\.))[ \t]*(?:\n|\Z)", re.DOTALL
)
"""YAML, or between plus signs TOML, as Hugo writes it."""
_UNQUOTED = re.compile(r"^([A-Za-z][\w .-]{0,40}:)\s+(?![\"'\[{|>&*!])(.*:\s.*?)\s*$", re.MULTILINE)
"""A value with a colon that people leave without quotation marks: `title: Weirs: a study`."""
_BLOCK_LIMIT = 16 * 1024  # characters; a longer block between two rules is prose


def parse_metadata(pairs: Mapping[str, str], names: FieldNames = _FRONT_MATTER) -> Metadata:
    """Read metadata from fields, such as those that people write: front matter, docinfo."""
    dated = _find_first(pairs, names.dates, lambda value: value if parse_date(value) else None)
    return Metadata(
        title=_find_first(pairs, names.titles, parse_title),
        url=_find_first(pairs, names.urls, parse_url),
        published=parse_date(dated or ""),
        precision=parse_precision(dated or ""),
        authors=_find_first(pairs, names.authors, parse_authors) or (),
        kind=_find_first(pairs, names.kinds, parse_kind) or SourceKind.UNKNOWN,
        citations=_find_first(pairs, names.citations, parse_count),
    )


_ELEMENT = re.compile(r"<(\w+)\b[^<>]*>([^<>]*)</\1>")  # markup, and no "Vec<T>"


def parse_title(value: str) -> str | None:
    """Return a title on one line, cut to `TITLE_LIMIT`; None for what programs fill in."""
    with suppress(UnicodeError):  # UTF-8 that a program took for Western letters
        value = value.encode("cp1252").decode()
    title = clean_text(_ELEMENT.sub(r"\2", value))
    if not title or _PLACEHOLDER.fullmatch(title):
        return None
    return shorten(title, TITLE_LIMIT)


def parse_url(value: str) -> str | None:
    """Return a public web address; a DOI in any spelling becomes `https://doi.org/10...`."""
    text = value.strip()
    canonical = normalise_url(text)
    if canonical.startswith("https://doi.org/10."):
        return canonical
    is_web = canonical.startswith("https://") and not re.search(r"[\s<>\"]", text)
    return text if is_web else None


def parse_date(value: str) -> dt.date | None:
    """Return a day; a month or a year alone stands for its first day, nonsense for none."""
    year, month, day = _split_date(value)
    number = int(month or 1) if (month or "1").isdigit() else parse_month(month or "")
    try:
        date = dt.date(int(year or 0), number or 0, int(day or 1))
    except ValueError:
        return None
    return date if date.year >= 1000 else None  # years such as 0001 fill a field


def parse_precision(value: str) -> Precision:
    """Say how exactly a date is stated that `parse_date` reads."""
    year, month, day = _split_date(value)
    if year is None or day:
        return Precision.DAY
    return Precision.MONTH if month else Precision.YEAR


def _split_date(value: str) -> tuple[str | None, str | None, str | None]:
    """Return the year, the month and the day as they are written, None for what is not there."""
    text = value.strip()
    for pattern in (*_NUMERIC, _DAY_FIRST, _MONTH_FIRST):
        if match := pattern.match(text):
            return match["y"], match["m"], match["d"]
    return None, None, None


def parse_authors(value: str) -> tuple[str, ...] | None:
    """Split the names of authors; a comma parts them where it does not part a name itself."""
    text = clean_text(re.sub(r"^\[|\]$|,? et al\b\.?", "", value.strip()))
    parts = [part.split(",") for part in re.split(r" ?; ?| (?:and|und|et|y|&) ", text)]
    names = [
        name
        for part in parts
        for name in (part if all(" " in each.strip() for each in part) else [",".join(part)])
    ]
    authors = tuple(name.strip(" ,\"'*∗†‡") for name in names if any(map(str.isalpha, name)))
    if any(_NO_NAME.search(name) for name in authors):
        return None
    return authors if authors and max(map(len, authors)) <= _NAME else None


_NAME = 80
_NO_NAME = re.compile(
    r"://|@|\bwww\.|^\W*(?:anonymous|unknown|unspecified|administrator|admin|user|owner|author)\W*$",
    re.IGNORECASE,
)
"""What stands in fields of authors and names nobody: addresses, and what programs fill in."""
_HEAD = 1_500
"""Characters in which a document says who wrote it and when: a letterhead, what follows a title."""
_DATED = re.compile(
    r"\b(?:date[d]?|datum|fecha|data|stand|published|issued|adopted|last updated|erschienen)"
    r"(?:\s+(?:of|de|am|on)\s+[\w ]{1,20})?\s*:\s*(\S.{3,40})",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"(?:[^\W\d][\w .-]{1,30},\s+)?(?:(?:the|den|le|el|updated|published|posted|issued|on) )*"
    r"(?:[^\W\d]+(?:day|tag|woch|di|anche|ingo|bado|nes|tes|oles|ves),? )?"
    r"((?!\d{4}\Z)\d{1,2}.{3,25}|[^\W\d_]{3,10}\.? \d.{3,10})",
    re.IGNORECASE,
)
_PART = re.compile(rf"[,;|·]\s+|\s++(?:[,;|·]|by)\s+|\.(?<=\d\.)\s++(?!(?i:{MONTH}))|\.\s++(?=\d)")
"""What stands between the parts of a line as `Tarn Gazette, 19 September 2024. By Mara Soley`."""
_YEAR = re.compile(r"\d(?<!\d\d)\d{3}(?:\d{4})?(?!\d)")  # without which there is no day
_ASIDE = re.compile(r"(?<!\s)\s*+\([^()]*+\)$")
_TORN = re.compile(rf"\n(?:(?<=\b\d\n)|(?<=\b\d\d\n))(?={MONTH}\b)", re.IGNORECASE)
"""Within a day that two lines of a title hold: "on 9" and "November 2024"."""
_LINE = 120
_NAMED = r"(?-i:(?=[^\W\da-zß-ÿ]))[^\W\d_][^,(\d:;]{1,70}?"
_LABELLED = re.compile(
    r"(?:(?:from|publisher|de|von)\s*:|(?:issued|published|prepared|written|posted) by:?)"
    rf"\s+({_NAMED})(?:(?: on\b|[,(]).*)?",
    re.IGNORECASE,
)
_BYLINE = re.compile(
    rf"(?:by|von|par|por|author(?:s|\(s\))?:|autor(?:in|en)?:)\s+({_NAMED}(?:,\s+{_NAMED})*)[,.]?",
    re.IGNORECASE,
)


def complete_metadata(facts: Metadata, text: str) -> Metadata:
    """Add the day and the authors that a text states itself above its first paragraphs."""
    lines = [line.strip() for line in _TORN.sub(" ", text[:_HEAD]).split("\n") if line.strip()]
    dated = [line for line in lines if _YEAR.search(line)]
    labelled = (m[1] for line in dated if ":" in line for m in _DATED.finditer(line))
    # A line that is a day dates the document, before one that ends in the day of what it is on.
    alone = (day for line in dated if len(line) <= _LINE for day in _find_day(line))
    days = itertools.chain(labelled, alone, itertools.chain.from_iterable(map(find_days, dated)))
    day = next(filter(parse_date, (day.rstrip(" .") for day in days)), None)
    if facts.published is None and day:
        facts = replace(facts, published=parse_date(day), precision=parse_precision(day))
    if not facts.authors:
        parts = [part for line in lines if len(line) <= _LINE for part in _PART.split(line)]
        stated = (each.fullmatch(p) for each in (_BYLINE, _LABELLED) for p in (*lines, *parts))
        named = (parse_authors(match[1]) for match in stated if match)
        facts = replace(facts, authors=next(filter(None, named), ()))
    return facts


def find_days(line: str) -> Iterator[str]:
    """Yield the days that stand by themselves in a short line."""
    is_dated = len(line) <= _LINE and _YEAR.search(line)
    for part in [line, *_PART.split(line.rstrip(" ."))] if is_dated else ():
        yield from _find_day(part)


def _find_day(part: str) -> Iterator[str]:
    match = _PLACED.fullmatch(_ASIDE.sub("", part).strip(" ."))
    day = match[1] if match else ""
    # Nothing but a date: `2024 was dry` and `Room 1203` are none.
    is_whole = any(each.fullmatch(day) for each in (*_NUMERIC, _DAY_FIRST, _MONTH_FIRST))
    if is_whole and parse_precision(day) is not Precision.YEAR and parse_date(day):
        yield day


def parse_kind(value: str) -> SourceKind | None:
    """Map the many names of kinds onto `SourceKind`; None for a name that is not known."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", value.rpartition("/")[2])
    name = " ".join(re.split(r"[\W_]+", split.lower())).strip()
    return _KIND_OF.get(name) or _KIND_OF.get(name.removesuffix("s"))


def parse_count(value: str) -> int | None:
    """Return a whole number that is not negative; separators of thousands are accepted."""
    digits = re.sub(r"[\s,_']", "", value)
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else None


def _find_first(
    pairs: Mapping[str, str], names: Sequence[str], read: Callable[[str], T | None]
) -> T | None:
    """Return the first field that is there and can be read."""
    values = (read(pairs[name]) for name in names if name in pairs)
    return next((value for value in values if value is not None), None)


def split_front_matter(text: str) -> tuple[Metadata, dict[str, str], str]:
    """Separate the front matter from the text.

    Returns:
        what it says of the document, the fields that say something else, and the text behind it.
    """
    block = _BLOCK.match(text)
    if block is None or block.end() > _BLOCK_LIMIT:
        return Metadata(), {}, text
    try:
        stated = tomllib.loads(block[2]) if block[1] else _parse_yaml(block[2])
    except (tomllib.TOMLDecodeError, yaml.YAMLError, RecursionError, ValueError):
        stated = None
    if not isinstance(stated, dict):
        return Metadata(), {}, text
    fields, others = dict[str, str](), dict[str, str]()
    for key, each in stated.items():
        name = "_".join(re.split(r"[\W_]+", str(key).strip().lower()))
        value = fields[name] = _flatten(each)
        facts = parse_metadata({name: value}) if name in _TAKEN else Metadata()
        if value.strip() and facts == Metadata():  # of which nothing is taken
            others[name.replace("_", " ")] = value
    return parse_metadata(fields), others, text[block.end() :]


_TAKEN = frozenset(itertools.chain.from_iterable(_FRONT_MATTER))


def _parse_yaml(block: str) -> object:
    """Read scalars as text: `BaseLoader` builds nothing but strings, lists and mappings."""
    block = _UNQUOTED.sub(lambda field: f"{field[1]} {json.dumps(field[2])}", block)
    return yaml.load(block, Loader=yaml.BaseLoader)  # noqa: S506  # builds no objects


def _flatten(value: object) -> str:
    """Write a list or a mapping in one line."""
    if isinstance(value, list):
        return "; ".join(map(_flatten, value))
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_flatten(each)}" for key, each in value.items())
    return "" if value is None else str(value)
