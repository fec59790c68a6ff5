"""The simplest detector that finds anything: the same noun, another number."""

import re
from itertools import product

from snowballstemmer import stemmer

from benchmarks.answers.texts import sentences
from benchmarks.prose.detection import Reported

_COUNTED = re.compile(r"(\d[\d.,]*)\s*(%|[^\W\d_]+)")

_stem = stemmer("porter").stemWord


def reported(one: str, other: str) -> list[Reported]:
    """Compare two texts sentence by sentence.

    Returns:
        Each two sentences in which another number stands before the same word.
    """
    return [
        (a, b)
        for a, b in product(sentences(one), sentences(other))
        if any(
            said != told and noun == thing
            for (said, noun), (told, thing) in product(_counts(a), _counts(b))
        )
    ]


def _counts(sentence: str) -> list[tuple[str, str]]:
    found = _COUNTED.findall(sentence)
    return [(number.rstrip(".,"), _stem(noun.lower())) for number, noun in found]
