"""Figures: a table's quantity stands in its claim, and the number that orders it is its own."""

import math
from collections.abc import Iterable, Iterator, Mapping

from caveat.contracts.audit import Check, Finding
from caveat.contracts.claim import Claim
from caveat.contracts.synthesis import Figure
from caveat.quantities.reading import quantities
from caveat.rules.contradictions.contest import usable

TOLERANCE = 1e-6
"""Relative. Factors of earlier reports have seven digits; a changed digit moves a figure of up to
six digits by more."""


def figure_findings(
    where: str, figures: Iterable[Figure], claims: Mapping[str, Claim], *, disputed: bool = False
) -> Iterator[Finding]:
    """Check the figures of a section against the claims that they are of.

    Each is of a claim that may be used, stands verbatim in its quote, and is ordered by the number
    that whoever reads the quote finds there.

    Args:
        where: the section, as a finding names it.
        figures: of its table.
        claims: of the report, by id.
        disputed: whether the table is one of values that are not used.
    """
    for figure in figures:
        named = f"The figure “{figure.value}”"
        claim = claims.get(figure.claim_id)
        if claim is None:
            message = f"{named} names no claim of the report."
            yield Finding(check=Check.CITATION, where=where, message=message)
            continue
        if not (disputed or usable(claim)):
            message = f"{named} is of claim {claim.id}: {claim.state}."
            yield Finding(check=Check.CONTRADICTION, where=where, message=message)
        if not (figure.value and figure.value in claim.quote):
            message = f"{named} is not in the quote of claim {claim.id}."
            yield Finding(check=Check.NUMBER, where=where, message=message)
        elif not _is_read(figure, claim.quote):
            message = f"{named} is ordered by {figure.number}."
            yield Finding(check=Check.NUMBER, where=where, message=message)


def _is_read(figure: Figure, quote: str) -> bool:
    """Whether whoever reads the quote finds this number, in this unit, in these words."""
    return any(
        quote[found.start : found.end] == figure.value
        and found.unit == figure.unit
        and math.isclose(found.number, figure.number, rel_tol=TOLERANCE)
        for found in quantities(quote)
    )
