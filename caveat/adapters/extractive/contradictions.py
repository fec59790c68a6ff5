"""Contradictions: different values of one attribute of one entity in different sources.

It cannot notice negation ("does not expire"), opinion, or the same thing said in other words; it
compares what sentences state in fixed forms (see `attributes`), and says nothing where it is not
sure what a number measures.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from caveat.adapters.extractive.attributes import Stated, stated
from caveat.adapters.extractive.entities import Key, contexts, names
from caveat.adapters.extractive.measures import Measure, measure
from caveat.adapters.extractive.times import Times, times
from caveat.adapters.extractive.units import Kind
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import ContradictionKind, Disagreement
from caveat.contracts.tasks import DetectionTask

MOST_VALUES = 6
"""Values of one attribute above which it is no single fact: the words hide what sets them apart."""

_ABOUT_LIMIT = 500
"""Characters that the sentence about what differs may have by its contract."""


def contradictions(task: DetectionTask) -> tuple[Disagreement, ...]:
    """Find the claims that disagree, what matters most first.

    Args:
        task: the claims, and the topic that tells which things are one of a kind.

    Returns:
        One disagreement for each pair of values. The values of one attribute are gathered around
        the most precise of those that exclude each other; what agrees with both sides of a pair
        backs neither.
    """
    found: dict[tuple[str, str], _Found] = {}
    for group in _groups(task).values():
        for disagreement in _disagreements(group):
            found.setdefault(disagreement.pair, disagreement)
    ordered = sorted(found.values(), key=lambda each: (-each.weight, each.pair))
    return tuple(each.reported() for each in ordered)


@dataclass(frozen=True)
class _Said:
    """A claim and one value that it states."""

    claim: Claim
    stated: Stated
    measure: Measure
    times: Times

    @property
    def rank(self) -> tuple[float, float, str]:
        """The best first: credible, then relevant, then in order of names."""
        return (-self.claim.credibility, -self.claim.relevance, self.claim.id)

    @property
    def written(self) -> str:
        """The value as the source writes it."""
        quantity = self.stated.quantity
        return self.claim.quote[quantity.start : quantity.end]

    def agrees_with(self, other: "_Said") -> bool:
        """Whether the values can both be true."""
        return self.measure.agrees_with(other.measure)

    def contradicts(self, other: "_Said") -> bool:
        """Whether two sources state values that cannot both be true of one time."""
        return (
            self.claim.source_id != other.claim.source_id
            and self.times.may_be_same(other.times)
            and not self.agrees_with(other)
        )


def _groups(task: DetectionTask) -> dict[tuple[Key, Key, str], list[_Said]]:
    """Gather what is said of one attribute of one entity in comparable units."""
    sources = {source.id: source for source in task.sources}
    known = names(task.claims, task.topic)
    groups: dict[tuple[Key, Key, str], list[_Said]] = defaultdict(list)
    for claim in sorted(task.claims, key=lambda claim: claim.id):
        around = contexts(claim, sources.get(claim.source_id))
        for each in stated(claim.quote, known):
            said = _said(claim, each, times(claim, each, sources.get(claim.source_id)))
            for entity in _entities(each, around):
                groups[entity, each.attribute, said.measure.dimension].append(said)
    return groups


def _said(claim: Claim, each: Stated, when: Times) -> _Said:
    written = claim.quote[each.quantity.start : each.quantity.end]
    return _Said(claim, each, measure(each.quantity, written), when)


def _entities(each: Stated, around: Sequence[Key]) -> Iterator[Key]:
    if not each.reference.anchored:
        yield each.reference.key
        return
    for context in around:
        yield tuple(sorted({*context, *each.reference.key}))


@dataclass(frozen=True)
class _Found:
    """Two sides, the one that states its value best first on each."""

    a: Sequence[_Said] = field(default_factory=tuple)
    b: Sequence[_Said] = field(default_factory=tuple)

    @property
    def pair(self) -> tuple[str, str]:
        return (self.a[0].claim.id, self.b[0].claim.id)

    @property
    def weight(self) -> float:
        """What matters most: relevant to the topic, and in sources that can be trusted."""
        return sum(each.claim.relevance * each.claim.credibility for each in (self.a[0], self.b[0]))

    def reported(self) -> Disagreement:
        one, other = self.a[0], self.b[0]
        is_date = one.stated.quantity.kind is Kind.DATE
        return Disagreement(
            kind=ContradictionKind.DATE if is_date else ContradictionKind.NUMERIC,
            claims=self.pair,
            backing=(_ids(self.a, self.pair), _ids(self.b, self.pair)),
            about=_about(one, other),
        )


def _ids(side: Sequence[_Said], pair: tuple[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.claim.id for each in side if each.claim.id not in pair))


def _about(one: _Said, other: _Said) -> str:
    label = one.stated.label.strip()
    owner = " ".join(one.stated.reference.key) if not one.stated.reference.anchored else ""
    subject = f"{label} ({owner})" if owner else label
    text = f"{subject[:1].upper()}{subject[1:]}: {one.written} in one, {other.written} in the other"
    return text if len(text) <= _ABOUT_LIMIT else f"{text[: _ABOUT_LIMIT - 1]}…"


def _disagreements(group: Sequence[_Said]) -> Iterator[_Found]:
    if len({said.claim.source_id for said in group}) < 2:
        return
    ranked = sorted(group, key=lambda said: said.rank)
    centres = _centres(ranked)
    if len(centres) > MOST_VALUES:
        return
    for one, other in combinations(centres, 2):
        found = _between(ranked, one, other)
        if found is not None:
            yield found


def _centres(ranked: Sequence[_Said]) -> list[_Said]:
    """The most precise values that all exclude each other.

    A wide one would hide a disagreement between two precise ones that it agrees with.
    """
    centres: list[_Said] = []
    for said in sorted(ranked, key=lambda said: (said.measure.width, said.rank)):
        if not any(said.agrees_with(centre) for centre in centres):
            centres.append(said)
        if len(centres) > MOST_VALUES:
            break
    return centres


def _between(ranked: Sequence[_Said], one: _Said, other: _Said) -> _Found | None:
    sides = (
        [each for each in ranked if each.agrees_with(one) and not each.agrees_with(other)],
        [each for each in ranked if each.agrees_with(other) and not each.agrees_with(one)],
    )
    best = next(((a, b) for a in sides[0] for b in sides[1] if a.contradicts(b)), None)
    if best is None:
        return None
    a, b = best
    found = _Found(_side(sides[0], a, b), _side(sides[1], b, a))
    return found if a.rank <= b.rank else _Found(found.b, found.a)


def _side(side: Sequence[_Said], best: _Said, against: _Said) -> list[_Said]:
    backing = [
        each
        for each in side
        if each.claim.id != best.claim.id
        and each.agrees_with(best)
        and not each.agrees_with(against)
        and each.times.may_be_same(against.times)
    ]
    return [best, *backing]
