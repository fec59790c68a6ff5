"""Contradictions: claims that cannot all be used as they stand, and what became of them."""

import datetime as dt
from enum import StrEnum

from pydantic import AwareDatetime, Field, field_validator

from caveat.contracts.backend import Route
from caveat.contracts.base import Contract
from caveat.contracts.claim import Claim
from caveat.contracts.source import SourceRef

REASON_LIMIT = 1_000
"""Characters of a reason: a paragraph, which still fits the summary tables that show it."""


class ContradictionKind(StrEnum):
    """What the two claims disagree about."""

    NUMERIC = "numeric"
    DATE = "date"
    CATEGORICAL = "categorical"


class ContradictionState(StrEnum):
    """`open` leads to one of the others, and both of those are terminal."""

    OPEN = "open"
    RESOLVED = "resolved"
    PROVISIONAL = "provisional"


class SettledBy(StrEnum):
    """The rungs of the ladder, in the order in which they are tried."""

    EVIDENCE = "evidence"
    TRACK_RECORD = "track_record"
    PERSON = "person"
    PROVISIONAL_UNCERTAINTY = "provisional_uncertainty"


class RulingChoice(StrEnum):
    """Which claim holds: the first, the second, both (scope or date differ), or neither."""

    A = "a"
    B = "b"
    BOTH = "both"
    NEITHER = "neither"


class Disagreement(Contract):
    """Two claims that disagree, as a reasoner reports them.

    Attributes:
        kind: numeric, date or categorical.
        claims: ids of the two claims, `a` first: of each side the one that states it best.
        backing: ids of the other claims that say the same as `a`, and as `b`.
        about: what exactly differs, one sentence.
    """

    kind: ContradictionKind
    claims: tuple[str, str]
    backing: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    about: str = Field(min_length=1, max_length=500)


class LadderStep(Contract):
    """What one rung of the ladder made of a contradiction, and why; never changed afterwards."""

    rung: SettledBy
    settled: bool
    reason: str


class Contradiction(Disagreement):
    """A disagreement with a life: what was tried to settle it, and how it ended.

    Attributes:
        id: `contradiction-1`, ... in order of detection.
        state: open, resolved or provisional.
        settled_by: the rung that settled it, None while open.
        ruling: which claim holds, None while open or when nobody came.
        reason: why, in the words of the rule or the person; empty while open.
        decided_by: the person who ruled; None where a rule did, or nobody.
        decided: when it was settled, UTC; None while open.
        confidence: in the settlement, 0 to 1; None while open.
        requires_human_review: whether a person should still look.
        steps: each rung that was tried, with its reason, in order.
        arbitration: workflow id of the arbitration, once a person is asked.
        deadline: until when a person may rule, UTC; None when nobody is asked.
    """

    id: str
    state: ContradictionState = ContradictionState.OPEN
    settled_by: SettledBy | None = None
    ruling: RulingChoice | None = None
    reason: str = ""
    decided_by: str | None = None
    decided: AwareDatetime | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)
    requires_human_review: bool = False
    steps: tuple[LadderStep, ...] = ()
    arbitration: str | None = None
    deadline: AwareDatetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is not settled yet."""
        return self.state is ContradictionState.OPEN


class Ruling(Contract):
    """A person's answer.

    Attributes:
        ruling: which claim holds.
        reason: why, in the person's words; never empty.
        decided_by: who rules, as far as they say so.
    """

    ruling: RulingChoice
    reason: str = Field(min_length=1, max_length=REASON_LIMIT)
    decided_by: str = Field(default="somebody who gave no name", min_length=1, max_length=200)

    @field_validator("reason", "decided_by", mode="before")
    @classmethod
    def _trimmed(cls, text: object) -> object:
        return " ".join(text.split()) if isinstance(text, str) else text


class LateRuling(Contract):
    """A ruling on a contradiction of an earlier run that nobody had ruled on in time."""

    contradiction_id: str
    ruling: Ruling


class TrackRecord(Contract):
    """How often people upheld a claimant when they ruled on its claims.

    Attributes:
        upheld: rulings in its favour, `both` counting as one.
        ruled: rulings on its claims.
        low: lower end of the interval that the share of upheld claims lies in, 0 to 1.
        high: upper end.
    """

    upheld: int = Field(default=0, ge=0)
    ruled: int = Field(default=0, ge=0)
    low: float = Field(default=0.0, ge=0, le=1)
    high: float = Field(default=1.0, ge=0, le=1)


class Side(Contract):
    """One side of a contradiction, with everything that speaks for it.

    Attributes:
        claim: the claim that states it best, its source's credibility with it.
        source: where it is from.
        corroboration: independent sources that say the same, this one included.
        track_record: of its claimant.
    """

    claim: Claim
    source: SourceRef
    corroboration: int = Field(ge=1)
    track_record: TrackRecord = TrackRecord()


class Case(Contract):
    """What a person is asked: the input of the workflow `Arbitration`.

    Attributes:
        run_id: workflow id of the run that asks.
        topic: what that run was asked.
        contradiction: still open, with the rungs that were tried.
        sides: `a` first.
        timeout: how long a person may take.
        route: who takes up the tasks of that run.
    """

    run_id: str
    topic: str
    contradiction: Contradiction
    sides: tuple[Side, Side]
    timeout: dt.timedelta = Field(ge=dt.timedelta(seconds=1))
    route: Route = Route()


class Rejection(Contract):
    """An answer that was not accepted.

    Attributes:
        received: when, UTC.
        reason: what is wrong with it, one sentence that says what to do.
        given: what was sent, shortened.
    """

    received: AwareDatetime
    reason: str
    given: str


class Hearing(Contract):
    """An arbitration as it stands: the answer to its query `hearing`.

    Attributes:
        case: what is asked.
        contradiction: as it stands now.
        deadline: until when a person may rule, UTC.
        rejections: the latest answers that were not accepted.
        rejected: how many were not accepted in all.
    """

    case: Case
    contradiction: Contradiction
    deadline: AwareDatetime
    rejections: tuple[Rejection, ...] = ()
    rejected: int = Field(default=0, ge=0)


class Claimant(Contract):
    """Who made a claim that was ruled on: the unit that a track record belongs to.

    Attributes:
        id: the host of its pages or, where a source stands for itself, its `SourceRef.id`; the
            same in every run.
        address: its URL or, in a corpus without URLs, its path, for people.
    """

    id: str
    address: str | None = None


class RulingRecord(Contract):
    """What memory keeps of a person's ruling.

    Attributes:
        run_id: workflow id of the run that asked.
        contradiction_id: which of its contradictions.
        claimants: who made the two claims, `a` first.
        choice: which claim holds.
        reason: why, in the person's words.
        decided_by: who ruled.
        decided: when, UTC.
    """

    run_id: str
    contradiction_id: str
    claimants: tuple[Claimant, Claimant]
    choice: RulingChoice
    reason: str
    decided_by: str
    decided: AwareDatetime
