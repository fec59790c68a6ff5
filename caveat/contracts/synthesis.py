"""What the synthesiser is given and what it returns: claims in, cited prose out."""

from pydantic import Field

from caveat.contracts.base import Contract
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.plan import Assignment
from caveat.contracts.source import SourceRef


class AngleEvidence(Contract):
    """One assignment with the claims that were found for it, best first."""

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
    """One angle, written.

    Attributes:
        assignment_id: the angle.
        title: the section's heading.
        summary: Markdown in which every factual sentence ends with markers such as `[c12]`,
            naming the claims that it rests on. Empty when the angle has no claims.
        claim_ids: the claims that the summary uses, in order of first use.
        figures: quantities worth comparing, ascending by number; empty when there are none.
    """

    assignment_id: str
    title: str
    summary: str
    claim_ids: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()


class Likeness(Contract):
    """How near the passage of a claim comes to the question.

    Attributes:
        claim_id: the claim.
        similarity: cosine of its passage with the question, -1 to 1.
    """

    claim_id: str
    similarity: float = Field(ge=-1, le=1)


class Synthesis(Contract):
    """The whole report's prose, before code adds what it alone may write.

    Attributes:
        summary: executive summary, Markdown with the same claim markers.
        sections: one an assignment, in plan order.
        ranked_by: the sentence-embedding model that compared passages with the question; empty
            where none did.
        likenesses: of the claims that it compared.
    """

    summary: str
    sections: tuple[SectionDraft, ...] = Field(min_length=1)
    ranked_by: str = ""
    likenesses: tuple[Likeness, ...] = ()


class SynthesisInput(Contract):
    """Claims only, never page text, with an accurate picture of what is missing.

    Attributes:
        topic: the run's topic.
        angles: every assignment, those without claims included; claims that may not be used are
            left out.
        sources: the sources of the claims.
        missing: what is missing, a sentence each; the synthesiser must not fill it in.
        contradictions: those between claims that are given: open, or settled with `both`. Code
            marks their claims in the prose; the synthesiser writes no such marker.
    """

    topic: str
    angles: tuple[AngleEvidence, ...]
    sources: tuple[SourceRef, ...]
    missing: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
