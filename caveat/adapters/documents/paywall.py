"""Whether a page is for sale: what it declares, and what barriers look like.

Nothing is worked around: a page that names itself paid is not read, also where its text came along.
"""

import json
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser

_FALSE = frozenset({"false", "http://schema.org/false", "https://schema.org/false"})
_TIERS = frozenset({"locked", "metered"})
_BARRIERS = ", ".join(
    f"{place}"
    for place in (
        "[class*=paywall]", "[id*=paywall]", "[data-paywall]", "[class*=regwall]",
        "[class*=subscriber-only]", "[class*=piano-inline]", "[id*=piano-inline]",
        ".tp-modal", ".tp-container-inner", "[class*=meteredContent]", "[class*=gated-content]",
    )
)  # fmt: skip
"""Names that publishers and the common providers (Piano, Poool, Zephr) give their barriers. Pages
that are open carry them too, switched off, so that they count only beside a short text."""
_OWN = ("@graph", "mainEntity", "mainEntityOfPage", "hasPart")
"""Where a page describes itself and its parts; in lists and references it speaks of others."""
_DEPTH_LIMIT = 8
"""Levels of JSON-LD that are looked at; real pages state this at the second or third."""


def is_declared_paid(tree: LexborHTMLParser) -> bool:
    """Tell whether a page says that it is not free.

    It does by schema.org's `isAccessibleForFree`, in JSON-LD or microdata, for itself or a part, or
    by Open Graph's `article:content_tier`.
    """
    if any(_is_false(value) for value in _stated(tree)):
        return True
    tier = tree.css_first("meta[property='article:content_tier']")
    return tier is not None and (tier.attributes.get("content") or "").strip().lower() in _TIERS


def has_barrier(tree: LexborHTMLParser) -> bool:
    """Tell whether a page holds markup by which barriers are commonly drawn."""
    return tree.css_first(_BARRIERS) is not None


def _stated(tree: LexborHTMLParser) -> Iterator[object]:
    for node in tree.css("[itemprop=isAccessibleForFree]"):
        yield node.attributes.get("content") or node.attributes.get("href") or node.text()
    for node in tree.css("script[type='application/ld+json']"):
        try:
            yield from _values(json.loads(node.text()), _DEPTH_LIMIT)
        except (ValueError, RecursionError):
            continue


def _values(found: object, depth: int) -> Iterator[object]:
    if not depth:
        return
    if isinstance(found, dict):
        if "isAccessibleForFree" in found:
            yield found["isAccessibleForFree"]
        found = [found[name] for name in _OWN if name in found]
    if isinstance(found, list):
        for item in found:
            yield from _values(item, depth - 1)


def _is_false(value: object) -> bool:
    return value is False or (isinstance(value, str) and value.strip().lower() in _FALSE)
