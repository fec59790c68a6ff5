"""Synthesis without inference: the best quotes, ordered, corroborated, never reworded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from caveat.adapters.extractive.figures import figures
from caveat.adapters.extractive.quantities import quantities
from caveat.adapters.extractive.relevance import COMPARISON, similarity
from caveat.adapters.extractive.words import content_stems
from caveat.contracts.claim import Claim
from caveat.contracts.synthesis import AngleEvidence, SectionDraft, Synthesis, SynthesisInput
from caveat.rules.prose import literal

STATEMENTS = 7
"""In a section: what a reader takes in at once; the rest stays in the report's JSON."""

SUMMARY = 6
"""Statements in the executive summary, the best of each section first."""

PER_SOURCE = 2
"""Statements of one source in a section while others have something to say."""

_VOICES = 3
"""Other sources that a statement names: more markers hinder reading."""

_SAME = 0.6
"""Share of content words in common that makes two claims the same statement."""

_BALANCE = 0.7
"""Share of weight against newness in maximal marginal relevance, as usual in the literature."""


@dataclass(frozen=True)
class _Statement:
    """A claim, the claims of other sources that say the same, and its weight."""

    claim: Claim
    stems: frozenset[str]
    numbers: frozenset[tuple[str, float]]
    corroboration: tuple[Claim, ...]
    weight: float

    def likeness(self, other: "_Statement") -> float:
        """How much two statements repeat each other, 0 to 1; other numbers are other news."""
        alike = similarity(self.stems, other.stems)
        return alike if self.numbers == other.numbers else alike / 2

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
        return (self.claim, *self.corroboration)


def synthesise(evidence: SynthesisInput) -> Synthesis:
    """Write sections and summary of quotes alone.

    Args:
        evidence: claims by angle; page text plays no part.

    Returns:
        A section for each angle in plan order, empty where the angle has no claims.
    """
    titles = {source.id: source.title for source in evidence.sources}
    chosen: list[list[_Statement]] = []
    for angle in evidence.angles:
        said = [statement for section in chosen for statement in section]
        chosen.append(_choose(_fresh(_statements(angle.claims), said)))
    sections = tuple(
        _section(angle, statements, titles)
        for angle, statements in zip(evidence.angles, chosen, strict=True)
    )
    return Synthesis(summary=_bullets(_most_important(chosen)), sections=sections)


def _statements(claims: Sequence[Claim]) -> list[_Statement]:
    """Merge the claims that say the same; the weightiest words them."""
    ordered = _own_words(sorted(claims, key=lambda claim: (-_worth(claim), claim.id)))
    singles = [_single(claim) for claim in ordered]
    statements: list[_Statement] = []
    merged: set[str] = set()
    for single in singles:
        if single.claim.id in merged:
            continue
        alike = [
            other
            for other in singles
            if other.claim.id not in merged and single.likeness(other) >= _SAME
        ]
        merged.update(other.claim.id for other in alike)
        statements.append(_corroborated(single, alike, singles))
    return statements


def _own_words(claims: Sequence[Claim]) -> list[Claim]:
    """Leave out what repeats an earlier claim word for word: one copied the other, or both a third.

    A page that holds a whole book beside the book's chapters must not corroborate itself.
    """
    said: dict[str, Claim] = {}
    for claim in claims:
        said.setdefault(" ".join(claim.quote.casefold().split()), claim)
    return list(said.values())


def _single(claim: Claim) -> _Statement:
    numbers = frozenset((found.unit, found.number) for found in quantities(claim.quote))
    return _Statement(claim, content_stems(claim.quote), numbers, (), _worth(claim))


def _worth(claim: Claim) -> float:
    """Relevance times credibility; even a doubtful source counts half, since it was admitted."""
    return claim.relevance * (0.5 + 0.5 * claim.credibility)


def _corroborated(
    single: _Statement, alike: Sequence[_Statement], singles: Sequence[_Statement]
) -> _Statement:
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


def _speaks_of(single: _Statement, other: _Statement) -> bool:
    return len(other.stems & single.stems) >= 0.5 * len(single.stems)


def _fresh(statements: list[_Statement], said: Sequence[_Statement]) -> list[_Statement]:
    """Leave out what earlier sections say; an angle that has nothing else repeats it."""
    fresh = [
        statement
        for statement in statements
        if all(statement.likeness(other) < _SAME for other in said)
        and not _overlaps(statement, said)
    ]
    return fresh or statements


def _overlaps(statement: _Statement, said: Sequence[_Statement]) -> bool:
    place = statement.claim
    return any(
        claim.source_id == place.source_id and claim.start < place.end and place.start < claim.end
        for other in said
        for claim in other.claims
    )


def _choose(statements: Sequence[_Statement]) -> list[_Statement]:
    """Choose by maximal marginal relevance, at most two of a source while there are others."""
    rest = list(statements)
    chosen: list[_Statement] = []
    while rest and len(chosen) < STATEMENTS:
        allowed = [one for one in rest if _spoken(chosen, one) < PER_SOURCE] or rest
        best = max(allowed, key=lambda one: (_gain(one, chosen), one.claim.id))
        chosen.append(best)
        rest.remove(best)
    return chosen


def _spoken(chosen: Sequence[_Statement], statement: _Statement) -> int:
    return sum(one.claim.source_id == statement.claim.source_id for one in chosen)


def _gain(statement: _Statement, chosen: Sequence[_Statement]) -> float:
    alike = max((statement.likeness(one) for one in chosen), default=0.0)
    return _BALANCE * statement.weight - (1 - _BALANCE) * alike


def _most_important(sections: Sequence[Sequence[_Statement]]) -> list[_Statement]:
    """The first statement of each section, then the weightiest of the others."""
    firsts = [section[0] for section in sections if section]
    others = sorted(
        (statement for section in sections for statement in section[1:]),
        key=lambda statement: -statement.weight,
    )
    chosen: list[_Statement] = []
    for statement in (*firsts, *others):
        if len(chosen) < SUMMARY and _is_new(statement, chosen):
            chosen.append(statement)
    return chosen


def _is_new(statement: _Statement, chosen: Sequence[_Statement]) -> bool:
    return all(statement.likeness(one) < _SAME for one in chosen)


def _section(
    angle: AngleEvidence, statements: Sequence[_Statement], titles: Mapping[str, str]
) -> SectionDraft:
    used = [claim for statement in statements for claim in statement.claims]
    return SectionDraft(
        assignment_id=angle.assignment.id,
        title=angle.assignment.title,
        summary=_bullets(statements),
        claim_ids=tuple(claim.id for claim in used),
        figures=figures(used, titles),
    )


def _bullets(statements: Sequence[_Statement]) -> str:
    return "\n".join(
        f"- “{literal(statement.claim.quote)}” "
        + "".join(f"[{claim.id}]" for claim in statement.claims)
        for statement in statements
    )
