"""What the synthesiser is given and what it returns: claims and remarks in, cited prose out."""

from enum import StrEnum

from pydantic import Field

from caveat.contracts.base import Contract
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


class AngleEvidence(Contract):
    assignment: Assignment
    claims: tuple[Claim, ...]


class Figure(Contract):
    """One quantity that a claim states, for tables that compare and order.

    Attributes:
        label: where it is stated: its source's title, or words of the claim.
        value: the quantity exactly as the quote writes it, for example `67.4 ± 0.5 km/s/Mpc`.
        number: its central number, for ordering.
        unit: normalised unit; figures are compared only within one.
        claim_id: the claim whose quote contains `value` verbatim.
    """

    label: str
    value: str
    number: float
    unit: str
    claim_id: str


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
    """What speaks for one side of a dispute: who is in a position to know, date, kind of document.

    Attributes:
        side: the letter of the side, `a` first.
        text: Markdown with claim markers.
    """

    contradiction_id: str
    side: str
    text: str


class Operand(Contract):
    """A value that goes into a calculation, in the words of a claim's quote."""

    name: str  # in the expression
    claim_id: str
    value: str = Field(min_length=1, max_length=200)


class Calculation(Contract):
    """A number that no source states, computed from some that sources do.

    Attributes:
        expression: over the names of the operands, with `+ - * /`, roots of shares
            (`(a / b) ** (1 / 5)`), brackets and plain numbers.
        result: the number with its unit, as the prose writes it.
        is_guessed: whether code found how the number may follow, and its writer did not say so, or
            whether it cannot tell the units.
    """

    expression: str = Field(min_length=1, max_length=200)
    operands: tuple[Operand, ...] = Field(min_length=1, max_length=20)
    result: str = Field(min_length=1, max_length=200)
    is_guessed: bool = False


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
    """A sentence that was held against its quotes.

    Attributes:
        text: without markers.
        support: how far their quotes carry it.
        reason: what they do not carry; empty where they carry all of it.
        unrelated: disputes of the claims that it cites, of which it says nothing.
    """

    text: str
    claims: tuple[str, ...]
    support: Support
    reason: str = Field(default="", max_length=500)
    by: Reader = Reader.VERIFIER
    unrelated: tuple[str, ...] = ()


class LeftOutSentence(Contract):
    """A sentence that is not published; its words, which may be a stranger's, are not kept.

    Attributes:
        claims: of the run that it cited.
        support: how far their quotes carry it.
        by: who did not let it pass.
        of_answer: whether it was one of the answer's, which then lacks what it said.
        section: the angle of its section; empty where it was in none.
        is_unread: whether the verifier could not read it.
    """

    claims: tuple[str, ...]
    support: Support
    by: Reader
    of_answer: bool = False
    section: str = ""
    is_unread: bool = False


class Verification(Contract):
    """What became of the sentences that the synthesiser wrote.

    Attributes:
        read: those that were read; in a report those that are published.
        mended: how many were written anew.
        left_out: those that are not published.
        compared: claims whose text was held against their quote; of others the quote stands for it.
        restated: those of them whose text says more, so that the quote stands for it.
        missing: the parts of the question that a reader found unanswered.
    """

    read: tuple[ReadSentence, ...] = ()
    mended: int = Field(default=0, ge=0)
    left_out: tuple[LeftOutSentence, ...] = ()
    compared: tuple[str, ...] = ()
    restated: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

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
    # whether that answers the question; None where quotes stand for prose
    verdict: Verdict | None = None
    missing: tuple[MissingPart, ...] = ()  # the parts of the question that it does not answer
    weighings: tuple[Weighing, ...] = ()  # what speaks for each side of the disputes
    calculations: tuple[Calculation, ...] = ()  # numbers that no source states
    miscalculated: tuple[str, ...] = ()  # calculations that fell, each with the reason
    verification: Verification | None = None  # None where nobody verified it
    # the sentence-embedding model that compared passages with the question; empty where none did
    ranked_by: str = ""


class WrittenProse(Contract):
    """The prose of a report, to write on when a ruling comes."""

    portions: dict[str, Synthesis]  # the answer and the sections, each as it was verified
    contradictions: tuple[Contradiction, ...]  # as they stood then


class SynthesisInput(Contract):
    """Claims only, never page text, with an accurate picture of what is missing."""

    topic: str  # the run's topic
    language: str | None = None  # of its prose, where the request names one
    # every assignment, those without claims included; claims that may not be used are left out
    angles: tuple[AngleEvidence, ...]
    sources: tuple[SourceRef, ...]  # the sources of the claims
    # what is missing, a sentence each; the synthesiser must not fill it in
    missing: tuple[str, ...] = ()
    # all that concern the claims of the run, with their rulings. Code marks contested claims in the
    # prose; the synthesiser writes no such marker.
    contradictions: tuple[Contradiction, ...] = ()
    # claims that were overruled or that nobody could decide on: no sentence may state them
    excluded: tuple[Claim, ...] = ()
    # what the participants of a team's debate said of the claims; None without one
    debate: Debate | None = None

    @property
    def claims(self) -> dict[str, Claim]:
        return {claim.id: claim for angle in self.angles for claim in angle.claims}
