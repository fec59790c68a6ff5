"""Marking: contested claims are recognisable wherever prose cites them.

Code alone writes contradiction markers: what is contested follows from the contradictions, so no
synthesiser has a say in it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.contradiction import Contradiction
from caveat.rules import prose
from caveat.rules.choices import holding
from caveat.rules.ladder import members
from caveat.rules.resting import resting


def contests(
    claims: Iterable[Claim], contradictions: Sequence[Contradiction]
) -> dict[str, tuple[str, ...]]:
    """Name the contradictions that a contested claim is marked with.

    Args:
        claims: with their states as they follow from the contradictions.
        contradictions: all of the run, as they stand.

    Returns:
        For each contested claim the ids of those that are open, or by whose ruling several values
        hold, and that have it among the claims of such a value or of what rests on one; claims that
        are not contested are left out.
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
    sides = members(contradiction)
    for place in beside:
        yield from sides[place]
    for name, places in resting(contradiction, claims).items():
        if any(place in beside for place in places):
            yield name


def standing_beside(contradiction: Contradiction) -> tuple[int, ...]:
    """Return the places of the values that stand beside each other: undecided, or all upheld."""
    values = len(contradiction.claims)
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
