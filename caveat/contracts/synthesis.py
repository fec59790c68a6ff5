"""What the synthesiser is given and what it returns: claims and remarks in, cited prose out."""

from enum import StrEnum

from pydantic import Field

from caveat.contracts.base import Contract, Count
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.plan import Assignment
from caveat.contracts.source import Claim, SourceRef


class Participant(StrEnum):
    """Who takes part in a debate, and what each looks at."""

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
    """What a participant has to say about one claim."""

    claim_id: str
    raised_by: Participant
    stance: Stance  # for the claim or against it
    text: str = Field(min_length=1, max_length=500)  # one or two sentences
    evidence: tuple[str, ...] = ()  # ids of the other claims that it rests on


class Debate(Contract):
    """What came of a run's debate."""

    present: tuple[Participant, ...] = ()  # who took part
    missing: tuple[Participant, ...] = ()
    challenges: tuple[Challenge, ...] = ()  # remarks on claims, in order of the claims


class AngleEvidence(Contract):
    assignment: Assignment
    claims: tuple[Claim, ...]


class Figure(Contract):
    """One quantity that a claim states, for tables that compare and order."""

    label: str  # where it is stated: its source's title, or words of the claim
    value: str  # the quantity exactly as the quote writes it, for example `67.4 ± 0.5 km/s/Mpc`
    number: float  # its central number, for ordering
    unit: str  # normalised unit; figures are compared only within one
    claim_id: str  # the claim whose quote contains `value` verbatim


class SectionDraft(Contract):
    assignment_id: str  # the angle
    title: str  # the section's heading
    # Markdown in which every factual sentence ends with markers such as `[c12]`, naming the claims
    # that it rests on. Empty when the angle has no claims.
    summary: str
    claim_ids: tuple[str, ...] = ()  # the claims that the summary uses, in order of first use


class Verdict(StrEnum):
    """Whether the claims answer the question, in the synthesiser's judgement."""

    ANSWERED = "answered"
    PARTLY = "partly"
    NOT_ANSWERED = "not_answered"


class MissingPart(Contract):
    """A part of the question to which no claim has an answer, and what was found instead."""

    part: str = Field(min_length=1, max_length=300)
    why: str = Field(default="", max_length=1_000)  # what was found instead, with claim markers


class Weighing(Contract):
    """What speaks for one side of a dispute: who can know it, its date, the kind of document."""

    contradiction_id: str
    side: str  # the letter of the side, `a` first
    text: str  # Markdown with claim markers


class Operand(Contract):
    """A value that goes into a calculation, in the words of a claim's quote."""

    name: str  # in the expression
    claim_id: str
    value: str = Field(min_length=1, max_length=200)


class Calculation(Contract):
    """A number that no source states, computed from some that sources do."""

    # over its operands' names: `+ - * /`, brackets, numbers, roots such as `(a / b) ** (1 / 5)`
    expression: str = Field(min_length=1, max_length=200)
    operands: tuple[Operand, ...] = Field(min_length=1, max_length=20)
    result: str = Field(min_length=1, max_length=200)  # with its unit, as the prose writes it
    is_guessed: bool = False  # whether its writer did not say how it follows, or units are unknown


class Support(StrEnum):
    """How far the quotes that a sentence cites carry it."""

    SUPPORTED = "supported"
    PARTLY = "partly"
    NOT = "not"


class Reader(StrEnum):
    """Who holds a sentence against its quotes."""

    CODE = "code"
    VERIFIER = "verifier"


class ReadSentence(Contract):
    """A sentence that was held against its quotes."""

    text: str  # without markers
    claims: tuple[str, ...]
    support: Support  # how far their quotes carry it
    reason: str = Field(default="", max_length=500)  # what they do not carry; empty where all
    by: Reader = Reader.VERIFIER
    unrelated: tuple[str, ...] = ()  # disputes of what it cites, of which it says nothing


class LeftOutSentence(Contract):
    """A sentence that is not published; its words, which may be a stranger's, are not kept."""

    claims: tuple[str, ...]  # of the run that it cited
    support: Support  # how far their quotes carry it
    by: Reader  # who did not let it pass
    of_answer: bool = False  # whether it was one of the answer's, which then lacks what it said
    section: str = ""  # the angle of its section; empty where it was in none
    is_unread: bool = False  # whether the verifier could not read it


class Verification(Contract):
    """What became of the sentences that the synthesiser wrote."""

    read: tuple[ReadSentence, ...] = ()  # those that were read; in a report, those published
    mended: Count = 0  # how many were written anew
    left_out: tuple[LeftOutSentence, ...] = ()  # those that are not published
    compared: tuple[str, ...] = ()  # claims held against their quote; of others it stands for them
    restated: tuple[str, ...] = ()  # those whose text says more: the quote stands for them
    missing: tuple[str, ...] = ()  # the parts of the question that a reader found unanswered

    @property
    def lost(self) -> int:
        """How many sentences of the answer are not published."""
        return sum(each.of_answer for each in self.left_out)

    @property
    def is_answer_flawed(self) -> bool:
        """Whether code refused a sentence of the answer that the verifier did not."""
        return any(each.of_answer and each.by is Reader.CODE for each in self.left_out)

    @property
    def by_verifier(self) -> bool:
        """Whether a second reader has read sentences, and not code alone."""
        readers = {each.by for each in self.read} | {each.by for each in self.left_out}
        return Reader.VERIFIER in readers


class Synthesis(Contract):
    """The whole report's prose, before code adds what it alone may write."""

    # with a language model the answer, a paragraph of three to five sentences that answers every
    # part of the question; without one the best passages. Markdown with the same claim markers.
    summary: str
    sections: tuple[SectionDraft, ...] = Field(min_length=1)  # one an assignment, in plan order
    verdict: Verdict | None = None  # whether it answers; None where quotes stand for prose
    missing: tuple[MissingPart, ...] = ()  # the parts of the question that it does not answer
    weighings: tuple[Weighing, ...] = ()  # what speaks for each side of the disputes
    calculations: tuple[Calculation, ...] = ()  # numbers that no source states
    miscalculated: tuple[str, ...] = ()  # calculations that fell, each with the reason
    verification: Verification | None = None  # None where nobody verified it
    ranked_by: str = ""  # the sentence-embedding model that ranked passages; empty where none did


class WrittenProse(Contract):
    """The prose of a report, to write on when a ruling comes."""

    portions: dict[str, Synthesis]  # the answer and the sections, each as it was verified
    contradictions: tuple[Contradiction, ...]  # as they stood then


class SynthesisInput(Contract):
    """Claims only, never page text, with an accurate picture of what is missing."""

    topic: str  # the run's topic
    language: str | None = None  # of its prose, where the request names one
    angles: tuple[AngleEvidence, ...]  # every assignment; claims that may not be used are left out
    sources: tuple[SourceRef, ...]  # the sources of the claims
    # what is missing, a sentence each; the synthesiser must not fill it in
    missing: tuple[str, ...] = ()
    # all that concern claims of the run; code marks what they contest, the synthesiser does not
    contradictions: tuple[Contradiction, ...] = ()
    excluded: tuple[Claim, ...] = ()  # overruled or undecided: no sentence may state them
    debate: Debate | None = None  # what its participants said of the claims; None without one

    @property
    def claims(self) -> dict[str, Claim]:
        return {claim.id: claim for angle in self.angles for claim in angle.claims}
