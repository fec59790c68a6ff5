"""What a ranking of passages asks: how rare words are, what stands where, and what it means."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Passage:
    """A part of a source, as the index holds it."""

    source_id: str
    title: str
    heading: str  # heading or page of the part; empty when the source has none
    text: str
    # cosine of its meaning with the query's; None where nobody compared them
    similarity: float | None = None


class Vocabulary(Protocol):
    """Word statistics and passages of a corpus. Every method may raise `PortFailure`."""

    async def count_documents(self, corpus: tuple[str, ...]) -> int:
        """Count the documents of a corpus."""

    async def count_frequencies(
        self, corpus: tuple[str, ...], stems: Sequence[str]
    ) -> dict[str, int]:
        """Count the documents that hold each Porter stem; a stem may be missing when none does."""

    async def find_passages(self, corpus: tuple[str, ...], query: str, limit: int) -> list[Passage]:
        """Return the passages that match any word of a query, best first."""


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
