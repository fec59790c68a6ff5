"""Copies: two texts that are one voice must not count as two sources.

Texts are compared by their 5-word shingles through bottom-k sketches (Broder 1997, "On the
resemblance and containment of documents").
"""

import heapq
import re
import zlib
from typing import NamedTuple

from caveat.contracts.source import Reading

SHINGLE = 5
"""Words. Shorter runs recur by chance in texts about one subject; longer ones miss light edits."""

SKETCH = 100
"""Hashes kept a text: at a true resemblance of 0.8 the estimate's standard error is 0.04."""

COPIED = 0.8
"""Share of the shorter text found in the longer one above which it is a copy: a syndicated article
with another site's header and footer stays above it, a review that quotes its source does not."""

COMPARABLE = 0.5
"""Shorter over longer length: a note that a book happens to contain is not a copy of the book."""

WORD = re.compile(r"\w+")


class Sketch(NamedTuple):
    """The number of distinct shingles of a text, and the smallest of their hashes, ascending."""

    shingles: int
    smallest: tuple[int, ...]


def sketch(text: str) -> Sketch:
    """Draw the sketch of a text; the same words in the same order give the same sketch."""
    words = WORD.findall(text.casefold())
    width = max(1, min(SHINGLE, len(words)))
    # CRC-32 is stable between processes and releases, which the built-in hash is not.
    hashes = {
        zlib.crc32(" ".join(words[at : at + width]).encode())
        for at in range(len(words) - width + 1)
    }
    return Sketch(len(hashes), tuple(heapq.nsmallest(SKETCH, hashes)))


def is_copy(one: Reading, other: Reading) -> bool:
    """Tell whether two readings are the same text, give or take a header and a footer."""
    if one.snapshot_sha256 == other.snapshot_sha256:
        return True
    shorter, longer = sorted((one.shingles, other.shingles))
    if shorter == 0 or shorter / longer < COMPARABLE:
        return False
    alike = resemblance(one.sketch, other.sketch)
    shared = alike * (shorter + longer) / (1 + alike)
    return shared / shorter >= COPIED


def resemblance(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Estimate the share of shingles that two texts have in common, 0 to 1, from their sketches."""
    size = max(1, min(SKETCH, max(len(one), len(other))))
    smallest = heapq.nsmallest(size, set(one) | set(other))
    both = set(one) & set(other)
    return sum(value in both for value in smallest) / len(smallest) if smallest else 0.0
