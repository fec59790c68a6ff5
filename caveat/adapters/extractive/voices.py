"""Voices: a claim together with its source and figures, and when two of them agree."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from caveat.adapters.extractive.figures import StatedQuantity, measured
from caveat.adapters.extractive.statements import ComparedClaim, alone, own_words
from caveat.contracts.claim import Claim
from caveat.contracts.source import SourceRef
from caveat.rules.sources import work
from caveat.rules.text import is_denied


@dataclass(frozen=True)
class Voice:
    """A claim, as a participant of the debate looks at it.

    Attributes:
        statement: its words.
        figures: the quantities that it states as its own.
        source: where it is from.
    """

    statement: ComparedClaim
    figures: tuple[StatedQuantity, ...]
    source: SourceRef

    @property
    def claim(self) -> Claim:
        """The claim itself."""
        return self.statement.claim

    @cached_property
    def work(self) -> str:
        """The work that its source is a format, a translation or an edition of."""
        return work(self.source)

    def agrees_with(self, other: "Voice") -> bool:
        """Whether another source says the same, or states the same figure."""
        if self.work == other.work:
            return False
        if self.statement.is_same_as(other.statement):
            return True
        if not self.shares_figure_with(other):
            return False
        return is_denied(self.claim.quote) is is_denied(other.claim.quote)

    def shares_figure_with(self, other: "Voice") -> bool:
        """Whether both state one attribute, each number within what the other allows.

        Overlap alone would let a figure with a wide uncertainty agree with everything.
        """
        return any(
            one.measures_the_same(another) and _within(one, another) and _within(another, one)
            for one in self.figures
            for another in other.figures
        )

    def differs_from(self, other: "Voice") -> tuple[StatedQuantity, StatedQuantity] | None:
        """Return the first figures of one attribute that cannot both be true, own first."""
        return next(
            (
                (one, another)
                for one in self.figures
                for another in other.figures
                if one.measures_the_same(another) and not one.quantity.agrees_with(another.quantity)
            ),
            None,
        )

    def speaks_of_the_same_as(self, other: "Voice") -> bool:
        """Whether each has at least half of the words of the other."""
        mine, theirs = self.statement.stems, other.statement.stems
        return len(mine & theirs) >= 0.5 * max(len(mine), len(theirs), 1)


def voices(claims: Sequence[Claim], sources: Sequence[SourceRef]) -> tuple[Voice, ...]:
    """Gather what is said, weightiest first; a sentence that several sources share is said once.

    Args:
        claims: every claim of a run.
        sources: their sources, all of them.
    """
    by_id = {source.id: source for source in sources}
    said = [alone(claim) for claim in sorted(claims, key=lambda claim: claim.id)]
    said.sort(key=lambda statement: -statement.weight)
    own = {claim.id for claim in own_words([statement.claim for statement in said])}
    return tuple(
        Voice(statement, tuple(measured(statement.claim)), by_id[statement.claim.source_id])
        for statement in said
        if statement.claim.id in own
    )


def _within(one: StatedQuantity, other: StatedQuantity) -> bool:
    return other.quantity.low <= one.quantity.number <= other.quantity.high
