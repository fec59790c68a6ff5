"""Which of a reasoner's disagreements can be taken up."""

from collections.abc import Iterator, Sequence

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Disagreement
from caveat.rules.contrast import are_opposed


def sound(found: Sequence[Disagreement], claims: Sequence[Claim]) -> tuple[Disagreement, ...]:
    """Keep the disagreements between two claims of the run from two sources, each pair once.

    A source that disagrees with itself is read wrongly or states two things; neither is for a
    person to rule on. Backing that names no claim, stands on both sides, or says the opposite of
    the claim that it is to back, is left out.

    Args:
        found: what a reasoner reported.
        claims: every claim of the run.
    """
    return tuple(_distinct(found, {claim.id: claim for claim in claims}))


def _distinct(found: Sequence[Disagreement], by_id: dict[str, Claim]) -> Iterator[Disagreement]:
    seen: set[frozenset[str]] = set()
    for disagreement in found:
        a, b = disagreement.claims
        pair = frozenset(disagreement.claims)
        if a not in by_id or b not in by_id or pair in seen:
            continue
        if by_id[a].source_id == by_id[b].source_id:
            continue
        seen.add(pair)
        yield disagreement.model_copy(update={"backing": _backing(disagreement, by_id)})


def _backing(
    disagreement: Disagreement, by_id: dict[str, Claim]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    for_a, for_b = (
        [
            name
            for name in dict.fromkeys(names)
            if name in by_id and _backs(by_id[name], by_id[best])
        ]
        for best, names in zip(disagreement.claims, disagreement.backing, strict=True)
    )
    torn = {*for_a} & {*for_b} | {*disagreement.claims}
    return (
        tuple(name for name in for_a if name not in torn),
        tuple(name for name in for_b if name not in torn),
    )


def _backs(claim: Claim, best: Claim) -> bool:
    return not are_opposed(claim.quote, best.quote) and not are_opposed(claim.text, best.text)
