"""Words of a model, made to fit the contracts."""

import re
from collections.abc import Iterable
from typing import Annotated

from pydantic import StringConstraints

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""Text that says something."""


ADDRESS = re.compile(
    r"(?:\b[a-z][a-z\d+.-]{0,40}://|\bwww\.|\b(?:javascript|mailto):(?=\S))\S*", re.IGNORECASE
)
"""An address of any scheme: a report's prose holds none, its sources do."""


def addresses(text: str) -> frozenset[str]:
    """The addresses in a text, without the punctuation behind them."""
    return frozenset(found.rstrip(".,;:!?)]}\"'”’»") for found in ADDRESS.findall(text))


def shortened(text: str, limit: int) -> str:
    """Put a text on one line and cut it between words at a number of characters."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[:limit].rsplit(" ", 1)[0]
    return f"{cut[: limit - 1].rstrip()}…"


def same_words(text: str) -> frozenset[str]:
    """Reduce a query to its words, since their order and case make no other query."""
    return frozenset(text.casefold().split())


def returned(what: str, flaws: Iterable[str], again: str) -> str | None:
    """Give an answer back to whoever wrote it, each flaw once; None where it has none."""
    lines = [f"- {flaw}" for flaw in dict.fromkeys(flaws)]
    return "\n".join([f"{what}:", *lines, again]) if lines else None
