"""How far markup may go before it is looked at: what no page needs takes parsers minutes."""

import re

from caveat.adapters.documents.refusals import Unreadable, Why

_DEPTH = 1_000
"""Blocks inside one another; browsers stop at 512, and generated manuals stay under a hundred."""
_ATTRIBUTES = 1_000
"""Of one element; a table's cell of a spreadsheet has some twenty."""

_BLOCK = re.compile(
    r"<(/?)(?:div|section|article|span|table|ul|ol|dl|blockquote|center)\b", re.IGNORECASE
)
"""Elements that are closed by hand; those that HTML closes by itself do not nest."""
_LONG_TAG = re.compile(r"<[a-z][^<>]{4000,}", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"\s[^\s=<>]+")


def check_markup(text: str) -> None:
    """Let markup through that a person's page could have.

    Raises:
        Unreadable: it nests deeper, or an element has more attributes, than is read.
    """
    depth = 0
    tags = _BLOCK.findall(text)
    for slash in tags if len(tags) > _DEPTH else ():
        depth = max(0, depth + (-1 if slash else 1))
        if depth > _DEPTH:
            raise Unreadable(f"nests more than {_DEPTH:,} elements in one another", Why.TOO_LARGE)
    check_attributes(text)


def check_attributes(text: str) -> None:
    """Let through what has no element with thousands of attributes.

    Raises:
        Unreadable: one has.
    """
    for tag in _LONG_TAG.finditer(text):
        if sum(1 for _ in _ATTRIBUTE.finditer(tag.group())) > _ATTRIBUTES:
            said = f"has an element with more than {_ATTRIBUTES:,} attributes"
            raise Unreadable(said, Why.TOO_LARGE)
