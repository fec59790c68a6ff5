"""What counts as answered and as named."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.answers.baselines import NAMES
from benchmarks.answers.questions import Question
from benchmarks.answers.reports import Place, Shown, readable
from benchmarks.answers.texts import normal


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
    def is_right(self) -> bool:
        """Whether the answer stands where a reader looks for it."""
        return bool({Place.SUMMARY, Place.FURTHER} & self.answered)


@dataclass(frozen=True)
class Score:
    """One half."""

    questions: int  # that have an answer
    answered: dict[str, int]  # how many of them are answered, by place or baseline
    in_front: int  # how many in the executive summary or in Further passages
    refused: int  # how many of them were named as unanswered all the same
    # questions without an answer, by whether the corpus is about their words
    unanswerable: dict[bool, int]
    named: dict[bool, int]  # how many of those were named as unanswered
    broken: int  # runs that failed for another reason


def score(judged: Sequence[Judged]) -> Score:
    asked = [each for each in judged if each.question.has_answer]
    others = [each for each in judged if not each.question.has_answer]
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
        broken=sum(each.shown.is_broken for each in judged),
    )


def _overlapping(judged: Sequence[Judged], *, kind: bool) -> int:
    return sum(each.question.overlaps is kind for each in judged)
