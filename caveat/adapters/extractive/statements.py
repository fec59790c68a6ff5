"""Statements: what claims say, which of them say the same, and how much each is worth."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from caveat.contracts.claim import Claim
from caveat.rules.text import differ, normalise_typography, normalise_wording
from caveat.rules.text.words import list_content_stems

_VOICES = 3  # other sources that a statement names: more markers hinder reading
ALIKE = 0.6  # share of content words in common from which a second claim says little that is new


@dataclass(frozen=True)
class ComparedClaim:
    """A claim and how it compares with others."""

    claim: Claim
    stems: frozenset[str]
    wording: tuple[str, ...]  # everything in which it can differ from another
    corroboration: tuple[Claim, ...]  # claims of other sources that say the same, a few

    @property
    def weight(self) -> float:
        """How much it counts for against other statements: a tenth more for each other source."""
        return _weigh_claim(self.claim) * (1 + 0.1 * len(self.corroboration))

    def is_same_as(self, other: "ComparedClaim") -> bool:
        """Whether both say the same: nothing that matters differs."""
        return self.wording == other.wording

    def measure_likeness(self, other: "ComparedClaim") -> float:
        """How little is new in one statement beside another, 0 to 1."""
        # What differs in a number, a negation or an opposite is news, and of the same thing.
        alike = measure_similarity(self.stems, other.stems)
        return alike / 2 if differ(self.claim.quote, other.claim.quote) else alike

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claim and those that corroborate it."""
        return (self.claim, *self.corroboration)


def measure_similarity(first: frozenset[str], second: frozenset[str]) -> float:
    """Share of words that two sentences have in common (Jaccard), 0 to 1."""
    together = first | second
    return len(first & second) / len(together) if together else 1.0


def merge(claims: Sequence[Claim]) -> list[ComparedClaim]:
    """Merge the claims that say the same; the weightiest words them."""
    ordered = remove_copies(sorted(claims, key=lambda claim: (-_weigh_claim(claim), claim.id)))
    by_wording: dict[tuple[str, ...], list[Claim]] = defaultdict(list)
    for claim in ordered:
        by_wording[normalise_wording(claim.quote)].append(claim)
    return [
        ComparedClaim(
            alike[0], list_content_stems(alike[0].quote), said, _select_other_sources(alike)
        )
        for said, alike in by_wording.items()
    ]


def _select_other_sources(alike: Sequence[Claim]) -> tuple[Claim, ...]:
    """A claim of each other source that says what the first says, up to `_VOICES`."""
    by_source: dict[str, Claim] = {}
    for claim in alike:
        by_source.setdefault(claim.source_id, claim)
    return tuple(by_source.values())[1 : 1 + _VOICES]


def remove_copies(claims: Sequence[Claim]) -> list[Claim]:
    """Leave out what repeats an earlier claim word for word: one copied the other, or both a third.

    A page that holds a whole book beside the book's chapters must not corroborate itself.
    """
    said: dict[str, Claim] = {}
    for claim in claims:
        said.setdefault(normalise_typography(claim.quote), claim)
    return list(said.values())


def _weigh_claim(claim: Claim) -> float:
    """Relevance times credibility; even a doubtful source counts half, since it was admitted."""
    return claim.relevance * (0.5 + 0.5 * claim.credibility)
