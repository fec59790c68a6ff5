"""Contradictions: claims that cannot all be used as they stand, and what became of them."""

import datetime as dt
import re
from enum import StrEnum
from typing import Annotated, Self

from pydantic import AwareDatetime, BeforeValidator, Field, StringConstraints, field_validator

from caveat.contracts.backend import Route
from caveat.contracts.base import Contract, Count, Share
from caveat.contracts.source import Claim, SourceRef

REASON_LIMIT = 1_000
"""Characters of a reason: a paragraph, which still fits the summary tables that show it."""


class ContradictionKind(StrEnum):
    """What the claims disagree about."""

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


def _tidy_choice(value: object) -> object:
    if not isinstance(value, str):
        return value
    return ",".join(re.findall(r"[^\s,]+", value.casefold()))


Choice = Annotated[
    str,
    BeforeValidator(_tidy_choice),
    StringConstraints(pattern=r"^[a-z]{1,7}(,[a-z]{1,7})*$", max_length=4_000),
]
"""Which values of a contradiction hold: a letter, several with commas, or a word.

Of two values `a`, `b`, `both` or `neither`; of more `a`, `a,c`, `all` or `none`. How many values
there are is known to the contradiction alone, so that `rules.choices` says what can be answered.
"""


class Side(Contract):
    """One of the values that exclude each other, and the claims that state it."""

    claim: str  # id of the claim that states it best
    backing: tuple[str, ...] = ()  # other claims that say the same, by rules or by a second look
    # the same by one look of a model alone: marked while it is disputed, and counted as no source
    unconfirmed: tuple[str, ...] = ()
    value: str = Field(default="", max_length=200)  # as that claim writes it; empty where unknown
    scope: str = Field(default="", max_length=200)  # a place, a time or a condition; or empty
    stated: str = ""  # by several sources together: `73.0 to 73.9 km/s, 4 sources`; empty of one

    @property
    def claims(self) -> tuple[str, ...]:
        """The claims that state it, the best first."""
        return (self.claim, *self.backing)


class Disagreement(Contract):
    """One quantity or statement with its values, as a reasoner reports it.

    It is one question with any number of values, which are lettered in order.
    """

    kind: ContradictionKind  # numeric, date or categorical
    sides: tuple[Side, ...] = Field(min_length=2)  # one for each value, `a` first
    about: str = Field(min_length=1, max_length=500)  # what exactly differs, one sentence
    affects_answer: bool = True  # the answer depends on it; else it holds up no final report
    are_compatible: bool = False  # whether all can be true, each in its scope

    @property
    def claims(self) -> tuple[str, ...]:
        """The claim of each side that states its value best."""
        return tuple(side.claim for side in self.sides)

    @property
    def concerned(self) -> frozenset[str]:
        """Claims that state a value."""
        return frozenset(name for side in self.sides for name in side.claims)


class LadderStep(Contract):
    """The result of one rung, with the reason; immutable."""

    rung: SettledBy
    settled: bool
    reason: str


class GivenRuling(Contract):
    """A person's ruling or withdrawal; immutable."""

    choice: Choice | None  # which values hold; None where the ruling before was withdrawn
    reason: str  # why, in the person's words
    decided_by: str  # who ruled
    decided: AwareDatetime  # when, UTC
    signed: bool | None = None  # by this user; None where that is not known
    run_id: str | None = None  # the other run in which it was given


class Contradiction(Disagreement):
    """A disagreement with a life: what was tried to settle it, and how it ended."""

    id: str  # `contradiction-1`, ... in order of detection
    state: ContradictionState = ContradictionState.OPEN  # open, resolved or provisional
    settled_by: SettledBy | None = None  # the rung that settled it, None while open
    ruling: Choice | None = None  # which values hold, None while open or when nobody came
    reason: str = ""  # why, in the words of the rule or the person; empty while open
    decided_by: str | None = None  # the person who ruled; None where a rule did, or nobody
    signed: bool | None = None  # whether by this user, and not by anybody; None where not checked
    decided: AwareDatetime | None = None  # when it was settled, UTC; None while open
    confidence: Share | None = None  # in the settlement; None while open
    requires_human_review: bool = False  # whether a person should still look
    steps: tuple[LadderStep, ...] = ()  # each rung that was tried, with its reason, in order
    rulings: tuple[GivenRuling, ...] = ()  # everything that people ruled; the last one counts
    arbitration: str | None = None  # workflow id of the arbitration, once a person is asked
    deadline: AwareDatetime | None = None  # until when a person may rule, UTC; None if none asks

    @property
    def is_open(self) -> bool:
        return self.state is ContradictionState.OPEN

    @property
    def is_undecided(self) -> bool:
        """Whether its values stand against each other: it is open, or its ruling was withdrawn."""
        return self.is_open or (bool(self.rulings) and self.rulings[-1].choice is None)

    @property
    def is_awaited(self) -> bool:
        """Whether a final report waits for its settlement."""
        return self.is_open and self.affects_answer

    @property
    def is_unsettled(self) -> bool:
        """Whether the answer depends on it, and nothing has settled it."""
        return self.affects_answer and (self.is_open or self.requires_human_review)

    @property
    def needs_review(self) -> bool:
        """Whether a person may still rule, though nothing waits for it."""
        return self.requires_human_review or (self.is_open and not self.affects_answer)

    @property
    def reused(self) -> GivenRuling | None:
        """Another run's ruling that settles it, if any."""
        last = self.rulings[-1] if self.rulings else None
        return last if last is not None and last.run_id is not None else None

    def mark_signature(self, *, signed: bool | None) -> Self:
        """Note whether the last ruling is signed, if that was checked."""
        rulings = (
            *self.rulings[:-1],
            *(each.model_copy(update={"signed": signed}) for each in self.rulings[-1:]),
        )
        return self.model_copy(update={"signed": signed, "rulings": rulings})


class Signature(Contract):
    """Proof of access to the worker's state folder."""

    choice: Choice | None = None  # as signed; the ruling may write it otherwise; None: a withdrawal
    mac: str = Field(pattern=r"^[0-9a-f]{64}$")  # HMAC-SHA256 of arbitration, choice, reason, name


class Withdrawal(Contract):
    """A person takes a ruling back."""

    reason: str = Field(min_length=1, max_length=REASON_LIMIT)  # why, in the person's words
    # who rules, as far as they say so
    decided_by: str = Field(default="somebody who gave no name", min_length=1, max_length=200)
    signature: Signature | None = None  # of a command of this user

    @field_validator("reason", "decided_by", mode="before")
    @classmethod
    def _trimmed(cls, text: object) -> object:
        return " ".join(text.split()) if isinstance(text, str) else text


class Ruling(Withdrawal):
    """A person's answer."""

    ruling: Choice  # which values hold


class LateRuling(Contract):
    """A ruling after its arbitration, or a changed one."""

    contradiction_id: str
    ruling: Ruling | Withdrawal
    replaces: bool = False  # whether it changes or withdraws what a person ruled before

    @property
    def choice(self) -> Choice | None:
        """Which values hold; None where the ruling before is withdrawn."""
        return self.ruling.ruling if isinstance(self.ruling, Ruling) else None


class TrackRecord(Contract):
    """How often people upheld a claimant."""

    upheld: Count = 0  # rulings in its favour, `both` and `all` counting as one
    ruled: Count = 0  # rulings on its claims
    low: Share = 0.0  # lower end of the share upheld
    high: Share = 1.0  # upper end


class Backing(Contract):
    """The words of a further source for a value."""

    source: str  # title of that source
    year: int | None = None  # in which it was published; None where that is not known
    quote: str = Field(max_length=300)  # its words, the first 300 characters of them


class SideEvidence(Contract):
    """What speaks for one side of a contradiction."""

    claim: Claim  # the claim that states it best, its source's credibility with it
    value: str = ""  # what it states, where the reasoner says so
    scope: str = ""  # what that is confined to
    source: SourceRef  # where it is from
    credibility: Share  # its source's, without what only itself says for it
    corroboration: int = Field(ge=1)  # independent sources that say the same, this one included
    track_record: TrackRecord = TrackRecord()  # of its claimant
    backing: tuple[Backing, ...] = ()  # of five other sources at most


class Case(Contract):
    """The question to a person: the input of the workflow `Arbitration`."""

    run_id: str  # workflow id of the run that asks
    topic: str  # what that run was asked
    contradiction: Contradiction  # still open, with the rungs that were tried
    sides: tuple[SideEvidence, ...] = Field(min_length=2)  # one for each value, `a` first
    # how long a person may take
    timeout: dt.timedelta = Field(ge=dt.timedelta(seconds=1), le=dt.timedelta(days=30))
    route: Route = Route()  # who takes up the tasks of that run


class Rejection(Contract):
    received: AwareDatetime  # when, UTC
    reason: str  # what is wrong with it, one sentence that says what to do
    given: str  # what was sent, shortened


class Hearing(Contract):
    """The state of an arbitration: the answer to its query `hearing`."""

    case: Case  # what is asked
    contradiction: Contradiction  # as it stands now
    deadline: AwareDatetime  # until when a person may rule, UTC
    rejections: tuple[Rejection, ...] = ()  # the latest answers that were not accepted
    rejected: Count = 0  # how many were not accepted in all


class Claimant(Contract):
    """The claimant of a ruled claim, which a track record belongs to."""

    # the host of its pages or, where a source stands for itself, its `SourceRef.id`; the same in
    # every run
    id: str
    said: str = ""  # hash of the ruled words and their period, by which the question is known again


class RulingRecord(GivenRuling):
    """A person's ruling in memory."""

    run_id: str  # workflow id of the run that asked
    contradiction_id: str  # which of its contradictions
    number: int = Field(default=1, ge=1)  # one more for each that changed or withdrew it
    claimants: tuple[Claimant, ...] = Field(min_length=2)  # of each value's best claim, `a` first

    def repeats(self, other: "RulingRecord") -> bool:
        """Whether the same person gave the same answer."""
        mine, theirs = ((each.choice, each.reason, each.decided_by) for each in (self, other))
        return mine == theirs
