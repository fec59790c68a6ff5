"""The claims of one assignment, source by source."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from temporalio import workflow

from caveat.contracts.claim import Analysis, Claim
from caveat.contracts.investigation import Findings
from caveat.rules.evidence import as_counted
from caveat.rules.sources import RELEVANT

_UNNAMED = ""
"""Stands for the sources of an earlier run and of agents elsewhere, of which sums are known."""


@dataclass
class Claims:
    """What an assignment found.

    Attributes:
        at_most: claims that are kept of one analysis.
        heard: the sources that say something on it.
    """

    at_most: int
    heard: set[str] = field(default_factory=set)
    _kept: list[Claim] = field(default_factory=list)
    _ranked: tuple[Claim, ...] | None = None
    _as_counted: bool = False
    _stated: set[tuple[str, int, int]] = field(default_factory=set)
    _beside: Counter[str] = field(default_factory=Counter)
    _rejected: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        """Count what is kept."""
        return len(self._kept)

    def of(self, source_id: str) -> Iterator[Claim]:
        """Yield what is kept of a source."""
        return (claim for claim in self._kept if claim.source_id == source_id)

    @property
    def beside(self) -> int:
        """Claims that only touch on the question, and were counted and not kept."""
        return self._beside.total()

    @property
    def rejected(self) -> int:
        """Claims thrown away because their quote was not in the snapshot."""
        return self._rejected.total()

    def keep(self, source_id: str, found: Analysis, trust: float) -> None:
        """Keep the best of what an analysis of a source found.

        Args:
            source_id: the source.
            found: what it says.
            trust: its credibility.
        """
        new = [each for each in found.claims if _place(each) not in self._stated]
        answers = [claim for claim in new if claim.relevance >= RELEVANT]
        best = sorted(answers, key=lambda claim: -claim.relevance)[: self.at_most]
        self._kept += [claim.model_copy(update={"credibility": trust}) for claim in best]
        self._ranked = None
        self._stated.update(map(_place, best))
        self.heard.update(claim.source_id for claim in best)
        self._beside[source_id] += len(new) - len(answers)
        self._rejected[source_id] += found.rejected_quotes

    def reject(self, quotes: int) -> None:
        """Count claims that were thrown away before anybody said of which source they are."""
        self._rejected[_UNNAMED] += quotes

    def forget(self, source_id: str) -> None:
        """Drop what a source says."""
        self._kept = [claim for claim in self._kept if claim.source_id != source_id]
        self._ranked = None
        self._stated = {place for place in self._stated if place[0] != source_id}
        self.heard.discard(source_id)
        del self._beside[source_id]
        del self._rejected[source_id]

    def restore(self, found: Findings) -> None:
        """Begin with what an earlier run found, in the order in which that run has named it.

        In another one a model would be asked, and paid, for what it has answered.
        """
        self._as_counted = workflow.patched("claims-restored-as-counted")
        self._kept = list(found.claims)
        self._ranked = None
        self._stated = set(map(_place, found.claims))
        self.heard = {claim.source_id for claim in found.claims}
        self._beside = Counter({_UNNAMED: found.beside})
        self._rejected = Counter({_UNNAMED: found.rejected_quotes})

    def best_first(self) -> tuple[Claim, ...]:
        """Its claims in order; of thousands that is not done anew each time that it is asked."""
        if self._ranked is None:
            self._ranked = tuple(sorted(self._kept, key=self._rank))
        return self._ranked

    def _rank(self, claim: Claim) -> tuple[float, tuple[int, str]]:
        name = as_counted(claim.id) if self._as_counted else (0, claim.id)
        return -claim.relevance * claim.credibility, name


def _place(claim: Claim) -> tuple[str, int, int]:
    """Where the words of a claim stand."""
    return claim.source_id, claim.start, claim.end
