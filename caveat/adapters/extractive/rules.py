"""What code makes of claims without a model."""

from collections.abc import Sequence
from dataclasses import dataclass

from caveat.adapters.extractive.analysis import find_passages
from caveat.adapters.extractive.contradictions import detect_contradictions
from caveat.adapters.extractive.synthesis import synthesise
from caveat.adapters.text.similarity import Similarity
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Disagreement
from caveat.contracts.source import Snapshot, SourceRef
from caveat.contracts.synthesis import Synthesis, SynthesisInput
from caveat.contracts.tasks import DetectionTask


@dataclass(frozen=True)
class ExtractiveRules:
    """Compares like sentences and rows, counts and quotes; see `ports.Rules`."""

    # who compares passages with the question by what they mean; None without one
    similarity: Similarity | None = None

    def find_contradictions(self, task: DetectionTask) -> tuple[Disagreement, ...]:
        """Compare figures, dates and names in sentences and rows of like form."""
        return detect_contradictions(task)

    def find_passages(
        self, question: str, texts: Sequence[tuple[SourceRef, Snapshot]], wanted: int
    ) -> tuple[Claim, ...]:
        """Quote the sentences that weigh most by their words."""
        return find_passages(question, texts, wanted)

    def write_excerpts(self, evidence: SynthesisInput) -> Synthesis:
        """Put the best quotes together as they are."""
        return synthesise(evidence, self.similarity)
