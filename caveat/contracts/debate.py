"""The debate: three participants examine the claims, each through its own lens."""

from enum import StrEnum

from pydantic import Field

from caveat.contracts.base import Contract


class Participant(StrEnum):
    """Who takes part, and what each looks at."""

    ADVOCATE = "advocate"  # what supports a claim: independent sources that say the same
    SCEPTIC = "sceptic"
    """What speaks against a claim: contradictions, and newer sources on the same."""
    METHODOLOGIST = "methodologist"
    """What a claim rests on: the quality of its source, and whether it stands alone."""


class Stance(StrEnum):
    """Whether a remark speaks for a claim or against it."""

    SUPPORTS = "supports"
    CHALLENGES = "challenges"


class Challenge(Contract):
    """What a participant has to say about one claim.

    Attributes:
        stance: for the claim or against it.
        text: one or two sentences.
        evidence: ids of the other claims that it rests on.
    """

    claim_id: str
    raised_by: Participant
    stance: Stance
    text: str = Field(min_length=1, max_length=500)
    evidence: tuple[str, ...] = ()


class Debate(Contract):
    """What came of a run's debate.

    Attributes:
        present: who took part.
        challenges: remarks on claims, in order of the claims.
    """

    present: tuple[Participant, ...] = ()
    missing: tuple[Participant, ...] = ()
    challenges: tuple[Challenge, ...] = ()
