"""Contradictions: different values of one attribute of one entity in different sources.

What sentences state in fixed forms is compared (see `forms`, `events` and `categories`), and so
are sentences that differ in nothing but a negation, an opposite or a number (see `contrasts`). It
cannot notice opinion, or the same thing said in other words, and it says nothing where it is not
sure what a value is a value of.
"""

from collections.abc import Iterable

from caveat.adapters.extractive.contrasts import Contrast
from caveat.adapters.extractive.measures import Measure
from caveat.adapters.extractive.said import Said, gathered
from caveat.adapters.extractive.sides import Sides, sides
from caveat.contracts.contradiction import ContradictionKind, Disagreement
from caveat.contracts.tasks import DetectionTask

_ABOUT_LIMIT = 500
"""Characters that the sentence about what differs may have by its contract."""


def contradictions(task: DetectionTask) -> tuple[Disagreement, ...]:
    """Find the claims that disagree, what matters most first.

    The same claims in another order give the same disagreements. A source never contradicts itself
    here.

    Args:
        task: the claims, and the topic that tells which things are one of a kind.

    Returns:
        One disagreement for each pair of values of an attribute, the better claim first; claims
        that say the same, copies included, are the backing of their side.
    """
    found: dict[frozenset[str], Sides] = {}
    for group in gathered(task).values():
        for each in sides(group):
            found.setdefault(frozenset({each.a[0].claim.id, each.b[0].claim.id}), each)
    ordered = sorted(found.values(), key=lambda each: (-_weight(each), _ids(each.a), _ids(each.b)))
    return tuple(_disagreement(each) for each in ordered)


def _weight(found: Sides) -> float:
    """What matters most: relevant to the topic, and in sources that can be trusted."""
    return sum(side[0].claim.relevance * side[0].claim.credibility for side in found)


def _ids(side: Iterable[Said]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(said.claim.id for said in side))


def _disagreement(found: Sides) -> Disagreement:
    (a, *backing_a), (b, *backing_b) = _ids(found.a), _ids(found.b)
    return Disagreement(
        kind=_kind(found.a[0]),
        claims=(a, b),
        backing=(tuple(backing_a), tuple(backing_b)),
        about=_about(found.a[0], found.b[0]),
    )


def _kind(said: Said) -> ContradictionKind:
    if isinstance(said.value, Contrast) and said.value.is_number:
        return ContradictionKind.NUMERIC
    if not isinstance(said.value, Measure):
        return ContradictionKind.CATEGORICAL
    return ContradictionKind.DATE if said.value.is_date else ContradictionKind.NUMERIC


def _about(one: Said, other: Said) -> str:
    # Of two ways to name the thing, "it" and "iron", the one that names it says more.
    subject = max((_subject(one), _subject(other)), key=len)
    text = f"{subject}: {one.written} in one, {other.written} in the other"
    return text if len(text) <= _ABOUT_LIMIT else f"{text[: _ABOUT_LIMIT - 1]}…"


def _subject(said: Said) -> str:
    label, entity = said.attribute.label.strip(), said.attribute.of.said
    if _kind(said) is ContradictionKind.DATE:
        text = f"when {entity or 'it'} {label}"
    else:
        text = f"{label} of {entity}" if entity else label
    return text[:1].upper() + text[1:]
