"""What a package states about an entity, as it states it: a document, and the values in it."""

import datetime as dt
import re
import unicodedata
from dataclasses import dataclass, field
from enum import StrEnum

from caveat.contracts.source import SourceKind


class Sort(StrEnum):
    """What sort of value an attribute has; it decides how two values are compared."""

    MEASURE = "measure"  # a number that was measured or counted, written with so many digits
    YEAR = "year"
    EXACT = "exact"
    """A number that a definition gives: an atomic number, a group of the periodic table."""
    NAME = "name"  # a name or a code


@dataclass(frozen=True)
class Value:
    """One value."""

    number: float = 0.0  # in the unit that its attribute is compared in; of a name, 0
    step: float = 0.0  # what one more in its last written digit that counts is worth, in that unit
    name: str = ""  # in the form that names are compared in; empty for a number


@dataclass(frozen=True)
class Statement:
    """What one passage of one package says about one attribute of one entity."""

    entity: str  # the same name for every package
    attribute: str  # the same name for every package
    sort: Sort  # of its values
    package: str  # who says it
    passage: str  # the words that say it, as they stand in the document
    # usually one; several where the passage states one for each of several scopes
    values: tuple[Value, ...]
    scope: str = ""  # what the passage itself narrows the entity to, for example one allotrope


@dataclass(frozen=True)
class Publication:
    """What is known of a package without reading it, as front matter states it."""

    package: str  # its name
    title: str  # of the data set
    url: str  # of the data set; the address of a document is its slug behind it
    date: dt.date  # when this version was published
    kind: SourceKind  # what sort of publication it is


@dataclass(frozen=True)
class Entry:
    """Everything that one package says about one entity."""

    publication: Publication  # the package
    entity: str  # the same name for every package
    name: str  # what the package calls it
    paragraphs: tuple[str, ...]  # of the document, in order
    # what is said in them, as far as another package can say it too
    statements: tuple[Statement, ...]

    @property
    def path(self) -> str:
        """File name in the corpus."""
        return f"{self.publication.package}-{_slug(self.name)}.md"

    def document(self) -> str:
        """Write it as the example corpus is written: front matter, a heading, paragraphs."""
        about = self.publication
        title = f"{self.name} ({about.title})"
        head = [
            "---",
            f'title: "{title}"',
            f"url: {about.url}{_slug(self.name)}",
            f"date: {about.date}",
            f"kind: {about.kind}",
            "---",
        ]
        return "\n".join(head) + f"\n\n# {self.name}\n\n" + "\n\n".join(self.paragraphs) + "\n"


@dataclass
class Draft:
    """An entry in the making: paragraphs are added with what they state."""

    publication: Publication
    entity: str
    name: str
    paragraphs: list[str] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)

    def add(
        self, passage: str, *stated: tuple[str, Sort, tuple[Value, ...]], scope: str = ""
    ) -> None:
        """Add a paragraph that says these things; one that nobody else can say states nothing."""
        passage = " ".join(passage.split())
        self.paragraphs.append(passage)
        for attribute, sort, values in stated:
            self.note(passage, attribute, sort, values, scope)

    def note(
        self, passage: str, attribute: str, sort: Sort, values: tuple[Value, ...], scope: str = ""
    ) -> None:
        """Note what a passage of a paragraph says."""
        package = self.publication.package
        self.statements.append(
            Statement(self.entity, attribute, sort, package, passage, values, scope)
        )

    def finished(self) -> Entry:
        """Close it."""
        return Entry(
            self.publication,
            self.entity,
            self.name,
            tuple(self.paragraphs),
            tuple(self.statements),
        )


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
