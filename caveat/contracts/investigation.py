"""What an assignment brought."""

from pydantic import Field

from caveat.contracts.base import Contract
from caveat.contracts.claim import Claim
from caveat.contracts.plan import Assignment
from caveat.contracts.source import Credibility, Reading, SourceRef


class Shelved(Contract):
    """A source that a run found, whatever became of it.

    Attributes:
        source: the source.
        credibility: its score and factors.
        admitted: whether it was good enough to be read.
        reason: why it was or was not.
        reading: what reading it gave, None when it was not or could not be read.
        copies: other addresses of the same text.
    """

    source: SourceRef
    credibility: Credibility
    admitted: bool
    reason: str
    reading: Reading | None = None
    copies: tuple[str, ...] = ()


class Findings(Contract):
    """What one assignment brought.

    Attributes:
        assignment: the angle.
        claims: best first.
        attempted: tasks that it needed: searches, readings and analyses.
        failed: of those, how many failed for good.
        gaps: what was looked for and not found, a sentence each.
        rejected_quotes: claims thrown away because their quote was not in the snapshot.
    """

    assignment: Assignment
    claims: tuple[Claim, ...] = ()
    attempted: int = Field(ge=0)
    failed: int = Field(ge=0)
    gaps: tuple[str, ...] = ()
    rejected_quotes: int = Field(default=0, ge=0)

    @property
    def completeness(self) -> float:
        """Share of its tasks that were done, 0 to 1."""
        return 1 - self.failed / self.attempted if self.attempted else 0.0
