"""Statements: what claims say, which of them say the same, and how much each is worth."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from caveat.adapters.extractive.relevance import COMPARISON, similarity
from caveat.adapters.text.words import content_stems
from caveat.contracts.claim import Claim
from caveat.quantities.reading import quantities
from caveat.rules.text import differ, verbatim, wording

_VOICES = 3
"""Other sources that a statement names: more markers hinder reading."""

ALIKE = 0.6
"""Share of content words in common from which a second claim says little that is new."""


@dataclass(frozen=True)
class Statement:
    """A claim and how it compares with others.

    Attributes:
        claim: its best wording.
        stems: of its content words.
        wording: everything in which it can differ from another.
        numbers: unit and central number of its quantities.
        corroboration: claims of other sources that say the same, a few.
        weight: how much it counts for against other statements.
    """

    claim: Claim
    stems: frozenset[str]
    wording: tuple[str, ...]
    numbers: frozenset[tuple[str, float]]
    corroboration: tuple[Claim, ...]
    weight: float

    def is_same_as(self, other: "Statement") -> bool:
        """Whether both say the same: nothing that matters differs."""
        return self.wording == other.wording

    def likeness(self, other: "Statement") -> float:
        """How little is new in one statement beside another, 0 to 1.

        What differs in a number, a negation or an opposite is news, and of the same thing.
        """
        alike = similarity(self.stems, other.stems)
        return alike / 2 if differ(self.claim.quote, other.claim.quote) else alike

    @property
    def measures(self) -> frozenset[tuple[str, float]]:
        """Its numbers that others would hardly state by chance: no small whole ones, no dates.

        None for a comparison, whose numbers belong to others.
        """
        if COMPARISON.search(self.claim.quote):
            return frozenset()
        return frozenset(
            (unit, number)
            for unit, number in self.numbers
            if unit != "date" and (number > 100 or number % 1)
        )

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claim and those that corroborate it."""
        return (self.claim, *self.corroboration)


def merge(claims: Sequence[Claim]) -> list[Statement]:
    """Merge the claims that say the same; the weightiest words them."""
    ordered = own_words(sorted(claims, key=lambda claim: (-_worth(claim), claim.id)))
    singles = [alone(claim) for claim in ordered]
    statements: list[Statement] = []
    merged: set[str] = set()
    for single in singles:
        if single.claim.id in merged:
            continue
        alike = [
            other for other in singles if other.claim.id not in merged and single.is_same_as(other)
        ]
        merged.update(other.claim.id for other in alike)
        statements.append(_corroborated(single, alike, singles))
    return statements


def own_words(claims: Sequence[Claim]) -> list[Claim]:
    """Leave out what repeats an earlier claim word for word: one copied the other, or both a third.

    A page that holds a whole book beside the book's chapters must not corroborate itself.
    """
    said: dict[str, Claim] = {}
    for claim in claims:
        said.setdefault(verbatim(claim.quote), claim)
    return list(said.values())


def alone(claim: Claim) -> Statement:
    """Take a claim by itself, before others corroborate it."""
    numbers = frozenset((found.unit, found.number) for found in quantities(claim.quote))
    stems = content_stems(claim.quote)
    return Statement(claim, stems, wording(claim.quote), numbers, (), _worth(claim))


def _worth(claim: Claim) -> float:
    """Relevance times credibility; even a doubtful source counts half, since it was admitted."""
    return claim.relevance * (0.5 + 0.5 * claim.credibility)


def _corroborated(
    single: Statement, alike: Sequence[Statement], singles: Sequence[Statement]
) -> Statement:
    own = single.claim.source_id
    voices = {other.claim.source_id for other in singles if _speaks_of(single, other)} - {own}
    agreeing = {other.claim.source_id for other in singles if single.measures & other.numbers}
    by_source: dict[str, Claim] = {}
    for other in alike:
        if other.claim.source_id != own:
            by_source.setdefault(other.claim.source_id, other.claim)
    corroboration = tuple(by_source.values())[:_VOICES]
    # A tenth for each other source that speaks of the same, as much again for each that states the
    # same figure; more than three are no more proof.
    support = min(_VOICES, len(voices)) + min(_VOICES, len(agreeing - {own}))
    weight = single.weight * (1 + 0.1 * support)
    return replace(single, corroboration=corroboration, weight=weight)


def _speaks_of(single: Statement, other: Statement) -> bool:
    return len(other.stems & single.stems) >= 0.5 * len(single.stems)
