"""What a model that compares meanings offers to whoever ranks passages."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class Similarity(Protocol):
    """Compares what a question and passages mean.

    Attributes:
        name: of the model, as a report states it.
    """

    @property
    def name(self) -> str:
        """The model's name."""

    def measure_nearness(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        """Return how near each passage is to the question, word by word: whether it says that.

        Of each word of the question the cosine with the nearest one of the passage; their mean.
        The same texts give the same numbers, whatever stands beside them.
        """

    def keep(self, passages: Sequence[str], file: Path) -> None:
        """Keep in a file what is known of passages, so that they are read but once.

        It takes 30 to 60 ms for each that the file does not know.
        """

    def compare_cached(
        self, question: str, passages: Sequence[str], file: Path
    ) -> tuple[float, ...]:
        """Return the cosine of the question with each passage, reading only those not in a file."""
