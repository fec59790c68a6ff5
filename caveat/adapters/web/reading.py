"""A fetched page to text and metadata, whatever its kind."""

import re
from collections.abc import Callable

from caveat.adapters.corpus.encoding import decoded
from caveat.adapters.corpus.loaded import Loaded
from caveat.adapters.corpus.markdown import load_markdown
from caveat.adapters.corpus.plain import load_text
from caveat.adapters.web.fetching import Page
from caveat.adapters.web.html_page import load_page
from caveat.adapters.web.media import Media
from caveat.adapters.web.pdf_process import load_pdf_apart
from caveat.adapters.web.refusals import Unreadable
from caveat.failures import PortFailure

_LOADERS: dict[Media, Callable[[str], Loaded]] = {
    Media.HTML: load_page,
    Media.MARKDOWN: load_markdown,
    Media.PLAIN: load_text,
}
_UNTOLD = "is in an encoding that cannot be told"
_DECLARED = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w:.-]+)", re.IGNORECASE)
_DECLARATION_LIMIT = 4096
"""Bytes; HTML wants the declaration within the first 1,024, pages are not that strict."""


def loaded(page: Page) -> Loaded:
    """Take the text out of a page.

    Raises:
        Refusal: it is damaged, locked, too large, for sale, or holds no text.
    """
    is_pdf = page.media is Media.PDF
    found = load_pdf_apart(page.body) if is_pdf else _LOADERS[page.media](_text(page))
    if not found.snapshot.text:
        raise Unreadable(
            "holds no text, perhaps only scanned pages"
            if is_pdf
            else "holds no text that is there without running its scripts"
        )
    if found.is_own_report:
        raise Unreadable("is a report of Caveat's own, which is no source")
    return found


def _text(page: Page) -> str:
    if not page.body:
        return ""
    declared = page.charset or _declared(page)
    try:
        return decoded(page.body, declared=declared, name=page.url, resource=page.url)
    except PortFailure as failure:
        if declared is None or b"\x00" in page.body:
            raise Unreadable(_UNTOLD) from failure
        return _forgiving(page.body, declared)


def _forgiving(body: bytes, encoding: str) -> str:
    """Decode as browsers do: one wrong byte in a page must not cost its text."""
    try:
        return body.decode(encoding, "replace")
    except (LookupError, UnicodeError):
        raise Unreadable(_UNTOLD) from None


def _declared(page: Page) -> str | None:
    match = _DECLARED.search(page.body[:_DECLARATION_LIMIT]) if page.media is Media.HTML else None
    return match.group(1).decode("ascii", "replace") if match is not None else None
