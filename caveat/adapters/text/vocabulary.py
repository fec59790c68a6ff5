"""What the extractive reasoner must know of a corpus: which words are rare, what stands where."""

from collections.abc import Sequence
from dataclasses import dataclass
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

    async def find_nearest_stems(
        self, corpus: tuple[str, ...], stems: Sequence[str]
    ) -> dict[str, str]:
        """Find for stems that no passage holds those that are spelt much like them."""

    async def find_passages(self, corpus: tuple[str, ...], query: str, limit: int) -> list[Passage]:
        """Return the passages that match any word of a query, best first."""
