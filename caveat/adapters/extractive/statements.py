"""Statements: what claims say, and which of them say the same."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.rules.text import normalise_typography, normalise_wording

_VOICES = 3  # other sources that a statement names: more markers hinder reading

_TRUST = 0.05
"""What full credibility adds to how well a statement answers: it decides between equal ones."""


class Statement(NamedTuple):
    """A claim, and those of a few other sources that say the same."""

    claim: Claim
    corroboration: tuple[Claim, ...]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claim and those that corroborate it."""
        return (self.claim, *self.corroboration)

    def is_shown_beside(self, other: "Statement") -> bool:
        """Whether most of its quote stands in the words that are shown around another one."""
        one, shown = self.claim, other.claim
        if one.source_id != shown.source_id:
            return False
        low, high = shown.start - len(shown.before), shown.end + len(shown.after)
        return min(one.end, high) - max(one.start, low) > (one.end - one.start) / 2


def score_claim(claim: Claim) -> float:
    """How well a claim answers; of equal ones the more credible comes first."""
    return claim.relevance * (1 + _TRUST * claim.credibility)


def merge(claims: Sequence[Claim]) -> list[Statement]:
    """Merge the claims that say the same, the best first.

    A source that repeats another one word for word is no second voice, but comes behind all others
    by itself: a book beside its chapters does not corroborate them, and how many documents say so
    is seen.
    """
    by_wording: dict[tuple[str, ...], list[Claim]] = defaultdict(list)
    first: dict[str, Claim] = {}
    repeats: dict[tuple[str, str], Statement] = {}
    for claim in sorted(claims, key=lambda claim: (-score_claim(claim), claim.id)):
        written = normalise_typography(claim.quote)
        earlier = first.setdefault(written, claim)
        if earlier is claim:
            by_wording[normalise_wording(claim.quote)].append(claim)
        elif earlier.source_id != claim.source_id:
            repeats.setdefault((written, claim.source_id), Statement(claim, ()))
    return [*map(_build_statement, by_wording.values()), *repeats.values()]


def _build_statement(alike: Sequence[Claim]) -> Statement:
    by_source: dict[str, Claim] = {}
    for claim in alike:
        by_source.setdefault(claim.source_id, claim)
    return Statement(alike[0], tuple(by_source.values())[1 : 1 + _VOICES])
