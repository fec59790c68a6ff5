"""Hostile documents and pages, read as production reads them, each with an honest one behind it."""

from collections.abc import Iterator
from contextlib import suppress

import pytest

from caveat.adapters.documents.loaded import DocumentFormat, Unreadable
from caveat.adapters.documents.readers import Readers
from tests.fakes.swelling import pdf

pytestmark = pytest.mark.system

DOCUMENTS, PAGES = "hostile documents", "hostile pages"
HONEST = b"# A title\n\nAnother document is read."
WEDGED_S = 120.0
"""Seconds after which nobody waits any more; readers are bounded by three of the processor."""

MANY = 50_000
_PIECES = (
    " ", "\n", "a", "[", "(", "<", "`", "*", "_", "|", ".", "-", "=", "&", "[a](", "<!--", "**a",
    "| a ", "::\n\n ", "..a:\n   ", ":a:`", "\u00ad", "&amp;", "> ", "- ",
)  # fmt: skip


def named() -> Iterator[tuple[str, DocumentFormat, bytes, str | None]]:
    """Make what stopped earlier versions, and every short piece again and again in each format."""
    yield DOCUMENTS, DocumentFormat.RESTRUCTURED, b"A\n\n" + b" " * 8_000 + b"x", None
    yield DOCUMENTS, DocumentFormat.PDF, pdf(b"(%s) Tj " % (b"a" * 38) * 1_000_000), None
    yield DOCUMENTS, DocumentFormat.PDF, pdf(b"(%s) Tj " % (b"a" * 38) * 20_000, pages=2_000), None
    yield DOCUMENTS, DocumentFormat.PDF, pdf(b"(%s) Tj T* " % (b"a-" * 18) * 20_000), None
    for text in (
        b"<div>" * MANY,
        b"<p " + b" ".join(b"a%d=1" % number for number in range(MANY)) + b">x",
        b"<table><tr><td>" * 20_000,
        b"<p>a\n" * MANY,
    ):
        yield PAGES, DocumentFormat.PAGE, text, None
        yield DOCUMENTS, DocumentFormat.HTML, text, None
    for charset in ("punycode", "utf-7", "unicode_escape", "hex", "idna"):
        yield PAGES, DocumentFormat.PAGE, b"<p>" + b"a-" * 1_000_000, charset
    for piece in _PIECES:
        data = (piece * (MANY // len(piece))).encode()
        yield PAGES, DocumentFormat.PAGE, data, None
        for written_in in (
            DocumentFormat.MARKDOWN,
            DocumentFormat.RESTRUCTURED,
            DocumentFormat.PLAIN,
            DocumentFormat.TABLE,
        ):
            yield DOCUMENTS, written_in, data, None
    for written_in in DocumentFormat:
        yield DOCUMENTS, written_in, b"PK\x03\x04" + bytes(range(256)) * 200, None


def test_each_is_read_or_refused_by_name_and_so_is_an_honest_one_after_it() -> None:
    """A reader's end without a name, or one that takes too long, fails it."""
    readers = Readers(count=2)
    try:
        for what, written_in, data, charset in named():
            with suppress(Unreadable):
                readers.submit(written_in, data, charset).result(WEDGED_S)
            honest = readers.submit(DocumentFormat.MARKDOWN, HONEST).result(WEDGED_S)
            assert honest.snapshot.text.endswith("Another document is read."), (what, written_in)
    finally:
        readers.close()
