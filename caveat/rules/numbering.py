"""Numbering: claims get their names, `c1`, `c2`, ..., and the same words are one claim."""

from collections.abc import Sequence

from caveat.contracts.claim import Claim
from caveat.contracts.investigation import Findings


def numbered(findings: Sequence[Findings]) -> tuple[Findings, ...]:
    """Name every claim in plan order, best first.

    A quote that several angles found is one claim with one name, which belongs to the first angle
    that found it and stands in the claims of each.
    """
    names: dict[tuple[str, int, int], Claim] = {}
    return tuple(
        found.model_copy(update={"claims": tuple(_named(claim, names) for claim in found.claims)})
        for found in findings
    )


def _named(claim: Claim, names: dict[tuple[str, int, int], Claim]) -> Claim:
    place = (claim.source_id, claim.start, claim.end)
    if place not in names:
        names[place] = claim.model_copy(update={"id": f"c{len(names) + 1}"})
    return names[place].model_copy(update={"relevance": claim.relevance})
