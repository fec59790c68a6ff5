"""What the first page of a PDF says of itself: its title by its letters, authors, and the year."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from caveat.adapters.documents.composer import clean_text
from caveat.adapters.documents.loaded import Metadata
from caveat.adapters.documents.metadata import find_days, parse_date, parse_precision, parse_title
from caveat.quantities.dates import MONTH

_LARGER = 1.15  # how much larger than the text a title is at least
_ALIKE = 0.06  # difference of size within one title
_FEWEST, _MOST = 7, 250  # characters of a title
_LINES = 6  # lines of a title, and lines below it in which authors stand
_PAPER = re.compile(r"\b(?:abstract|arxiv|doi|keywords|résumé|zusammenfassung)\b", re.IGNORECASE)
_NO_TITLE = re.compile(
    r"\W*+(?:contents|introduction|research article|arxiv:.*|.*https?://.*|"
    rf"\d(?:\.\d+)*\.?\s+.*|[^–—:]*\b{MONTH}\.? (?:\d{{1,2}}, )?(?:19|20)\d\d)\W*",
    re.IGNORECASE,
)
"""What stands in large letters and is no title: headings, addresses, days."""
_MARKS = re.compile(
    r"(?<!\s)\s*+\d{1,2}(?:\s*,\s*\d{1,2})*(?=\s*(?:[,;&]|and\b|$))|\^?[*†‡§¶∗⋆♯+]|\^\(?[\w,*†‡§\ufffd]+\)?|\(\s*\)"
)
"""What refers a name to its institute."""
_NAME = re.compile(
    r"(?:[^\W\da-z_][\w.'’-]*\.?\s+){1,3}(?:(?:van|von|de|der|den|la|le|di|da|del|dos|bin|al|el|ten)"
    r"\s+)*[^\W\da-z_][\w'’-]*[^\W\d_]"
)
_INSTITUTE = re.compile(
    r"universit|institut|laborator|research|edition|abstract|paper|@|"
    r"(?-i:\b(?:[A-Z]{3,}|UC)\b.*[a-z])",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_DAY = r"(?: online)?:?\s+(\d\d? \w{3,9} \d{4})"
_DAYS = [
    re.compile(each, re.IGNORECASE)
    for each in (
        rf"(?:published|available|publication date){_DAY}", rf"accepted{_DAY}",
        r"(?:©|\(c\)|copyright(?: ©)?)\s*(?:\w{1,40} ){0,3}((?:19|20)\d\d)\b",
    )
]  # fmt: skip
"""What tells the day of a paper, best first."""


class FrontLine(NamedTuple):
    """A line of the first page: its text, the height of its letters, and where it stands."""

    text: str
    size: float
    height: float  # its share of the page, from below


_NOTHING = FrontLine("", 0.0, 0.0)  # behind the last line


def describe_paper(facts: Metadata, lines: Sequence[FrontLine]) -> Metadata:
    """Complete what a PDF states by what its first page shows."""
    shown = "\n".join(line.text for line in lines)
    is_paper = _PAPER.search(shown) is not None
    place = find_title(lines, is_paper=is_paper)
    # What stands above the largest letters, or at the foot, names where a paper appeared.
    top = lines[place[0]].height if place else 1.0
    seen = "\n".join(line.text for line in lines if _UPPER < line.height <= top)
    stated = _NOT_OF_IT.sub("", re.sub(r"<[^<>]*>", "", facts.title or ""))
    facts = replace(facts, title=None if _NO_TITLE.fullmatch(stated) else parse_title(stated))
    words = _read_title(lines[slice(*place)]) if place else ""
    is_poor = " " not in (facts.title or "")  # a program or a template put it there
    is_poor |= is_paper and not _is_shown(facts.title, seen)
    if is_poor or (_is_shown(facts.title, words) and not _is_shown(words, facts.title or "")):
        is_kept = not is_paper and (" " in stated or _is_shown(stated, shown))
        facts = replace(facts, title=parse_title(words) or (facts.title if is_kept else None))
    if place is None:
        return facts
    below = [line for line in lines[place[1] :] if not _is_shown(line.text, facts.title or "")]
    is_signed = any("@" in line.text or any(find_days(line.text)) for line in below[:_LINES])
    if not (is_paper or is_signed):
        return facts
    if not facts.authors:
        facts = replace(facts, authors=_find_authors(below[: 3 * _LINES]))
    day = next((m[1] for each in _DAYS if (m := each.search(shown))), "")
    if facts.published is None and parse_date(day):
        facts = replace(facts, published=parse_date(day), precision=parse_precision(day))
    return facts


def _read_title(lines: Sequence[FrontLine]) -> str:
    text = "\n".join(_NOT_OF_IT.sub("", line.text) for line in lines)
    whole = re.sub(r"(?<=[a-z])-\n(?=[a-z])", "", text)
    return clean_text(re.sub(r"(?<=[a-z])-\n(?=[A-Z])", "-", whole)).strip(" :*∗†‡⇤")


_NOT_OF_IT = re.compile(
    r"(?<!\b[A-Z])(?<!\b[A-Z] )\^\S+|^\[\S+, v\d+\] |(?<=[a-z]{2})\+$|"
    r"\s*\[[^\[\]]*://[^\[\]]*\]"
)  # marks of notes, what an archive puts before, where a version stands


def _is_shown(title: str | None, shown: str) -> bool:
    """Whether a stated title stands on the page."""
    words = set(re.findall(r"\w+", (title or "").casefold()))
    known = set(re.findall(r"\w+", shown.casefold()))
    return len(words & known) * 4 >= 3 * len(words)


def find_title(lines: Sequence[FrontLine], *, is_paper: bool) -> tuple[int, int] | None:
    """Find the lines in the largest letters of the upper part, that are words and no heading."""
    sizes = sorted(line.size for line in lines for _ in range(len(line.text)) if line.size)
    usual = sizes[len(sizes) // 2] if sizes else 0.0
    blocks = [each for each in _group(lines) if lines[each[0]].height > _UPPER]
    larger = [each for each in blocks if lines[each[0]].size >= _LARGER * usual]
    if not larger and is_paper:  # of a journal in which capitals tell, with names below
        signed = [each for each in blocks if _parse_names(lines[each[1] % len(lines)].text)]
        larger = [each for each in signed if all(x.text.isupper() for x in lines[slice(*each)])][:1]
    titles: list[tuple[int, int]] = []
    for start, stop in sorted(larger, key=lambda each: -lines[each[0]].size):
        if titles and lines[start].size < lines[titles[0][0]].size * (1 - _ALIKE):
            break
        name = re.escape(clean_text(" ".join(line.text for line in lines[start:stop])))
        # A journal's number stands elsewhere behind its name.
        is_journal = any(re.match(rf"{name}\W+\d", clean_text(x.text)) for x in lines)
        has_authors = stop < len(lines) and bool(_parse_names(lines[stop].text))
        if not is_journal and _is_title(lines[start:stop], has_authors=has_authors):
            titles.append((start, stop))
    # Of two in the same letters nobody can tell.
    return titles[0] if len(titles) == 1 else None


def _is_title(lines: Sequence[FrontLine], *, has_authors: bool) -> bool:
    words = _read_title(lines)
    is_prose = sum(map(str.isalpha, words)) * 2 > len(words) and "\ufffd" not in words
    is_whole = " " in words or (words.isalpha() and has_authors)
    is_long = _FEWEST <= len(words) <= _MOST
    return is_long and is_prose and is_whole and not _NO_TITLE.fullmatch(words)


_UPPER = 0.4  # of the page: titles stand above it


def _group(lines: Sequence[FrontLine]) -> Iterator[tuple[int, int]]:
    """Yield the lines that follow each other in letters of one size."""
    start = 0
    for place, (line, after) in enumerate(pairwise([*lines, _NOTHING]), start=1):
        is_alone = place == start + 1 and _NO_TITLE.fullmatch(line.text)
        is_other = abs(after.size - lines[start].size) > _ALIKE * lines[start].size
        if is_alone or is_other or place - start >= _LINES or after is _NOTHING:
            yield start, place
            start = place


def _find_authors(lines: Sequence[FrontLine]) -> tuple[str, ...]:
    """Return the names that stand below a title; nothing where they are not told from the rest."""
    authors: dict[int, list[str]] = {}
    size = 0.0
    for place, (line, after) in enumerate(pairwise([*lines, _NOTHING])):
        names = _parse_names(line.text)
        if authors and line.text.isupper() and not authors[min(authors)][0].isupper():
            names = []  # an institute by its letters
        if not authors and not _YEAR.search(lines[0].text):
            # Below a subtitle it is the institute that tells names from more of it.
            if place and not (place <= _SUBTITLE and _INSTITUTE.search(after.text)):
                names = []
            if not names and (place >= _SUBTITLE or _INSTITUTE.search(line.text)):
                return ()
        is_end = _ENDS.search(line.text) or (authors and any(find_days(line.text)))
        if not names and is_end:
            break
        if names and (not authors or abs(line.size - size) <= _ALIKE * size):
            authors[place] = names
            size = size or line.size
    addressed = [place for place in authors if "@" in lines[place].text]
    # Where each has an institute of its own, it stands below a name and may read like one.
    is_parted = any(place - 1 not in authors for place in [*authors][1:])
    below = [at for at in authors if is_parted and len(authors.get(at - 1, ())) == 1]
    of_it = [at for at in below if lines[at].height < lines[at - 1].height - _LEVEL]
    places = addressed or [place for place in authors if place not in of_it]
    return tuple(dict.fromkeys(name for place in places for name in authors[place]))[:_AUTHORS]


def _parse_names(line: str) -> list[str]:
    """Return the names of a line that holds nothing else."""
    shown = re.sub(r"^[Bb]y ", "", _MARKS.sub(",", _ADDRESS.sub(",", line)))
    parts = re.split(r"[,;·•&\t]|(?i:\b(?:and|und)\b)", shown)
    people = [" ".join(part.split()) for part in parts if part.strip()]
    is_institute = _INSTITUTE.search(shown)
    is_numbered = any(map(str.isdigit, shown))  # a mark that runs into the next name
    are_names = not is_institute and not is_numbered and all(map(_NAME.fullmatch, people))
    return people if are_names else []


_AUTHORS = 50
_SUBTITLE = 2  # lines of one at most
_LEVEL = 0.01  # of the page, by which letters on one line differ
_ADDRESS = re.compile(r"[<({]?\S+@\S+")
_ENDS = re.compile(r"abstract\b|introduction\b|.{90}", re.IGNORECASE)
"""What stands below the authors: a heading, or prose."""
