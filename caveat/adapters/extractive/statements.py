"""Statements: what claims say, which of them say the same, and how much each is worth."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from caveat.adapters.extractive.forms import COMPARISON
from caveat.contracts.claim import Claim
from caveat.quantities.reading import quantities
from caveat.rules.text import differ, verbatim, wording
from caveat.rules.text.words import content_stems

_VOICES = 3  # other sources that a statement names: more markers hinder reading
ALIKE = 0.6  # share of content words in common from which a second claim says little that is new


@dataclass(frozen=True)
class ComparedClaim:
    """A claim and how it compares with others."""

    claim: Claim
    stems: frozenset[str]
    wording: tuple[str, ...]  # everything in which it can differ from another
    numbers: frozenset[tuple[str, float]]
    corroboration: tuple[Claim, ...]  # claims of other sources that say the same, a few
    weight: float  # how much it counts for against other statements

    def is_same_as(self, other: "ComparedClaim") -> bool:
        """Whether both say the same: nothing that matters differs."""
        return self.wording == other.wording

    def likeness(self, other: "ComparedClaim") -> float:
        """How little is new in one statement beside another, 0 to 1."""
        # What differs in a number, a negation or an opposite is news, and of the same thing.
        alike = similarity(self.stems, other.stems)
        return alike / 2 if differ(self.claim.quote, other.claim.quote) else alike

    @property
    def measures(self) -> frozenset[tuple[str, float]]:
        """Its numbers that others would hardly state by chance: no small whole ones, no dates."""
        # None for a comparison, whose numbers belong to others.
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


def similarity(first: frozenset[str], second: frozenset[str]) -> float:
    """Share of words that two sentences have in common (Jaccard), 0 to 1."""
    together = first | second
    return len(first & second) / len(together) if together else 1.0


def merge(claims: Sequence[Claim]) -> list[ComparedClaim]:
    """Merge the claims that say the same; the weightiest words them."""
    ordered = own_words(sorted(claims, key=lambda claim: (-_worth(claim), claim.id)))
    crowd = _Crowd([alone(claim) for claim in ordered])
    return [crowd.corroborated(alike) for alike in crowd.by_wording.values()]


def own_words(claims: Sequence[Claim]) -> list[Claim]:
    """Leave out what repeats an earlier claim word for word: one copied the other, or both a third.

    A page that holds a whole book beside the book's chapters must not corroborate itself.
    """
    said: dict[str, Claim] = {}
    for claim in claims:
        said.setdefault(verbatim(claim.quote), claim)
    return list(said.values())


def alone(claim: Claim) -> ComparedClaim:
    """Take a claim by itself, before others corroborate it."""
    numbers = frozenset((found.unit, found.number) for found in quantities(claim.quote))
    stems = content_stems(claim.quote)
    return ComparedClaim(claim, stems, wording(claim.quote), numbers, (), _worth(claim))


def _worth(claim: Claim) -> float:
    """Relevance times credibility; even a doubtful source counts half, since it was admitted."""
    return claim.relevance * (0.5 + 0.5 * claim.credibility)


class _Crowd:
    """Statements by what makes one speak for another: no time for each against each of thousands.

    Attributes:
        by_wording: those that say the same, the weightiest first.
    """

    def __init__(self, statements: Sequence[ComparedClaim]) -> None:
        self.by_wording: dict[tuple[str, ...], list[ComparedClaim]] = defaultdict(list)
        self._by_stem: dict[str, list[ComparedClaim]] = defaultdict(list)
        self._by_number: dict[tuple[str, float], set[str]] = defaultdict(set)
        self._all = statements
        for each in statements:
            self.by_wording[each.wording].append(each)
            for stem in each.stems:
                self._by_stem[stem].append(each)
            for number in each.numbers:
                self._by_number[number].add(each.claim.source_id)

    def corroborated(self, alike: Sequence[ComparedClaim]) -> ComparedClaim:
        """Say who else says what the first of some statements says, and weigh it by that."""
        single, *others = alike
        own = single.claim.source_id
        by_source: dict[str, Claim] = {}
        for other in others:
            if other.claim.source_id != own:
                by_source.setdefault(other.claim.source_id, other.claim)
        corroboration = tuple(by_source.values())[:_VOICES]
        # A tenth for each other source that speaks of the same, as much again for each that states
        # the same figure; more than three are no more proof.
        support = self._speaking(single) + self._agreeing(single)
        weight = single.weight * (1 + 0.1 * support)
        return replace(single, corroboration=corroboration, weight=weight)

    def _speaking(self, single: ComparedClaim) -> int:
        """Count the other sources that speak of the same, up to `_VOICES`."""
        found: set[str] = set()
        for other in self._candidates(single):
            source = other.claim.source_id
            if source == single.claim.source_id or source in found:
                continue
            if _speaks_of(single, other):
                found.add(source)
            if len(found) == _VOICES:
                break
        return len(found)

    def _candidates(self, single: ComparedClaim) -> Iterator[ComparedClaim]:
        """Yield whatever may have half of its words: all of that have one of its rarer half."""
        if not single.stems:
            yield from self._all
        rarest = sorted(single.stems, key=lambda stem: (len(self._by_stem[stem]), stem))
        for stem in rarest[: len(rarest) // 2 + 1]:
            yield from self._by_stem[stem]

    def _agreeing(self, single: ComparedClaim) -> int:
        """Count the other sources that state one of its figures, up to `_VOICES`."""
        sources = {
            source for number in single.measures for source in self._by_number.get(number, ())
        }
        return min(_VOICES, len(sources - {single.claim.source_id}))


def _speaks_of(single: ComparedClaim, other: ComparedClaim) -> bool:
    return len(other.stems & single.stems) >= 0.5 * len(single.stems)
