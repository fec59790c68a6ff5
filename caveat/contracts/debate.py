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
        claim_id: the claim.
        raised_by: who says it.
        stance: for the claim or against it.
        text: one or two sentences.
        evidence: ids of the other claims that it rests on.
    """

    claim_id: str
    raised_by: Participant
    stance: Stance
    text: str = Field(min_length=1, max_length=500)
    evidence: tuple[str, ...] = ()


ROUNDS = 2
"""Rounds of answers at most: an answer, and a word on it. What still stands against a claim then is
a matter for the ladder of contradictions, and each round costs a call a participant."""

MOST_MESSAGES = 10
"""Messages of one participant in one round: what matters most, or nobody reads them."""


class DebateMessage(Challenge):
    """A message of a participant to all others: it answers what one of them said of a claim.

    Attributes:
        round: of answers, from 1.
        answers: whose word on the same claim it answers: the opening remark in the first round,
            the message of the round before in the second.
    """

    round: int = Field(ge=1, le=ROUNDS)
    answers: Participant


class Closing(StrEnum):
    """Why participants who can answer one another said no more."""

    ROUNDS = "rounds"  # all rounds were held
    SILENCE = "silence"  # nobody had anything to answer, or anything to answer to
    TURNS = "turns"  # the bound on turns left none for an answer
    BUDGET = "budget"  # another bound of the budget had no room for a round
    FAILED = "failed"  # nobody who was asked could answer


class Debate(Contract):
    """What came of a run's debate.

    Attributes:
        present: who took part.
        missing: who could not.
        challenges: remarks on claims, in order of the claims.
        messages: what the participants answered one another, by round, then in order of the claims.
        rounds: rounds of answers that were held, silent ones included.
        closing: why there were no more; None where nobody can answer: by rules, and in a report of
            an earlier version.
    """

    present: tuple[Participant, ...] = ()
    missing: tuple[Participant, ...] = ()
    challenges: tuple[Challenge, ...] = ()
    messages: tuple[DebateMessage, ...] = ()
    rounds: int = Field(default=0, ge=0, le=ROUNDS)
    closing: Closing | None = None

    @property
    def said(self) -> tuple[Challenge, ...]:
        """Everything that was said of claims, the opening remarks first."""
        return (*self.challenges, *self.messages)

    def list_heard(self, round_: int) -> tuple[Challenge, ...]:
        """What a round of answers is about: the remarks, or the messages of the round before."""
        if round_ == 1:
            return self.challenges
        return tuple(each for each in self.messages if each.round == round_ - 1)
