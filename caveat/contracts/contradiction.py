"""Contradictions: two claims that cannot both be used as they stand."""

from enum import StrEnum

from pydantic import AwareDatetime, Field

from caveat.contracts.base import Contract


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
    """The rung of the ladder that settled a contradiction."""

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


class Contradiction(Contract):
    """Two claims, what they disagree about, and how that was settled.

    Attributes:
        id: `contradiction-1`, ... in order of detection.
        kind: numeric, date or categorical.
        claims: ids of the two claims, `a` first.
        about: what exactly differs, one sentence.
        state: open, resolved or provisional.
        settled_by: the rung that settled it, None while open.
        ruling: which claim holds, None while open or when nobody came.
        reason: why, in the words of the rule or the person.
        decided_by: the person or rule that decided.
        confidence: in the settlement, 0 to 1.
        requires_human_review: whether a person should still look.
    """

    id: str
    kind: ContradictionKind
    claims: tuple[str, str]
    about: str
    state: ContradictionState = ContradictionState.OPEN
    settled_by: SettledBy | None = None
    ruling: RulingChoice | None = None
    reason: str = ""
    decided_by: str | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)
    requires_human_review: bool = False


class Claimant(Contract):
    """The source of a claim that was ruled on.

    Attributes:
        source_id: as in `SourceRef.id`, the same in every run.
        address: its URL or, in a corpus without URLs, its path, for people.
    """

    source_id: str
    address: str | None = None


class RulingRecord(Contract):
    """What memory keeps of a person's ruling.

    Attributes:
        run_id: workflow id of the run that asked.
        contradiction_id: which of its contradictions.
        claimants: the sources of the two claims, `a` first.
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
