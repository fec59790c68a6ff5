"""Grounds: what sentences may rest on, and where the numbers of a claim may stand."""

import re
from calendar import month_name
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from itertools import takewhile
from string import ascii_lowercase
from typing import Self

from caveat.contracts.contradiction import Side
from caveat.contracts.report import ReportedSource
from caveat.contracts.source import Claim, SourceRef
from caveat.contracts.synthesis import Calculation
from caveat.quantities.numerals import find_numbers
from caveat.quantities.support import Excerpt, find_scale, is_unit_note, list_units
from caveat.quantities.units import translate_units
from caveat.rules.text.sentences import split_sentences
from caveat.rules.text.words import detect_language, detect_sure_language, read_excerpt

COLUMNS = "; "
"""Stands between the columns of a row where one of them has a comma: "energy drawn, kWh"."""


def split_cells(claim: Claim) -> list[tuple[str, str]]:
    """Split a row of a table into cells, each behind its column; other quotes have none."""
    cells = claim.quote.split("\t")
    row, *others = [cell for cell in cells if cell] or cells[:1]
    place = (claim.location or "").rpartition(" › ")[2]
    columns = place.split(COLUMNS if COLUMNS in place else ", ")
    unnamed = len(cells) - len(columns)
    if unnamed in {0, 1}:  # the first column may have no head; empty cells once had none
        named = zip([*[""] * unnamed, *columns], cells, strict=True)
        columns = [column for column, cell in named if cell][1:]
    if len(columns) != len(others):  # any of them may be of any cell
        columns = [place] * len(others)
    language = detect_language(f"{place} {claim.quote}")
    words = [each for each in others if not any(map(str.isdecimal, each))]
    units = [each for each in words if is_unit_note(f"in {each}", language)]  # "m³", "dagen"
    if len(units) == 1:  # a column of units
        columns = [f"{column} ({units[0]})" for column in columns]
    return [("", row), *zip(columns, others, strict=True)]


def list_notes(claim: Claim, language: str = "en") -> list[str]:
    """List what the headings above a row say of the unit or scale of its cells."""
    *above, _ = (claim.location or "").split(" › ")
    return [each for each in above if is_unit_note(each, language)]


def list_neighbours(claim: Claim) -> tuple[str, str]:
    """The next sentence on either side of a quote; further ones were half of what is read.

    Before an item of a list, which is a block of one sentence as those before it, what leads in.
    """
    before = [claim.before[slice(*span)] for span in split_sentences(claim.before)]
    after = [claim.after[slice(*span)] for span in split_sentences(claim.after)]
    blocks = [each.strip() for each in claim.before.split("\n\n")[:-1]]
    items = [*takewhile(lambda each: not each.endswith(":"), reversed(blocks))]
    near = before[-1:]
    if items and len(items) < len(blocks) and all(len(split_sentences(e)) == 1 for e in items):
        lead = blocks[-1 - len(items)]
        near = [*(lead[slice(*span)] for span in split_sentences(lead)[-1:]), *near]
    return " ".join(near), "".join(after[:1])


_YEAR = re.compile(r"1\d{3}|20\d\d")


def list_digits(text: str) -> frozenset[str]:
    """The digits of each number but years, whatever its scale: 641 of 64.1, and of 641,000."""
    numbers = (each for each in find_numbers(text) if not _YEAR.fullmatch(each))
    return frozenset(re.sub(r"e.*|\D", "", each).strip("0") for each in numbers)


_LETTERS = re.compile(r"(?<=\d)[a-z]+\Z")


def _has_letters(cells: Sequence[tuple[str, str]]) -> bool:
    """Whether letters name groups that a test tells apart, as in 2381.0k, 41.77cd and 47.69a."""
    letters = [match[0] for _, cell in cells if (match := _LETTERS.search(cell))]
    return len(letters) > 2 and len({*letters}) > 1 and all(e in ascii_lowercase for e in letters)


def _list_cells(claim: Claim, cells: Sequence[tuple[str, str]], read: Excerpt) -> Iterator[Excerpt]:
    """List the cells of a row, or a quote, with each head that may say what its numbers are."""
    # "Length, km", "Revenue £m", and not "Tunnel, 1.9 km"
    row, *units = re.split(r", | \(| in | (?=[£$€%])", cells[0][1])
    row_unit = next((each for each in units if is_unit_note(f"in {each}")), "")
    parts = (p for n in list_notes(claim, read.language) for p in re.split("[,;] ", n))
    notes = [part for part in parts if is_unit_note(part, read.language)]
    notes = [row_unit] if row_unit else notes  # "Gross margin (%)" beneath "CHF million"
    dotted = [cell for _, cell in cells if re.fullmatch(r"[\d.]*\.[\d.]+", cell)]
    are_grouped = len(dotted) > 1 and all(map(_GROUPED.fullmatch, dotted))
    is_lettered = _has_letters(cells)
    for column, marked in cells:
        cell = _LETTERS.sub("", marked) if is_lettered else marked
        if are_grouped and cell in dotted:  # "21.590" and "8.822" may be thousands
            yield read._replace(text=cell.replace(".", ""))
        heads = notes if column else []  # and none of the name of a row
        named = column or (cell if len(cells) > 1 else "")  # a row's name may be an age
        is_unnamed = bool(named) and not (heads or list_units(named, read.language))
        for head in (column, *heads):
            yield read._replace(text=cell, head=head, is_unnamed=is_unnamed)
            if cell[:1] in _MINUS:  # "127 fewer": which way, a reader judges
                yield read._replace(text=cell[1:].strip(), head=head)
        # Its head may have the unit: "kWh/GB", "Length, km"; so may that of its row. A cell
        # under "(£ thousand)" may be told as it is written.
        head = "" if find_scale(column, read.language) else column
        for unit in filter(None, (*column.split(", "), column and row and row_unit)):
            named = translate_units(unit, read.language, are_compounds=True)
            words = f"{cell} {named}"
            yield read._replace(text=words, head=head, language="en")


_MINUS = {*"-−–"}
_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+")


@dataclass(frozen=True)
class Grounds:
    """What sentences may rest on, besides the claims that they cite."""

    claims: Mapping[str, Claim]  # every claim of the run or report, by name
    titles: Mapping[str, str] = field(default_factory=dict)  # of the sources, by id
    topic: str = ""
    wanted: str | None = None  # the language that was asked for, where one was
    calculations: Sequence[Calculation] = ()
    overruled: Sequence[Side] = ()  # of disputes that a ruling settled
    authors: Mapping[str, str] = field(default_factory=dict)  # of the sources, by id
    dates: Mapping[str, date | None] = field(default_factory=dict)  # of the sources, by id

    @classmethod
    def build(
        cls, claims: Iterable[Claim], sources: Iterable[SourceRef | ReportedSource], topic: str = ""
    ) -> Self:
        """Take what sentences may rest on from claims and their sources."""
        every = {source.id: source for source in sources}
        return cls(
            claims={claim.id: claim for claim in claims},
            titles={name: each.title for name, each in every.items()},
            authors={name: " ".join(each.authors) for name, each in every.items()},
            dates={name: each.published for name, each in every.items()},
            topic=topic,
        )

    @cached_property
    def language(self) -> str | None:
        """The language that sentences are to be in; None where that cannot be told."""
        return self.wanted or detect_sure_language(self.topic)

    @cached_property
    def fallen(self) -> tuple[Claim, ...]:
        """The claims on which no sentence may rest."""
        return tuple(each for each in self.claims.values() if not each.is_usable)

    def find_computed_numbers(self, cited: Collection[str]) -> Iterator[str]:
        """The numbers that were computed from claims of which a sentence cites every one."""
        for each in self.calculations:
            if {operand.claim_id for operand in each.operands} <= set(cited):
                yield each.result

    def list_excerpts(self, claim: Claim) -> Iterator[Excerpt]:
        """List what may give a claim's numbers: quote, heading or columns, title and date."""
        language, mark = self.detect_language(claim), self.find_decimal_mark(claim)
        read = Excerpt("", language=language, mark=mark)
        cells = split_cells(claim)
        yield from _list_cells(claim, cells, read)
        # Lines of a table whose rows nobody could tell: one of them may give their scale.
        parts = re.split(r"\n|[,;] ", claim.quote) if "\n" in claim.quote else []
        for note in (part for part in parts if is_unit_note(part, language)):
            if find_scale(note, language):
                yield read._replace(text=claim.quote, head=note)
        place = (claim.location or "").replace("_", " ")
        is_row = "\t" in claim.quote  # whose place holds the heads of its columns
        yield Excerpt(place, is_name=not is_row, language=read.language)
        yield Excerpt(self.find_title(claim), is_name=True, language=read.language)
        if day := self.dates.get(claim.source_id):
            yield Excerpt(day.isoformat())

    def detect_language(self, claim: Claim) -> str:
        """Detect the language of a claim, by what is near and by its document."""
        near = f"{claim.before} {claim.quote} {claim.after}"
        if "\t" in near:  # of a row its heads are the words
            near = f"{claim.location or ''} {near}"
        return detect_language(f"{near} {self._documents.get(claim.source_id, '')}")

    def find_decimal_mark(self, claim: Claim) -> str:
        """Find what stands before the decimals of a claim's document; empty where none tells."""
        return read_excerpt(claim.quote, self._documents.get(claim.source_id, "")).mark

    @cached_property
    def _documents(self) -> Mapping[str, str]:
        """What is known of each document: its quotes with the words around them."""
        documents: dict[str, list[str]] = {}
        for each in self.claims.values():
            words = documents.setdefault(each.source_id, [])
            words += (each.before, each.quote, each.after)
        return {name: " ".join(words) for name, words in documents.items()}

    def describe_origin(self, claim: Claim) -> str:
        """Say where a claim stands, and what its source is called, who wrote it, and when."""
        day = self.dates.get(claim.source_id)
        dated = f"{month_name[day.month]} {day.year}" if day else ""
        author = self.authors.get(claim.source_id, "")
        return " ".join([claim.location or "", self.find_title(claim), author, dated])

    def find_title(self, claim: Claim) -> str:
        """Say what the source of a claim is called."""
        return self.titles.get(claim.source_id, "")
