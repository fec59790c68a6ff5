"""Claims: what a source says, in its own words."""

from enum import StrEnum

from pydantic import Field

from caveat.contracts.base import Contract
from caveat.contracts.source import DocumentFacts


class ClaimState(StrEnum):
    """How far a claim stands."""

    ACCEPTED = "accepted"
    SCOPED = "scoped"  # a person ruled that it holds in its own scope, as another one does in its
    CONTESTED = "contested"  # another claim disagrees, and that is open
    UNCERTAIN = "uncertain"  # nobody could say which of the claims holds, so none of them is used
    OVERRULED = "overruled"  # another claim, or neither, was found to hold, so this one is not used


class Claim(Contract):
    """One statement and the words in a snapshot that it rests on.

    Attributes:
        id: unique in its run.
        quote: verbatim words of the source: `snapshot[start:end] == quote`.
        assignment_id: the angle that it was found for.
        start: character offset of the quote in the snapshot.
        end: character offset just behind the quote.
        location: heading or page of the quote, if the source has any.
        relevance: how well it answers the angle, 0 to 1.
        credibility: of its source, 0 to 1.
        state: whether it may be used, and whether it must be marked where it is.
        contested_by: ids of claims that disagree, a hundred of each contradiction at most.
        before: the words of the snapshot directly before the quote that a reader is shown with it.
        after: those directly behind it.
    """

    id: str
    text: str = Field(min_length=1, max_length=2_000)
    quote: str = Field(min_length=1, max_length=2_000)
    source_id: str
    assignment_id: str
    start: int = Field(ge=0)
    end: int = Field(gt=0)
    location: str | None = None
    relevance: float = Field(ge=0, le=1)
    credibility: float = Field(default=0.5, ge=0, le=1)
    state: ClaimState = ClaimState.ACCEPTED
    contested_by: tuple[str, ...] = ()
    before: str = ""
    after: str = ""

    @property
    def place(self) -> tuple[str, int, int]:
        """Source and offsets, equal in every run."""
        return self.source_id, self.start, self.end


class Analysis(Contract):
    """What one source says about the angles of a run."""

    claims: tuple[Claim, ...] = ()  # best first; empty when no passage was found
    document: DocumentFacts | None = None  # what it says of itself; None where nobody looked
    rejected_quotes: int = Field(default=0, ge=0)  # claims whose quote is not there
    read_to: int = Field(default=0, ge=0)  # of the snapshot's characters
