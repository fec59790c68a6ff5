"""What a loader makes of a document: its text and its metadata, or why it is not read."""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from caveat.contracts.source import Precision, Snapshot, SourceKind
from caveat.problem import InternalError


@dataclass(frozen=True)
class Metadata:
    """What a document says about itself; None or unknown where it is silent."""

    title: str | None = None
    url: str | None = None
    published: dt.date | None = None
    precision: Precision = Precision.DAY
    authors: tuple[str, ...] = ()
    kind: SourceKind = SourceKind.UNKNOWN
    citations: int | None = None


@dataclass(frozen=True)
class Loaded:
    """A document's readable text and what it says about itself."""

    snapshot: Snapshot
    metadata: Metadata
    # what of it was not read, each completing a sentence that begins with its name
    losses: tuple[str, ...] = ()


class DocumentFormat(StrEnum):
    """What a document is written in."""

    HTML = "html"
    PAGE = "page"
    """HTML as it was fetched: without the furniture of its site, and not where it is for sale."""
    MARKDOWN = "markdown"
    PLAIN = "plain"
    RESTRUCTURED = "restructured"
    PDF = "pdf"
    WORD = "word"
    OPEN_DOCUMENT = "open-document"
    EPUB = "epub"
    NOTEBOOK = "notebook"
    TABLE = "table"
    SHEETS = "sheets"
    SLIDES = "slides"
    MESSAGE = "message"
    BOX = "box"
    RICH_TEXT = "rich-text"
    DATA = "data"


class Why(StrEnum):
    """What stands against a document."""

    DAMAGED = "damaged"  # it holds nothing that can be read, or nothing of its format
    TOO_LARGE = "too-large"  # it takes more time, memory or room than one document may
    FOR_SALE = "for-sale"
    """It says that it is open to those who pay; what it shows all the same is not taken."""
    LATE = "late"  # the machine had too much else to do; another time may be better
    OWN_REPORT = "own-report"  # it is one of Caveat's own, which is no source


OWN_REPORT = "is a report of Caveat's own, which is no source"


class Unreadable(InternalError):
    """A document cannot be read, and reading it again ends the same way."""

    def __init__(
        self, said: str = "is damaged, or not what its ending says", why: Why = Why.DAMAGED
    ) -> None:
        super().__init__(said)
        self.why = why
