"""What a model that compares meanings offers to whoever ranks passages."""

from collections.abc import Sequence
from typing import Protocol


class Similarity(Protocol):
    """Compares what a question and passages mean.

    Attributes:
        name: of the model, as a report states it.
    """

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    def similarities(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        """Return the cosine of the question with each passage, -1 to 1.

        The same texts give the same numbers, whatever stands beside them.
        """
        ...
