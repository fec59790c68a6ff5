"""What an agent that lives elsewhere brings: texts, and what they say, in their own words."""

import datetime as dt

from pydantic import Field

from caveat.contracts.base import Contract
from caveat.contracts.source import CLAIM_LIMIT, Claim, Reading, SourceKind


class Quotation(Contract):
    """A statement, and the words of a document that it rests on.

    Attributes:
        quote: verbatim words of the document; what is not in it is thrown away and counted.
        relevance: how well it answers the assignment, 0 to 1.
    """

    text: str = Field(min_length=1, max_length=CLAIM_LIMIT)
    quote: str = Field(min_length=1, max_length=CLAIM_LIMIT)
    relevance: float = Field(default=0.8, ge=0, le=1)


class OutsideDocument(Contract):
    """A text that an agent read, or as much of it as its quotations need.

    Attributes:
        text: its text; quotes are looked for in it, and it is what an audit opens.
        quotations: what it says on the assignment.
        url: its public address, if it has one.
        published: its day of publication, if known.
        kind: what sort of publication it is.
    """

    title: str = Field(min_length=1, max_length=300)
    text: str = Field(min_length=1)
    quotations: tuple[Quotation, ...] = Field(default=(), max_length=40)
    url: str | None = Field(default=None, max_length=2_000)
    published: dt.date | None = None
    kind: SourceKind = SourceKind.UNKNOWN


MOST_DOCUMENTS = 50


class OutsideFindings(Contract):
    """Everything that an agent found for one assignment, or for a part of it.

    Attributes:
        done: which parts of the work are done, in the agent's own words; an assignment that is
            given out again names them, so that only the rest is done.
    """

    documents: tuple[OutsideDocument, ...] = Field(default=(), max_length=MOST_DOCUMENTS)
    done: tuple[str, ...] = Field(default=(), max_length=50)


class Brought(Contract):
    """The findings after checks: texts are snapshots, quotes stand at their offsets."""

    readings: tuple[Reading, ...] = ()  # documents that are kept
    claims: tuple[Claim, ...] = ()  # what they say; `credibility` is still that of no source
    rejected_quotes: int = Field(default=0, ge=0)  # quotations that are not in their document
    done: tuple[str, ...] = ()  # as of `OutsideFindings`

    def __add__(self, rest: "Brought") -> "Brought":
        """Add what was brought later; of a document that came twice, the later text counts."""
        readings = {each.source.id: each for each in (*self.readings, *rest.readings)}
        return Brought(
            readings=tuple(readings.values()),
            claims=(*self.claims, *rest.claims),
            done=tuple(dict.fromkeys((*self.done, *rest.done))),
            rejected_quotes=self.rejected_quotes + rest.rejected_quotes,
        )
