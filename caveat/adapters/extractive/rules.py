"""What code makes of claims without a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from caveat.adapters.extractive.contradictions import detect_contradictions
from caveat.adapters.extractive.figures import compare_quantities
from caveat.adapters.extractive.synthesis import synthesise
from caveat.adapters.text.similarity import Similarity
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Disagreement
from caveat.contracts.synthesis import Figure, Synthesis, SynthesisInput
from caveat.contracts.tasks import DetectionTask


@dataclass(frozen=True)
class ExtractiveRules:
    """Compares fixed forms, counts and quotes; see `ports.Rules`."""

    # who compares passages with the question by what they mean; None without one
    similarity: Similarity | None = None

    def find_contradictions(self, task: DetectionTask) -> tuple[Disagreement, ...]:
        """Compare numbers, dates and names in fixed forms."""
        return detect_contradictions(task)

    def write_excerpts(self, evidence: SynthesisInput) -> Synthesis:
        """Put the best quotes together as they are."""
        return synthesise(evidence, self.similarity)

    def compare_figures(
        self, claims: Sequence[Claim], titles: Mapping[str, str]
    ) -> tuple[Figure, ...]:
        """Compare the quantities that claims state."""
        return compare_quantities(claims, titles)
