"""What counts as answered, as named and as wrong, and what a confidence is worth."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from benchmarks.answers.baselines import NAMES
from benchmarks.answers.questions import Question
from benchmarks.answers.reports import Place, Shown, readable
from benchmarks.answers.texts import normal

CONFIDENT = 0.6  # above it a reader takes a report for sure

_BANDS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Of the reliability table: five, so that none of some 65 reports stands alone."""


@dataclass(frozen=True)
class Judged:
    """One question, what was shown for it, and whether that answers it."""

    corpus: str  # its name
    question: Question  # what was asked, and what answers it
    shown: Shown  # how Caveat's run ended
    plain: dict[str, str]  # the text that each baseline shows
    # the places, and the baselines, in which the answer stands
    answered: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Look for the answer in every text."""
        texts = {place.value: readable(text) for place, text in self.shown.places.items()}
        texts |= {name: normal(text) for name, text in self.plain.items()}
        found = frozenset(name for name, text in texts.items() if self.question.answered_by(text))
        object.__setattr__(self, "answered", found)

    @property
    def is_given(self) -> bool:
        """Whether Caveat gave a report that takes the question for answered."""
        return self.shown.confidence is not None and not self.shown.is_named

    @property
    def is_right(self) -> bool:
        """Whether the answer stands where a reader looks for it."""
        return bool({Place.SUMMARY, Place.DIRECT} & self.answered)

    @property
    def is_wrong_and_sure(self) -> bool:
        """Whether a report is confident and its first pages do not answer."""
        return self.is_given and not self.is_right and (self.shown.confidence or 0.0) > CONFIDENT


@dataclass(frozen=True)
class Band:
    """Reports of about the same confidence: how many, their mean confidence, how many right."""

    low: float
    high: float
    reports: int
    confidence: float
    right: int


@dataclass(frozen=True)
class Score:
    """One half."""

    questions: int  # that have an answer
    answered: dict[str, int]  # how many of them are answered, by place or baseline
    in_front: int  # how many in the executive summary or in Direct answers
    refused: int  # how many of them were named as unanswered all the same
    # questions without an answer, by whether the corpus is about their words
    unanswerable: dict[bool, int]
    named: dict[bool, int]  # how many of those were named as unanswered
    wrong_and_sure: int  # reports with a confidence above 0.6 whose front does not answer
    reports: int  # given to anything that was asked, save those that say that they do not answer
    auc: float | None  # how often a right report is surer than a wrong one; None without both
    # how often what is answered rightly is surer than what is not, over all that was asked: a
    # refusal counts with the confidence that it states, an end without a report with none
    auc_of_all: float | None
    bands: list[Band]  # reliability of confidence
    broken: int  # runs that failed for another reason


def score(judged: Sequence[Judged]) -> Score:
    asked = [each for each in judged if each.question.has_answer]
    others = [each for each in judged if not each.question.has_answer]
    given = [each for each in judged if each.is_given]
    return Score(
        questions=len(asked),
        answered={
            name: sum(name in each.answered for each in asked)
            for name in (*(place.value for place in Place), *NAMES)
        },
        in_front=sum(each.is_right for each in asked),
        refused=sum(each.shown.is_named for each in asked),
        unanswerable={kind: _overlapping(others, kind=kind) for kind in (False, True)},
        named={
            kind: _overlapping([each for each in others if each.shown.is_named], kind=kind)
            for kind in (False, True)
        },
        wrong_and_sure=sum(each.is_wrong_and_sure for each in judged),
        reports=len(given),
        auc=auc([(each.shown.confidence or 0.0, each.is_right) for each in given]),
        auc_of_all=auc(
            [(each.shown.confidence or 0.0, each.is_given and each.is_right) for each in judged]
        ),
        bands=bands([(each.shown.confidence or 0.0, each.is_right) for each in given]),
        broken=sum(each.shown.is_broken for each in judged),
    )


def auc(reports: Sequence[tuple[float, bool]]) -> float | None:
    """Return how often a right report is surer than a wrong one; ties count half.

    Args:
        reports: of each the confidence, and whether it is right.
    """
    right = [confidence for confidence, is_right in reports if is_right]
    wrong = [confidence for confidence, is_right in reports if not is_right]
    if not right or not wrong:
        return None
    wins = sum((one > other) + (one == other) / 2 for one in right for other in wrong)
    return wins / (len(right) * len(wrong))


def bands(reports: Sequence[tuple[float, bool]]) -> list[Band]:
    """Put reports of about the same confidence together; a border belongs to the band below it."""
    found = []
    for low, high in pairwise(_BANDS):
        inside = [each for each in reports if low < each[0] <= high or each[0] == low == 0.0]
        if inside:
            mean = sum(confidence for confidence, _ in inside) / len(inside)
            right = sum(is_right for _, is_right in inside)
            found.append(Band(low, high, len(inside), mean, right))
    return found


def _overlapping(judged: Sequence[Judged], *, kind: bool) -> int:
    return sum(each.question.overlaps is kind for each in judged)
