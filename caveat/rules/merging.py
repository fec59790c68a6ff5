"""Merging: two parts of an analysis, one after the other, as one."""

from caveat.contracts.claim import Analysis


def merged(part: Analysis, rest: Analysis, wanted: int | None = None) -> Analysis:
    """Make one analysis of an interrupted one and of the rest of its text.

    Args:
        part: of everything up to where it was interrupted.
        rest: of what comes behind.
        wanted: how many claims may be returned at most, the best; None keeps them all.
    """
    best = sorted((*part.claims, *rest.claims), key=lambda claim: -claim.relevance)
    return Analysis(
        claims=tuple(best[:wanted]),
        rejected_quotes=part.rejected_quotes + rest.rejected_quotes,
        read_to=max(part.read_to, rest.read_to),
    )
