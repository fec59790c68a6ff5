"""Numbers that are written as words: "five million eight hundred and forty thousand"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from text_to_num import find_numbers

LANGUAGES = frozenset({"da", "de", "en", "es", "fr", "it", "nl", "pt"})
_TIMES = re.compile(r"(?<=[a-z])ma?al\b")  # "dreimal" has a three
_TOKEN = re.compile(r"[^\W_]+|\s+|[^\w\s]|_")


@dataclass(frozen=True)
class _Token:
    """A word, a gap or a sign, as the library looks at it."""

    written: str

    def text(self) -> str:
        return self.written

    def nt_separated(self, previous: "_Token") -> bool:
        del previous
        return False

    def not_a_number_part(self) -> bool:
        return False


def find_spelled_numbers(text: str, language: str = "en") -> Iterator[int]:
    """Find the whole numbers that a text writes as words, in order; "first" is none of them.

    Args:
        language: of the text; in one that the library does not know, there are none.
    """
    return iter(_find_spelled_numbers(text, language) if language in LANGUAGES else ())


@lru_cache(maxsize=1 << 12)
def _find_spelled_numbers(text: str, language: str) -> tuple[int, ...]:
    words = _TOKEN.findall(_TIMES.sub(" ", text))
    found = find_numbers([_Token(each) for each in words], language, threshold=0)
    # "un", "ein" and "uma" are articles as often as numbers; the million of "5.84 million" is none.
    least = 0 if language == "en" else 2
    return tuple(
        int(each.value)
        for each in found
        if not each.is_ordinal
        and each.value == int(each.value) >= least
        and not "".join(words[max(0, each.start - 2) : each.start]).strip().isdecimal()
    )
