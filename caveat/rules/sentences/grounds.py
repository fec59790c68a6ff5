"""Grounds: what sentences may rest on, and the names of who says it."""

import re
from calendar import day_name, month_name
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Side
from caveat.contracts.synthesis import Calculation
from caveat.quantities.dates import MONTH
from caveat.quantities.reading import find_quantities
from caveat.quantities.units import Kind
from caveat.rules.text.words import detect_sure_language

_INNER = re.compile(r"(?<=[a-z,] )[A-Z][^\W\d_]*[a-z]|(?<=[a-z] )[A-Z]{2,}\b")
_PLAIN = re.compile(r"\b[a-z]+\b")
CALENDAR = frozenset(map(str.casefold, (*month_name, *day_name)))


def find_names(text: str) -> frozenset[str]:
    """The words that a text writes with a capital within a sentence; days and months are none."""
    return frozenset(found[0].casefold() for found in _INNER.finditer(text)) - CALENDAR


def blank_dates(text: str, quotes: Iterable[str]) -> str:
    """Blank out the dates of a text that quotes state, however those write them."""
    read = [each for quote in quotes for each in find_quantities(quote) if each.kind is Kind.DATE]
    for said in find_quantities(text):
        if said.kind is Kind.DATE and any(
            said.low <= each.low and each.high <= said.high for each in read
        ):
            blank = " " * (said.end - said.start)
            text = f"{text[: said.start]}{blank}{text[said.end :]}"
    return text


_OPEN_DAY = re.compile(
    rf"\b[0-3]?\d(?:st|nd|rd|th|\.)?\s(?:of\s)?(?i:{MONTH})(?!,?\s(?:de\s)?\d{{4}})"
)
"""A day without a year: in a paper of 2022, "11 April" is one of 2022."""

_NUMBERED = re.compile(r"(?<![^\W\d_])[^\W\d_]++ \d[\w./-]*|(?<![\w./-])\d[\w./-]*+ [^\W\d_]+")
"""A number in a title with the word beside it: naming "annual report 2024" states nothing."""


def split_cells(claim: Claim) -> list[tuple[str, str]]:
    """Split a row of a table into cells, each behind its column; other quotes have none."""
    row, *others = claim.quote.split("\t")
    place = claim.location or ""
    columns = place.split(", ")
    if len(columns) != len(others):  # any of them may be of any cell
        columns = [place] * len(others)
    return [("", row), *zip(columns, others, strict=True)]


@dataclass(frozen=True)
class Grounds:
    """What sentences may rest on, beside the claims that they cite."""

    claims: Mapping[str, Claim]  # every claim of the run or report, by name
    # of the sources and who wrote them, by id
    titles: Mapping[str, str] = field(default_factory=dict)
    topic: str = ""
    wanted: str | None = None  # the language that was asked for, where one was
    calculations: Sequence[Calculation] = ()
    overruled: Sequence[Side] = ()  # of disputes that a ruling settled
    authors: Mapping[str, str] = field(default_factory=dict)
    dates: Mapping[str, date | None] = field(default_factory=dict)

    def find_computed_numbers(self, cited: Collection[str]) -> Iterator[str]:
        """The numbers that were computed from claims of which a sentence cites every one."""
        for each in self.calculations:
            if {operand.claim_id for operand in each.operands} <= set(cited):
                yield each.result

    @cached_property
    def language(self) -> str | None:
        """The language that sentences are to be in; None where that cannot be told."""
        return self.wanted or detect_sure_language(self.topic)

    @cached_property
    def said(self) -> str:
        """Every quote with what stands around it."""
        every = self.claims.values()
        return " ".join(f"{each.before} {each.quote} {each.after}" for each in every)

    def join_quotes(self, source_id: str) -> str:
        """What is known of a document: its quotes with the words around them."""
        return self._documents.get(source_id, "")

    @cached_property
    def _documents(self) -> Mapping[str, str]:
        documents: dict[str, list[str]] = {}
        for each in self.claims.values():
            words = documents.setdefault(each.source_id, [])
            words += (each.before, each.quote, each.after)
        return {name: " ".join(words) for name, words in documents.items()}

    @cached_property
    def names(self) -> frozenset[str]:
        """The words that sources write as names, and nowhere otherwise."""
        return find_names(self.said) - frozenset(_PLAIN.findall(self.said))

    def describe_origin(self, claim: Claim) -> str:
        """Say where a claim stands, and what its source is called, who wrote it, and when."""
        author = self.authors.get(claim.source_id, "")
        return " ".join([claim.location or "", author, *self.list_source_names(claim)])

    def list_source_names(self, claim: Claim) -> tuple[str, ...]:
        """The words that name the source of a claim and have a number, the longest first."""
        title, day = self.find_source_title(claim), self.find_source_date(claim)
        found = list(_NUMBERED.findall(title))
        if day is not None:
            month = month_name[day.month]
            found += [f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}"]
            found += [day.isoformat(), f"{month} {day.year}", f"{day.day} {month}"]
        return tuple(sorted((title, *found), key=len, reverse=True))

    def find_source_date(self, claim: Claim) -> date | None:
        """Say when the source of a claim is from."""
        return self.dates.get(claim.source_id)

    def add_years(self, claim: Claim) -> str:
        """The quote of a claim with the year of its source behind its days that have none."""
        day = self.find_source_date(claim)
        return _OPEN_DAY.sub(rf"\g<0> {day.year}", claim.quote) if day else claim.quote

    def find_source_title(self, claim: Claim) -> str:
        """Say what the source of a claim is called."""
        return self.titles.get(claim.source_id, "")
