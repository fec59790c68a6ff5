"""What an assignment brought."""

from enum import StrEnum

from pydantic import Field

from caveat.contracts.base import Contract
from caveat.contracts.plan import Assignment
from caveat.contracts.source import Claim, Credibility, Reading, SourceRef


class FoundSource(Contract):
    source: SourceRef  # the source
    credibility: Credibility  # its score and factors
    admitted: bool  # whether it was good enough to be read
    reason: str  # why it was or was not
    reading: Reading | None = None  # None when it was not or could not be read
    copies: tuple[str, ...] = ()  # other addresses of the same text


class Work(StrEnum):
    """The kinds of work that an assignment is made of."""

    SEARCH = "search"
    READ = "read"
    ANALYSE = "analyse"
    ASK = "ask"  # an outside agent's whole assignment
    REWORD = "reword"
    """Other words for a query that gave too little: without them an angle is whole all the same."""


class OpenWork(Contract):
    """Work of an assignment that failed for good or was left out."""

    work: Work  # what sort of work it was
    task_id: str  # the task, as its failure is booked
    query: str | None = None  # what was searched, for a search
    engine: str | None = None  # the search engine that was asked; None where it has no name
    others_answered: bool = False  # whether another engine answered the same query
    source_id: str | None = None  # what was read or analysed, otherwise
    start_at: int = Field(default=0, ge=0)  # the character to go on at
    done: tuple[str, ...] = ()  # what an agent elsewhere has done of it already, in its own words
    retry_recommended: bool = False  # whether the same may work later
    left_out: bool = False  # whether a bound of the budget left it out, so that it did not fail
    was_started: bool = True  # whether it was given to a subagent at all


class Findings(Contract):
    assignment: Assignment  # the angle
    claims: tuple[Claim, ...] = ()  # best first
    attempted: int = Field(ge=0)  # readings, analyses, and searches that failed
    # of those, how many failed for good; not an engine whose query others have answered, nor a
    # failed rewording
    failed: int = Field(ge=0)
    # the failed ones, such engines, and what a bound of the budget left out: to be taken up again
    open_work: tuple[OpenWork, ...] = ()
    late: bool = False  # whether it was left behind at the deadline
    gaps: tuple[str, ...] = ()  # what was looked for and not found, a sentence each
    rejected_quotes: int = Field(default=0, ge=0)  # not in the snapshot
    beside: int = Field(default=0, ge=0)  # claims that only touch on the question
    share: float | None = Field(default=None, ge=0, le=1)  # done, as an agent elsewhere says

    @property
    def completeness(self) -> float:
        """Share of its tasks that were done, 0 to 1."""
        if self.share is not None:
            return self.share
        return 1 - self.failed / self.attempted if self.attempted else 0.0
