"""What the first page of a PDF says of itself: its title by its letters, authors, and the year."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from caveat.adapters.documents.composer import clean_text
from caveat.adapters.documents.loaded import Metadata
from caveat.adapters.documents.metadata import parse_date, parse_precision, parse_title
from caveat.quantities.dates import MONTH

_LARGER = 1.15  # how much larger than the text a title is at least
_ALIKE = 0.06  # difference of size within one title
_FEWEST, _MOST = 8, 250  # characters of a title
_LINES = 6  # lines of a title, and lines below it in which authors stand
_PAPER = re.compile(r"\b(?:abstract|arxiv|doi|keywords|résumé|zusammenfassung)\b", re.IGNORECASE)
_NO_TITLE = re.compile(
    r"(?:open access|research article|original (?:article|paper|research)|review(?: article)?|"
    r"article|letter|abstract|contents|introduction|journal of .*|.*\bjournal|proceedings of .*|"
    r"arxiv:.*|.*https?://.*|.*\bdoi\b.*|vol(?:ume|\.)? .*|nature|science|preprint.*|"
    rf"\d(?:\.\d+)*\.?\s+.*|[^–—:]*\b{MONTH}\.? (?:\d{{1,2}}, )?(?:19|20)\d\d)\W*",
    re.IGNORECASE,
)
"""What stands in large letters and is no title: names of journals, headings, days."""
_MARKS = re.compile(
    r"(?<!\s)\s*+\d{1,2}(?:\s*,\s*\d{1,2})*(?=\s*(?:[,;&]|and\b|$))|[*†‡§¶∗⋆♯+]|\^\(?[\w,*†‡§]+\)?"
)
"""What refers a name to its institute."""
_NAME = re.compile(
    r"(?:[^\W\da-z_][\w.'’-]*\.?\s+){1,3}(?:(?:van|von|de|der|den|la|le|di|da|del|dos|bin|al|el|ten)"
    r"\s+)*[^\W\da-z_][\w'’-]*[^\W\d_]"
)
_INSTITUTE = re.compile(
    r"universit|institut|department|laborator|school|college|centre|center|faculty|hospital|"
    r"research|academy|company|inc\b|group|@|abstract|\d{4}",
    re.IGNORECASE,
)
_YEARS = (
    re.compile(r"arXiv:\S+\s+(?:\[[\w.-]+\]\s+)?(\d{1,2} \w{3,9} \d{4})"),
    re.compile(
        r"(?:published|accepted|publication date)(?: online)?:?\s+(\d{1,2} \w{3,9} \d{4})",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:©|\(c\)|copyright(?: ©)?)\s*(?:\w{1,40} ){0,3}((?:19|20)\d\d)\b", re.IGNORECASE
    ),
    re.compile(
        r"^(?:vol(?:ume|\.)?|proceedings|conference|journal)[^\n]{0,60}\b((?:19|20)\d\d)\b",
        re.IGNORECASE | re.MULTILINE,
    ),
)


class FrontLine(NamedTuple):
    """A line of the first page: its text, the height of its letters, and where it stands."""

    text: str
    size: float
    height: float  # its share of the page, from below


def describe_paper(facts: Metadata, lines: Sequence[FrontLine]) -> Metadata:
    """Complete what a PDF states by what its first page shows."""
    shown = "\n".join(line.text for line in lines)
    place = _find_title(lines)
    is_paper = _PAPER.search(shown) is not None
    is_doubtful = " " not in (facts.title or "") or (is_paper and not _is_shown(facts.title, shown))
    if is_doubtful:  # a program or a template put it there
        lines_of_title = lines[place[0] : place[1]] if place else ()
        words = clean_text(" ".join(line.text for line in lines_of_title)).rstrip(" *∗†‡")
        found = parse_title(re.sub(r"(?<=[a-z])- (?=[a-z])", "", words))
        facts = replace(facts, title=found or (None if is_paper else facts.title))
    if place is None or not is_paper:
        return facts
    if not facts.authors:
        facts = replace(facts, authors=_find_authors(lines[place[1] : place[1] + 3 * _LINES]))
    stated = next((m[1] for each in _YEARS if (m := each.search(shown))), "")
    if facts.published is None and parse_date(stated):
        facts = replace(facts, published=parse_date(stated), precision=parse_precision(stated))
    return facts


def _is_shown(title: str | None, shown: str) -> bool:
    """Whether a stated title stands on the page."""
    words = set(re.findall(r"\w+", (title or "").casefold()))
    known = set(re.findall(r"\w+", shown.casefold()))
    return len(words & known) * 4 >= 3 * len(words)


def _find_title(lines: Sequence[FrontLine]) -> tuple[int, int] | None:
    """Find the lines in the largest letters of the upper part, that are words and no heading."""
    sizes = sorted(line.size for line in lines for _ in range(len(line.text)) if line.size)
    usual = sizes[len(sizes) // 2] if sizes else 0.0
    blocks = [
        (start, stop)
        for start, stop in _group(lines)
        if lines[start].size >= _LARGER * usual and lines[start].height > _UPPER
    ]
    for start, stop in sorted(blocks, key=lambda each: -lines[each[0]].size):
        words = clean_text(" ".join(line.text for line in lines[start:stop]))
        is_prose = sum(map(str.isalpha, words)) * 2 > len(words) and " " in words
        if _FEWEST <= len(words) <= _MOST and is_prose and not _NO_TITLE.fullmatch(words):
            return start, stop
    return None


_UPPER = 0.4  # of the page: titles stand above it


def _group(lines: Sequence[FrontLine]) -> Iterator[tuple[int, int]]:
    """Yield the lines that follow each other in letters of one size."""
    start = 0
    for place in range(1, len(lines) + 1):
        is_end = place == len(lines) or place - start >= _LINES
        if is_end or abs(lines[place].size - lines[start].size) > _ALIKE * lines[start].size:
            yield start, place
            start = place


def _find_authors(lines: Sequence[FrontLine]) -> tuple[str, ...]:
    """Return the names that stand below a title; nothing where they are not told from the rest."""
    names: list[str] = []
    for place, line in enumerate(lines):
        if _INSTITUTE.search(line.text):
            if names and any(_NAME.fullmatch(_MARKS.sub("", each.text)) for each in lines[place:]):
                return ()  # more of them stand beside or below, each over an institute
            if names or place >= _LINES:
                break
            continue
        parts = re.split(r"[,;·•&]|\band\b|\bund\b", _MARKS.sub(" ", line.text))
        found = [" ".join(part.split()) for part in parts if part.strip()]
        if not found or not all(_NAME.fullmatch(part) for part in found):
            break
        names += found
    return tuple(dict.fromkeys(names))[:50]
