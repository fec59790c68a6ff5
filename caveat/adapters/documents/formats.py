"""The formats that are read, and by what; everything here runs in a reader's process."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from functools import cache
from pkgutil import resolve_name
from typing import Any

from caveat.adapters.documents.composer import clean_text
from caveat.adapters.documents.encoding import MARKS, decode_text, find_declared_encoding
from caveat.adapters.documents.loaded import Loaded, Unreadable
from caveat.adapters.documents.metadata import complete_metadata
from caveat.rules.sources.own_reports import is_own_report


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


_TEXTS: Mapping[DocumentFormat, str] = {
    DocumentFormat.HTML: "html:load_html",
    DocumentFormat.PAGE: "page:load_page",
    DocumentFormat.MARKDOWN: "markdown:load_markdown",
    DocumentFormat.PLAIN: "plain:load_text",
    DocumentFormat.RESTRUCTURED: "restructured:load_restructured",
    DocumentFormat.NOTEBOOK: "markdown:load_notebook",
    DocumentFormat.TABLE: "plain:load_table",
    DocumentFormat.DATA: "plain:load_data",
}
_BINARY: Mapping[DocumentFormat, str] = {
    DocumentFormat.PDF: "pdf:load_pdf",
    DocumentFormat.WORD: "word:load_word",
    DocumentFormat.OPEN_DOCUMENT: "open_document:load_open_document",
    DocumentFormat.EPUB: "archives:load_epub",
    DocumentFormat.SHEETS: "sheets:load_sheets",
    DocumentFormat.SLIDES: "slides:load_slides",
    DocumentFormat.MESSAGE: "mail:load_message",
    DocumentFormat.BOX: "mail:load_box",
    DocumentFormat.RICH_TEXT: "rich_text:load_rich_text",
}
"""Loaders by name: their libraries are loaded when they are first needed, and a reader of text
files needs none."""

_EMPTY: Mapping[DocumentFormat, str] = {
    DocumentFormat.PDF: "holds no text, perhaps only scans or drawings",
    DocumentFormat.PAGE: "holds no text that is there without running its scripts",
}


def read(written_in: DocumentFormat, data: bytes, charset: str | None = None) -> Loaded:
    """Take the text out of a document.

    Args:
        charset: the encoding that its server states, if it does.
    """
    text = ""
    is_wide = data.startswith(MARKS) or b"\0" in data[:2]
    if written_in in {DocumentFormat.MESSAGE, DocumentFormat.BOX} and is_wide:
        data = decode_text(data).encode()  # as Windows saves mail
    if written_in in _BINARY:
        loaded = _resolve_loader(_BINARY[written_in])(data)
    else:
        is_page = written_in is DocumentFormat.PAGE
        declared = (
            find_declared_encoding(data) if is_page or written_in is DocumentFormat.HTML else None
        )
        text = decode_text(data, declared=charset or declared, forgiving=bool(charset) or is_page)
        loaded = _resolve_loader(_TEXTS[written_in])(text)
    is_own = loaded.is_own_report
    if written_in not in {DocumentFormat.HTML, DocumentFormat.PAGE}:  # which may quote one
        said = "" if written_in is DocumentFormat.NOTEBOOK else text  # it is written as JSON
        is_own = is_own or is_own_report(said or loaded.snapshot.text)
    if is_own:
        return replace(loaded, is_own_report=True)
    if not loaded.snapshot.text:
        raise Unreadable(_EMPTY.get(written_in, "holds no text"))
    facts = loaded.metadata
    # The first message of a box is no other one's.
    if written_in is not DocumentFormat.BOX:
        facts = complete_metadata(facts, loaded.front or loaded.snapshot.text)
    from caveat.adapters.documents import accounting  # noqa: PLC0415  # commands need it not

    lost = accounting.list_losses(
        accounting.list_source(written_in, data, text), loaded.snapshot.text
    )
    # Half a sign, as escapes of JSON and YAML may write, cannot be handed on.
    facts = replace(facts, authors=tuple(map(clean_text, facts.authors)))
    losses = tuple(map(clean_text, (*loaded.losses, *lost)))
    return replace(loaded, metadata=facts, front="", losses=losses)


@cache
def _resolve_loader(name: str) -> Callable[[Any], Loaded]:
    found: Callable[[Any], Loaded] = resolve_name(f"{__package__}.{name}")
    return found
