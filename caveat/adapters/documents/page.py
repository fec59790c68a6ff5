"""A live page's text without its furniture, and what the page says about itself.

lxml parses first: it cuts nesting at 256 levels, where another parser can be kept busy for minutes
by a page of a million bytes.
"""

import re
from dataclasses import replace

import lxml.html  # type: ignore[import-untyped]  # it ships no types
from lxml.etree import ParserError  # type: ignore[import-untyped]  # it ships no types
from lxml.html import HtmlElement
from selectolax.lexbor import LexborHTMLParser
from trafilatura import bare_extraction
from trafilatura.settings import use_config

from caveat.adapters.documents.composer import PARAGRAPH_BREAK
from caveat.adapters.documents.html import load_html
from caveat.adapters.documents.loaded import Loaded
from caveat.adapters.documents.markup import check_attributes
from caveat.adapters.documents.page_blocks import compose
from caveat.adapters.documents.paywall import has_barrier, is_declared_paid
from caveat.adapters.documents.refusals import Unreadable, Why
from caveat.contracts.source import Snapshot

MOST_ELEMENTS = 150_000
"""More is no page that people read: a whole book on one page has a sixth as many."""
_EXTRACTED = 10_000
"""Elements up to which the main text is looked for, which takes a fifth of a millisecond for each;
of longer pages everything but furniture is taken, and hardly any of it is furniture."""

_PROSE = 100
"""Characters from which a block is prose; headlines and links to other pages are shorter."""
_ENOUGH = 0.5
"""Share of the page's prose below which trafilatura has missed the main text. On 70 pages of
manuals it kept over .88 of seven in ten, and next to nothing of those made by DocBook."""
_TEASER = 1500
"""Characters; a page that shows a barrier and no more text than this shows a beginning only."""

_INVISIBLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d]*[1-9])|"
    r"opacity\s*:\s*0(?![.\d]*[1-9])",
    re.IGNORECASE,
)
"""Styles by which a page says to programs what it does not show to people. Style sheets are not
looked at, so this is not complete; nothing relies on it."""

_DECLARATION = re.compile(r"\A[\s\ufeff]*<\?xml[^>]*>")

_CONFIG = use_config()
# Below this length trafilatura gives up on structure and glues the whole page into one paragraph.
_CONFIG.set("DEFAULT", "MIN_EXTRACTED_SIZE", "0")


def load_page(markup: str) -> Loaded:
    """Read a page.

    Raises:
        Unreadable: it is built of more elements than are looked at, shows its beginning only, or
            says that it is for sale.
    """
    check_attributes(markup)  # lxml cuts what nests too deeply
    root = _root(markup)
    if root is None:
        return load_html("")
    elements = sum(1 for _ in root.iter())
    if elements > MOST_ELEMENTS:
        raise Unreadable(f"is built of more than {MOST_ELEMENTS:,} elements", Why.TOO_LARGE)
    _drop_invisible(root)
    seen = lxml.html.tostring(root, encoding="unicode")
    tree = LexborHTMLParser(seen)
    if is_declared_paid(tree):
        raise Unreadable("is open to those who pay only, as it says itself", Why.FOR_SALE)
    whole = load_html(seen)
    is_short = elements <= _EXTRACTED
    snapshot = _main_text(root, whole.snapshot) if is_short else whole.snapshot
    if len(snapshot.text) <= _TEASER and has_barrier(tree):
        raise Unreadable("shows its beginning only to those who do not pay or log in", Why.FOR_SALE)
    return replace(whole, snapshot=snapshot)


def _root(markup: str) -> HtmlElement | None:
    # A declaration of encoding says nothing of text that is decoded, and lxml refuses it.
    text = _DECLARATION.sub("", markup)
    try:
        return lxml.html.document_fromstring(text)
    except (ParserError, ValueError):
        return None


def _drop_invisible(root: HtmlElement) -> None:
    for element in root.xpath("//body//*[@hidden or @style]"):
        if "hidden" in element.attrib or _INVISIBLE.search(element.get("style", "")):
            element.drop_tree()


def _main_text(root: HtmlElement, whole: Snapshot) -> Snapshot:
    """Choose between the text without furniture, and all of it where that leaves too little."""
    extracted = bare_extraction(
        root, fast=True, include_comments=False, include_formatting=False, config=_CONFIG
    )
    body = None if extracted is None or isinstance(extracted, dict) else extracted.body
    if body is None:
        return whole
    main = compose(body)
    kept = _prose(main)
    return main if kept and kept >= _ENOUGH * _prose(whole) else whole


def _prose(snapshot: Snapshot) -> int:
    lengths = map(len, snapshot.text.split(PARAGRAPH_BREAK))
    return sum(length for length in lengths if length >= _PROSE)
