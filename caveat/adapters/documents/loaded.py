"""What a loader makes of a document: its text and its metadata, or why it is not read."""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

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
    """What a document is written in: its name, what loads it, and the endings of its files."""

    loader: str  # by its name: its libraries are loaded when they are first needed
    endings: str

    def __new__(cls, name: str, loader: str, endings: str = "") -> Self:
        """Make a member, whose value is its name."""
        written_in = str.__new__(cls, name)
        written_in._value_ = name
        written_in.loader, written_in.endings = loader, endings
        return written_in

    HTML = "html", "html:load_html", ".html .htm"
    PAGE = "page", "page:load_page"
    """HTML as it was fetched: without the furniture of its site, and not where it is for sale."""
    MARKDOWN = "markdown", "markdown:load_markdown", ".md .markdown"
    PLAIN = "plain", "plain:load_text", ".txt .tex .bib .srt .vtt .adoc .org"
    RESTRUCTURED = "restructured", "restructured:load_restructured", ".rst"
    NOTEBOOK = "notebook", "markdown:load_notebook", ".ipynb"
    TABLE = "table", "plain:load_table", ".csv .tsv"
    DATA = "data", "plain:load_data", ".json .jsonl"
    PDF = "pdf", "pdf:load_pdf", ".pdf"
    WORD = "word", "word:load_word", ".docx"
    OPEN_DOCUMENT = "open-document", "open_document:load_open_document", ".odt"
    EPUB = "epub", "archives:load_epub", ".epub"
    SHEETS = "sheets", "sheets:load_sheets", ".xlsx"
    SLIDES = "slides", "slides:load_slides", ".pptx"
    MESSAGE = "message", "mail:load_message", ".eml"
    BOX = "box", "mail:load_box", ".mbox"
    RICH_TEXT = "rich-text", "rich_text:load_rich_text", ".rtf"


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
