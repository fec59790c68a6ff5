"""Which of a reasoner's disagreements can be taken up."""

from collections.abc import Iterator, Sequence

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Disagreement


def sound(found: Sequence[Disagreement], claims: Sequence[Claim]) -> tuple[Disagreement, ...]:
    """Keep the disagreements between two claims of the run from two sources, each pair once.

    A source that disagrees with itself is read wrongly or states two things; neither is for a
    person to rule on. Backing that names no claim, or stands on both sides, is left out.

    Args:
        found: what a reasoner reported.
        claims: every claim of the run.
    """
    source_of = {claim.id: claim.source_id for claim in claims}
    return tuple(_distinct(found, source_of))


def _distinct(found: Sequence[Disagreement], source_of: dict[str, str]) -> Iterator[Disagreement]:
    seen: set[frozenset[str]] = set()
    for disagreement in found:
        a, b = disagreement.claims
        pair = frozenset(disagreement.claims)
        known = a in source_of and b in source_of
        if not known or source_of[a] == source_of[b] or pair in seen:
            continue
        seen.add(pair)
        yield disagreement.model_copy(update={"backing": _backing(disagreement, source_of)})


def _backing(
    disagreement: Disagreement, source_of: dict[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    for_a, for_b = (
        [name for name in dict.fromkeys(names) if name in source_of]
        for names in disagreement.backing
    )
    torn = {*for_a} & {*for_b} | {*disagreement.claims}
    return (
        tuple(name for name in for_a if name not in torn),
        tuple(name for name in for_b if name not in torn),
    )
