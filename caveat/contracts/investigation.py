"""What an assignment brought."""

from enum import StrEnum

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
        scanned: whether it was looked through for the values of one quantity alone.
    """

    source: SourceRef
    credibility: Credibility
    admitted: bool
    reason: str
    reading: Reading | None = None
    copies: tuple[str, ...] = ()
    scanned: bool = False


class Scanned(Contract):
    """What documents state of a quantity.

    Attributes:
        readings: of those that nobody had read, and that state something.
        claims: what they state; which assignment has them is not said yet.
    """

    readings: tuple[Reading, ...] = ()
    claims: tuple[Claim, ...] = ()


class Work(StrEnum):
    """The kinds of work that an assignment is made of."""

    SEARCH = "search"
    READ = "read"
    ANALYSE = "analyse"
    ASK = "ask"  # the whole of an assignment that an agent elsewhere has
    REWORD = "reword"
    """Other words for a query that gave too little: without them an angle is whole all the same."""


class Unfinished(Contract):
    """A piece of an assignment that failed for good or was not done, to be taken up again.

    Attributes:
        work: what sort of work it was.
        task_id: the task, as its failure is booked.
        query: what was searched, for a search.
        engine: the search engine that was asked; None where it has no name.
        others_answered: whether another engine has answered the same query, so that the angle was
            searched although this engine was not.
        source_id: what was read or analysed, otherwise.
        start_at: character to go on at, for an analysis that was partly done.
        done: what an agent elsewhere has done of it already, in its own words.
        retry_recommended: whether the same may work later.
    """

    work: Work
    task_id: str
    query: str | None = None
    engine: str | None = None
    others_answered: bool = False
    source_id: str | None = None
    start_at: int = Field(default=0, ge=0)
    done: tuple[str, ...] = ()
    retry_recommended: bool = False


class Findings(Contract):
    """What one assignment brought.

    Attributes:
        assignment: the angle.
        claims: best first.
        attempted: tasks that it needed: readings, analyses, and searches that failed.
        failed: of those, how many failed for good; an engine that did not answer a query that
            others have answered is none of them, and neither are other words that nobody had.
        unfinished: the failed ones and such engines, to be taken up again.
        left_out: what a bound of the budget left out, to be taken up by a follow-up.
        late: whether it was left behind at the deadline, what was under way counting as failed.
        gaps: what was looked for and not found, a sentence each.
        rejected_quotes: claims thrown away because their quote was not in the snapshot.
        beside: claims that only touch on the question, and are counted and not kept.
        share: how much of its work an agent elsewhere says that it has done; None where tasks tell.
    """

    assignment: Assignment
    claims: tuple[Claim, ...] = ()
    attempted: int = Field(ge=0)
    failed: int = Field(ge=0)
    unfinished: tuple[Unfinished, ...] = ()
    left_out: tuple[Unfinished, ...] = ()
    late: bool = False
    gaps: tuple[str, ...] = ()
    rejected_quotes: int = Field(default=0, ge=0)
    beside: int = Field(default=0, ge=0)
    share: float | None = Field(default=None, ge=0, le=1)

    @property
    def completeness(self) -> float:
        """Share of its tasks that were done, 0 to 1."""
        if self.share is not None:
            return self.share
        return 1 - self.failed / self.attempted if self.attempted else 0.0
