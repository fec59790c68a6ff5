"""What a model that compares meanings offers to whoever ranks passages."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol


class Nearness(NamedTuple):
    """How near a passage is to a question.

    Attributes:
        whole: cosine of both, -1 to 1: whether the passage is about what was asked.
        words: for each word of the question the cosine with the nearest word of the passage, and
            the mean of these: whether it says what was asked.
    """

    whole: float
    words: float


class Similarity(Protocol):
    """Compares what a question and passages mean.

    Attributes:
        name: of the model, as a report states it.
    """

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    def nearness(self, question: str, passages: Sequence[str]) -> tuple[Nearness, ...]:
        """Return how near each passage is to the question.

        The same texts give the same numbers, whatever stands beside them.
        """
        ...

    def keep(self, passages: Sequence[str], file: Path) -> None:
        """Keep in a file what is known of passages, so that they are read but once.

        It takes 30 to 60 ms for each that the file does not know.
        """
        ...

    def kept(self, question: str, passages: Sequence[str], file: Path) -> tuple[float, ...]:
        """Return the cosine of the question with each passage, reading only those not in a file."""
        ...
