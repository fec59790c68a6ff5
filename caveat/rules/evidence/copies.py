"""Copies: two texts that are one voice must not count as two sources.

Texts are compared by their 5-word shingles through bottom-k sketches (Broder 1997, "On the
resemblance and containment of documents"). A text that is otherwise the same and states another
figure, or denies what the other one says, is no copy: neither must be lost in the other. A single
other word is not seen, such as “disabled” for “enabled”.
"""

import re
import zlib
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from caveat.contracts.source import Reading
from caveat.quantities.units import SPELLINGS
from caveat.rules.text.sentences import split_sentences
from caveat.rules.text.wording import build_word_set, normalise_word

SHINGLE = 5
"""Words. Shorter runs recur by chance in texts about one subject; longer ones miss light edits."""

SKETCH = 100
"""Hashes kept a text: at a true resemblance of 0.8 the estimate's standard error is 0.04."""

COPIED = 0.8
"""Share of the shorter text found in the longer one above which it is a copy: a syndicated article
with another site's header and footer stays above it, a review that quotes its source does not."""

COMPARABLE = 0.5
"""Shorter over longer length: a note that a book happens to contain is not a copy of the book."""

FIGURES = 64
"""Sentences kept a text, each by its words and by what it states. Most pages have fewer, and theirs
are all compared; of a longer text's it is a sample, the same one in every copy of it."""

LOOKED_AT = 100_000
"""Characters of a text whose sentences are looked at one by one: a long article."""

CROWD = 64
"""Known texts that share a hash before it says nothing of copies: they have a menu or a notice in
common, since a text that is a copy is not added. It bounds what one look takes, however many are
known."""

SIGNS = 32
"""Of the smallest hashes by which a text is found: of two texts that are copies (`COPIED`,
`COMPARABLE`) a third of all hashes is in both at least: one pair in a million shares none."""

WORD = re.compile(r"\w+")

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]\w*(?:'\w+)*")
_UNITS = frozenset(map(str.casefold, SPELLINGS))
"""Words that belong to the figure before them: 2 GB and 2 GiB are two."""

_STAMPED = frozenset({
    "accessed", "copyright", "downloaded", "edition", "issue", "modified", "page", "posted",
    "printed", "published", "retrieved", "updated", "version",
})  # fmt: skip
"""Words before figures that every publisher of the same text puts there anew."""
_STAMP = 4  # words back in which they are looked for: a date of three parts may stand between


class Sketch(NamedTuple):
    shingles: int
    smallest: tuple[int, ...]
    # hashes of a sentence's words, and of its figures and how often it denies, ascending
    figures: tuple[tuple[int, int], ...] = ()


def sketch(text: str) -> Sketch:
    """Fingerprint a text; the same words in the same order give the same result."""
    words = [word.encode() for word in WORD.findall(text.casefold())]
    width = max(1, min(SHINGLE, len(words)))
    # CRC-32 is stable between processes and releases, which the built-in hash is not.
    starts = range(len(words) - width + 1)
    hashes = {zlib.crc32(b" ".join(words[at : at + width])) for at in starts}
    # To sort all of them takes a third of what a heap does, which compares in Python.
    smallest = tuple(sorted(hashes)[:SKETCH])
    told: dict[int, set[int]] = defaultdict(set)
    for place, what in _hash_sentences(text[:LOOKED_AT]):
        told[place].add(what)
    unique = sorted((place, what.pop()) for place, what in told.items() if len(what) == 1)
    return Sketch(len(hashes), smallest, tuple(unique[:FIGURES]))


def is_copy(one: Reading, other: Reading) -> bool:
    """Whether a text is another one, give or take a header and a footer."""
    if one.snapshot_sha256 == other.snapshot_sha256:
        return True
    stated = dict(one.figures)
    is_altered = any(stated.get(words, figure) != figure for words, figure in other.figures)
    return not is_altered and _is_same_text(one, other)


def _is_same_text(one: Reading, other: Reading) -> bool:
    shorter, longer = sorted((one.shingles, other.shingles))
    if shorter == 0 or shorter / longer < COMPARABLE:
        return False
    alike = estimate_resemblance(one.sketch, other.sketch)
    shared = alike * (shorter + longer) / (1 + alike)
    return shared / shorter >= COPIED


def _hash_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield each sentence by its words, with its figures and how often it denies."""
    for span in split_sentences(text):
        words, figures, denials = list[str](), list[str](), 0
        tokens = _TOKEN.findall(text[span.start : span.end].casefold().replace("’", "'"))
        for at, token in enumerate(tokens):
            is_unit = at > 0 and tokens[at - 1][0].isdigit() and token in _UNITS
            if is_unit or token[0].isdigit():
                is_stamp = not _STAMPED.isdisjoint(tokens[max(0, at - _STAMP) : at])
                figures += [] if is_stamp else [token]
                continue
            for each in normalise_word(token, behind_number=False, is_first=True):
                denials += each in _DENIALS
                # "study" and "studied" begin alike.
                words += [] if each in _DENIALS | _EMPTY else [each[:4]]
        if len(words) >= _ENOUGH:
            yield zlib.crc32(" ".join(words).encode()), zlib.crc32(f"{figures} {denials}".encode())


_ENOUGH = 3  # words: fewer do not say what is meant
_DENIALS = build_word_set(
    "not no never without neither nor none nobody nothing nowhere hardly scarcely barely",
    "fail failed failing unable lack lacked lacking refused",
)
_EMPTY = build_word_set(
    "the a an do does did is are was were be been being am has have had to of any at ever",
    "also still always all every able",
)
"""Words that come and go with a negation: "has an effect", "does not have any effect"."""


def estimate_resemblance(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Estimate the share of common shingles, 0 to 1."""
    size = max(1, min(SKETCH, max(len(one), len(other))))
    smallest = sorted({*one, *other})[:size]
    both = set(one) & set(other)
    return sum(value in both for value in smallest) / len(smallest) if smallest else 0.0


class Known:
    """The original readings of a run, indexed by what a copy would share with them."""

    # A new one is held against those that it may be a copy of, without looking at all.

    def __init__(self) -> None:
        self._order: dict[str, int] = {}
        self._sharing: dict[object, list[str]] = defaultdict(list)

    def add(self, source_id: str, reading: Reading) -> None:
        self._order[source_id] = len(self._order)
        for sign in _list_signs(reading):
            sharing = self._sharing[sign]
            if len(sharing) < CROWD:
                sharing.append(source_id)

    def find_candidates(self, reading: Reading) -> list[str]:
        """Name the sources that share a sign with it, in order of addition.

        Texts that share none of their smallest hashes are no copies (`is_copy`).
        """
        groups = (self._sharing.get(sign, ()) for sign in _list_signs(reading))
        candidates = {each for group in groups if len(group) < CROWD for each in group}
        return sorted(candidates, key=self._order.__getitem__)


def _list_signs(reading: Reading) -> tuple[object, ...]:
    return reading.snapshot_sha256, *reading.sketch[:SIGNS]
