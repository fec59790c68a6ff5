"""Where a quote stands in a text, although whoever copied it tidied it."""

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from caveat.roles.data import NEUTRAL
from caveat.rules.text import Span

SHORTEST = 12
"""Characters of a quote: a phrase. A word alone stands in every text and supports nothing."""

LONGEST = 2_000  # characters that a claim's quote may have by its contract

_SAME = {
    **dict.fromkeys("‘’‚‛′‵`´ʼ", "'"),
    **dict.fromkeys("“”„‟«»″‶", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("＜﹤" + NEUTRAL, "<"),
    "…": "...",
}
"""Characters that copyists exchange: quotation marks, dashes, an ellipsis, and the bracket that the
prompt takes from look-alikes of its delimiters."""

_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_AROUND = " \"'."  # what copyists put around a quote: quotation marks, and dots where they cut it


@dataclass(frozen=True)
class Text:
    text: str  # the text, as it is in the snapshot
    begin: int = 0  # character before which nothing is looked for

    def locate(self, quote: str) -> Span | None:
        """Find a quote: as it is, else with white space, quotation marks and dashes set aside.

        Returns:
            The first place that says the same, None where there is none or the quote is too short
            or too long to be one. What stands there is the quote; what was asked for is not.
        """
        wanted = quote.strip()
        if not wanted:
            return None
        at = self.text.find(wanted, self.begin)
        place = Span(at, at + len(wanted)) if at != -1 else self._find_alike(wanted)
        if place is None:
            return None
        found = self.text[place.start : place.end]
        shortest = 0 if "\t" in found else SHORTEST  # a row of a table says what its columns ask
        return place if shortest <= len(found) <= LONGEST else None

    def _find_alike(self, quote: str) -> Span | None:
        words = "".join(char for _, char in _normalise_text(quote)).strip(_AROUND)
        if not words:
            return None
        plain, offsets = self._folded
        at = plain.find(words, bisect_left(offsets, self.begin))
        if at == -1:
            return None
        return Span(offsets[at], offsets[at + len(words) - 1] + 1)

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        pairs = list(_normalise_text(self.text))
        return "".join(char for _, char in pairs), [offset for offset, _ in pairs]


def _normalise_text(text: str) -> Iterator[tuple[int, str]]:
    """The characters of a text as copyists see them, each with the offset that it comes from."""
    # Runs of white space become one space, which belongs to the first of them; a character that
    # stands for several (an ellipsis, a ligature) gives several with one offset.
    gap = True
    for offset, char in enumerate(text):
        if char in _INVISIBLE:
            continue
        if char.isspace():
            if not gap:
                yield offset, " "
            gap = True
            continue
        gap = False
        for piece in _SAME.get(char) or unicodedata.normalize("NFKC", char):
            yield offset, piece
