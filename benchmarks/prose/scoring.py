"""What counts as found and as a false alarm, and the simplest detector."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from snowballstemmer import stemmer

from benchmarks.answers.texts import sentences
from benchmarks.prose.detection import Reported
from benchmarks.prose.pairs import Pair


@dataclass(frozen=True)
class Score:
    """Precision and recall of a detector."""

    reported: int  # disagreements; what is reported of one contradiction twice counts once
    right: int  # those that are between the words that contradict each other
    contradictions: int  # that there are
    kinds: dict[str, int]  # of each kind how many were found
    wrong: list[Reported]  # what was reported and is none
    missed: list[Pair]  # pairs that were not found

    @property
    def precision(self) -> float:
        """Share of what was reported that is right."""
        return self.right / self.reported if self.reported else 1.0

    @property
    def recall(self) -> float:
        """Share of the contradictions that was found."""
        return self.right / self.contradictions if self.contradictions else 1.0


def score(tasks: Iterable[tuple[Sequence[Pair], Sequence[Reported]]]) -> Score:
    """Count.

    Args:
        tasks: of each the pairs that it held, and what was reported in it.
    """
    found: list[Pair] = []
    wrong: list[Reported] = []
    everything: list[Pair] = []
    for pairs, reports in tasks:
        everything += pairs
        for each in reports:
            about = [pair for pair in pairs if pair.is_between(each)]
            found += [pair for pair in about if pair not in found]
            wrong += [] if about else [each]
    wanted = [pair for pair in everything if pair.contradicts]
    return Score(
        reported=len(found) + len(wrong),
        right=len(found),
        contradictions=len(wanted),
        kinds=dict(Counter(pair.kind for pair in found)),
        wrong=wrong,
        missed=[pair for pair in wanted if pair not in found],
    )


_COUNTED = re.compile(r"(\d[\d.,]*)\s*(%|[^\W\d_]+)")

_stem = stemmer("porter").stemWord


def report_by_noun(one: str, other: str) -> list[Reported]:
    """Compare two texts sentence by sentence: the simplest detector that finds anything.

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
