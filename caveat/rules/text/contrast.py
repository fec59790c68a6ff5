"""Contrast: sentences that differ in nothing but a negation.

Such sentences are never one statement (`caveat.rules.text.wording`), and they may contradict each
other. A sentence is looked at through its frame: its words without the negation.
"""

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from caveat.rules.text.wording import NOT, build_word_set, normalise_word, tokenise
from caveat.rules.text.words import stem


class Frame(NamedTuple):
    """What a sentence affirms or denies."""

    words: tuple[str, ...]  # levelled, without the negation
    is_denied: bool

    def excludes(self, other: "Frame") -> bool:
        """Whether one affirms what the other denies."""
        return self.words == other.words and self.is_denied != other.is_denied


ENOUGH = 3
"""Words that two sentences must share apart from what differs: fewer do not say what is meant."""


def are_opposed(one: str, other: str) -> bool:
    """Whether two sentences differ only in a negation."""
    mine, others = find_frame(one), find_frame(other)
    return mine is not None and others is not None and mine.excludes(others)


@lru_cache(maxsize=1 << 12)
def find_frame(text: str) -> Frame | None:
    """Find the frame of a sentence, unless it supposes, asks, or is somebody's own."""
    tokens = tuple(tokenise(text))
    written = [token.text.casefold() for token in tokens]
    denials = [word for word in written if word in _DENIALS]
    conditions = (at for at, word in enumerate(written) if word in _CONDITIONS)
    at = next(conditions, len(written))
    # What differs in a condition may both be true, and a double denial may affirm.
    is_double = len(denials) > 1 and not {"neither", "nor"}.issuperset(denials)
    is_unsure = not (_UNSURE.isdisjoint(written) and _NO_DENIAL.isdisjoint(pairwise(written)))
    is_unsure |= not written or written[0] in OWN
    if is_unsure or is_double or not _DENIALS.isdisjoint(written[at:]):
        return None
    words = tuple(
        token.text if token.is_number else stem(token.text)
        for token, word in zip(tokens, written, strict=True)
        if word not in _EMPTY and word not in _DENIALS
    )
    is_telling = sum(any(map(str.isalpha, word)) for word in words) >= ENOUGH
    return Frame(words, bool(denials)) if is_telling else None


_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def count_denials(text: str) -> tuple[list[str], int]:
    """Count the denials of a sentence, behind what else it says: a frame in a tenth of the time."""
    words: list[str] = []
    for word in _WORD.findall(text.casefold().replace("’", "'")):
        words += normalise_word(word, behind_number=False, is_first=True)
    # "study" and "studied" begin alike.
    told = [each[:4] for each in words if not (each in _EMPTY or each in _DENIALS)]
    return told if len(told) >= ENOUGH else [], sum(each in _DENIALS for each in words)


_DENIALS = build_word_set(
    "not no never without neither nor none nobody nothing nowhere hardly scarcely barely",
    "fail failed failing unable lack lacked lacking refused",
)
_EMPTY = build_word_set(
    "the a an do does did is are was were be been being am has have had to of any at ever",
    "also still always all every able",
)
"""Words that come and go with a negation: "has an effect", "does not have any effect"."""

_CONDITIONS = build_word_set("if unless when whenever while until")
"""Words that begin what a sentence is confined to."""

_UNSURE = build_word_set(
    "whether may might could would should perhaps",
    "possibly some sometimes often usually rarely seldom many several few most certain",
    "another we our us my i you your depending ?",
)
"""Sentences with these suppose, ask, speak of some of many or of their writers: both may be
true."""
_NO_DENIAL = frozenset({("no", "longer"), (NOT, "only")})

OWN = build_word_set(
    "it this that these those they he she its their his her such here one we our us my i you your"
)
"""Words that mean another thing in each text, where a sentence begins with them."""
