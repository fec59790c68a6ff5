"""What code makes of claims without a model."""

from dataclasses import dataclass

from caveat.adapters.extractive.contradictions import detect_contradictions
from caveat.adapters.extractive.synthesis import synthesise
from caveat.adapters.text.similarity import Similarity
from caveat.contracts.contradiction import Disagreement
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

    def write_excerpts(self, evidence: SynthesisInput) -> Synthesis:
        """Put the best quotes together as they are."""
        return synthesise(evidence, self.similarity)
