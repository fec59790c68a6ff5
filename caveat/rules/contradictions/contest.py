"""Contest: what contradictions make of claims, and the markers that prose carries for it.

Code alone says which claims may be used and writes contradiction markers: what is contested follows
from the contradictions, so no synthesiser has a say in it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.contradiction import Contradiction, ContradictionState, Side
from caveat.rules.contradictions._resting import resting
from caveat.rules.contradictions.choices import holding
from caveat.rules.text import prose

_SEVERITY = (ClaimState.ACCEPTED, ClaimState.CONTESTED, ClaimState.UNCERTAIN, ClaimState.OVERRULED)
"""A claim in several contradictions takes the worst: what is overruled once is not used."""


def contested(
    claims: Iterable[Claim], contradictions: Sequence[Contradiction]
) -> tuple[Claim, ...]:
    """Say of every claim whether it may be used and which claims contest it.

    The claims that back a value share its fate, and so does what rests on it; what a model alone
    says to be the same does while it is disputed. Only the contradictions decide, never what a
    claim was before, so that a late ruling can give back what was uncertain.

    Args:
        claims: all of the run or the report, named; one that stands in several angles may come
            several times.
        contradictions: all of it, as they stand.
    """
    given = tuple(claims)
    by_id = {claim.id: claim for claim in given}
    states: dict[str, ClaimState] = {}
    against: dict[str, dict[str, None]] = defaultdict(dict)  # a set that keeps its order
    for contradiction in contradictions:
        for name, fate, rivals in (
            *_stated(contradiction),
            *_repeating(contradiction, _between(contradiction)),
            *_repeating(contradiction, resting(contradiction, by_id)),
            *_echoing(contradiction),
        ):
            states[name] = max(states.get(name, ClaimState.ACCEPTED), fate, key=_SEVERITY.index)
            against[name].update(dict.fromkeys(rivals))
    return tuple(
        _standing(
            claim, states.get(claim.id, ClaimState.ACCEPTED), tuple(against.get(claim.id, ()))
        )
        for claim in given
    )


def _standing(claim: Claim, state: ClaimState, rivals: tuple[str, ...]) -> Claim:
    if (claim.state, claim.contested_by) == (state, rivals):  # most often: no copy is made
        return claim
    return claim.model_copy(update={"state": state, "contested_by": rivals})


RIVALS = 100
"""Claims that a claim is said to be contested by in one contradiction: where 2,500 sources gave 86
values of one quantity, all of them made a report of 107 MB. The contradiction names every one."""

_Fate = tuple[str, ClaimState, list[str]]
"""A claim, what a contradiction makes of it, and the claims that contest it there."""


def _stated(contradiction: Contradiction) -> Iterator[_Fate]:
    for place, (side, state) in enumerate(_fates(contradiction)):
        rivals = _rivals(contradiction.sides, {place})
        for name in side.claims:
            yield name, state, rivals


def _between(contradiction: Contradiction) -> dict[str, tuple[int, ...]]:
    """Name for each claim that stands between values the places of those that it agrees with."""
    places: dict[str, tuple[int, ...]] = defaultdict(tuple)
    for place, side in enumerate(contradiction.sides):
        for name in side.between:
            places[name] += (place,)
    return places


def _repeating(
    contradiction: Contradiction, repeated: Mapping[str, Sequence[int]]
) -> Iterator[_Fate]:
    """What becomes of the claims that repeat a value; one that repeats several has the best."""
    sides, states = contradiction.sides, _states(contradiction)
    for name, places in repeated.items():
        fate = min((states[place] for place in places), key=_SEVERITY.index)
        own = set(places) if len(places) < len(sides) else set[int]()
        yield name, fate, _rivals(sides, own)


def _echoing(contradiction: Contradiction) -> Iterator[_Fate]:
    """What becomes of the claims that code does not read a value in: it overrules none of them."""
    for place, (side, state) in enumerate(_fates(contradiction)):
        if state in (ClaimState.CONTESTED, ClaimState.UNCERTAIN):
            rivals = _rivals(contradiction.sides, {place})
            yield from ((name, state, rivals) for name in side.unconfirmed)


def _rivals(sides: Sequence[Side], own: Set[int]) -> list[str]:
    """Name the claims of the other values, the one that states each best first."""
    others = [side for place, side in enumerate(sides) if place not in own]
    backing = (name for side in others for name in side.backing)
    return [*(side.claim for side in others), *backing][:RIVALS]


def usable(claim: Claim) -> bool:
    """Whether a report may rest on a claim: it is neither overruled nor uncertain."""
    return claim.state in (ClaimState.ACCEPTED, ClaimState.CONTESTED)


def _fates(contradiction: Contradiction) -> Iterator[tuple[Side, ClaimState]]:
    return zip(contradiction.sides, _states(contradiction), strict=True)


def _states(contradiction: Contradiction) -> tuple[ClaimState, ...]:
    """Say what a contradiction makes of each of its values.

    Several that hold stay contested: each does in its own scope, and a reader must be told so where
    one of them is cited.
    """
    values = len(contradiction.sides)
    if contradiction.state is ContradictionState.PROVISIONAL:
        return (ClaimState.UNCERTAIN,) * values
    if contradiction.ruling is None:
        return (ClaimState.CONTESTED,) * values
    upheld = holding(contradiction.ruling, values)
    holds = ClaimState.CONTESTED if sum(upheld) > 1 else ClaimState.ACCEPTED
    return tuple(holds if each else ClaimState.OVERRULED for each in upheld)


def contests(
    claims: Iterable[Claim], contradictions: Sequence[Contradiction]
) -> dict[str, tuple[str, ...]]:
    """Name the contradictions that a contested claim is marked with.

    Args:
        claims: with their states as they follow from the contradictions.
        contradictions: all of the run, as they stand.

    Returns:
        For each contested claim the ids of those that are open, or by whose ruling several values
        hold, and that have it among the claims of such a value, of those that are said to state the
        same, of those that stand between values, or of what rests on one; claims that are not
        contested are left out.
    """
    by_id = {claim.id: claim for claim in claims}
    contesting: dict[str, list[str]] = {
        name: [] for name, claim in by_id.items() if claim.state is ClaimState.CONTESTED
    }
    for contradiction in contradictions:
        for name in dict.fromkeys(_contested(contradiction, by_id)):
            if name in contesting:
                contesting[name].append(contradiction.id)
    return {name: tuple(found) for name, found in contesting.items()}


def _contested(contradiction: Contradiction, claims: Mapping[str, Claim]) -> Iterator[str]:
    """The claims of the values that stand beside each other, and those that rest on them."""
    beside = standing_beside(contradiction)
    if not beside:
        return
    for place in beside:
        yield from contradiction.sides[place].claims
        yield from contradiction.sides[place].unconfirmed
    for repeated in (_between(contradiction), resting(contradiction, claims)):
        for name, places in repeated.items():
            if any(place in beside for place in places):
                yield name


def standing_beside(contradiction: Contradiction) -> tuple[int, ...]:
    """Return the places of the values that stand beside each other: undecided, or all upheld."""
    values = len(contradiction.sides)
    if contradiction.is_open:
        return tuple(range(values))
    upheld = holding(contradiction.ruling or "none", values)
    return tuple(place for place in range(values) if upheld[place]) if sum(upheld) > 1 else ()


def marked(markdown: str, contested: Mapping[str, Sequence[str]]) -> str:
    """Put contradiction markers directly behind the markers of contested claims.

    Marking twice changes nothing; markers that somebody else wrote are taken out first.

    Args:
        markdown: prose with claim markers.
        contested: for each contested claim, the ids of its contradictions.

    Returns:
        The prose, in which `[c12]` reads `[c12][contradiction-3]` where `c12` is contested.
    """
    text = unmarked(markdown)
    for marker in reversed(prose.markers(text)):
        behind = "".join(f"[{name}]" for name in contested.get(marker.claim_id or "", ()))
        text = text[: marker.end] + behind + text[marker.end :]
    return text


def unmarked(markdown: str) -> str:
    """Take the contradiction markers out of a piece of prose, with the spaces before them."""
    text = markdown
    # Taking one out can bring together the halves of another.
    while found := [each for each in prose.markers(text) if each.contradiction_id is not None]:
        for marker in reversed(found):
            text = text[: marker.start].rstrip(" \t") + text[marker.end :]
    return text
