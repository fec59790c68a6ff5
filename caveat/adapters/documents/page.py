"""A live page's text without its furniture, and what the page says about itself.

lxml parses first: it cuts nesting at 256 levels, where another parser can be kept busy for minutes
by a page of a million bytes. A page that is for sale is not read: nothing is worked around, also
where its text came along.
"""

import re

import lxml.html  # type: ignore[import-untyped]  # it ships no types
from lxml.etree import ParserError  # type: ignore[import-untyped]  # it ships no types
from lxml.html import HtmlElement
from selectolax.lexbor import LexborHTMLParser
from trafilatura import bare_extraction
from trafilatura.htmlprocessing import convert_to_html
from trafilatura.settings import use_config

from caveat.adapters.documents.accounting import list_losses
from caveat.adapters.documents.composer import PARAGRAPH_BREAK, Composer, clean_text
from caveat.adapters.documents.html import add_fragment, find_linked_data, load_html, parse_number
from caveat.adapters.documents.loaded import Metadata, Unreadable, Why

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

_FALSE = frozenset({"false", "http://schema.org/false", "https://schema.org/false"})
_TIERS = frozenset({"locked", "metered"})
_BARRIERS = (
    "[class*=paywall], [id*=paywall], [data-paywall], [class*=regwall], [class*=subscriber-only], "
    "[class*=piano-inline], [id*=piano-inline], .tp-modal, .tp-container-inner, "
    "[class*=meteredContent], [class*=gated-content]"
)
"""Names that publishers and the common providers (Piano, Poool, Zephr) give their barriers. Pages
that are open carry them too, switched off, so that they count only beside a short text."""
_OWN = ("@graph", "mainEntity", "mainEntityOfPage", "hasPart")
"""Where a page describes itself and its parts; in lists and references it speaks of others."""


def load_page(composer: Composer, markup: str) -> Metadata:
    root = _parse_markup(markup)
    if root is None:
        return Metadata()
    for element in root.xpath("//body//*[@hidden or @style]"):
        if "hidden" in element.attrib or _INVISIBLE.search(element.get("style", "")):
            element.drop_tree()
    seen = lxml.html.tostring(root, encoding="unicode")
    tree = LexborHTMLParser(seen)
    if _is_declared_paid(tree):
        raise Unreadable("is open to subscribers only, as it says itself", Why.FOR_SALE)
    main, whole, everything = Composer(), Composer(), Composer()
    main_text = _extract_main_text(root) if sum(1 for _ in root.iter()) <= _EXTRACTED else ""
    add_fragment(main, main_text)
    metadata = load_html(whole, seen, has_furniture=False)
    main_words = _measure_prose(main)
    if main_words and main_words >= _ENOUGH * _measure_prose(whole):
        add_fragment(composer, main_text)
    else:
        load_html(composer, seen, has_furniture=False)
    shown = composer.finish().text
    if len(shown) <= _TEASER and tree.css_first(_BARRIERS) is not None:
        raise Unreadable("shows only its beginning without a payment or login", Why.FOR_SALE)
    load_html(everything, seen)
    prose = " ".join(_list_prose(everything))
    composer.losses += list_losses([("beside its main text", prose)], shown)
    return metadata


def _parse_markup(markup: str) -> HtmlElement | None:
    # A declaration of encoding says nothing of text that is decoded, and lxml refuses it.
    text = _DECLARATION.sub("", markup)
    try:
        return lxml.html.document_fromstring(text)
    except (ParserError, ValueError):
        return None


def _extract_main_text(root: HtmlElement) -> str:
    """Return the markup of what trafilatura takes for the main text; empty where it finds none."""
    for items in root.iter("ol"):  # whose numbers trafilatura does not keep
        for number, item in enumerate(items.findall("li"), start=parse_number(items.get("start"))):
            item.text = f"{number}. {clean_text(item.text or '')} "
    try:
        extracted = bare_extraction(
            root, fast=True, include_comments=False, include_formatting=True, config=_CONFIG
        )
        body = None if extracted is None or isinstance(extracted, dict) else extracted.body
        if body is None:
            return ""
        for code in [each for each in body.iter("code") if each.getparent() is not body]:
            code.tag = "span"  # in a line, where trafilatura writes blocks
        return str(lxml.html.tostring(convert_to_html(body), encoding="unicode"))
    except ValueError:  # lxml reads control characters and names such as "div<p", but sets neither
        return ""


def _measure_prose(composer: Composer) -> int:
    return sum(map(len, _list_prose(composer)))


def _list_prose(composer: Composer) -> list[str]:
    blocks = composer.finish().text.split(PARAGRAPH_BREAK)
    return [block for block in blocks if len(block) >= _PROSE]


def _is_declared_paid(tree: LexborHTMLParser) -> bool:
    """Tell whether a page says that it is not free, itself or a part of it."""
    tier = tree.css_first("meta[property='article:content_tier']")
    if tier is not None and (tier.attributes.get("content") or "").strip().lower() in _TIERS:
        return True
    values = [thing.get("isAccessibleForFree") for thing in find_linked_data(tree, _OWN)]
    values += [
        node.attributes.get("content") or node.attributes.get("href") or node.text()
        for node in tree.css("[itemprop=isAccessibleForFree]")
    ]
    return any(str(value).strip().lower() in _FALSE for value in values)
