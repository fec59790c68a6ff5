"""Sides of contradictions, in few words."""

from collections.abc import Sequence

from caveat.contracts.contradiction import Disagreement, Side

Names = Sequence[str]


def sides_of(
    claims: Names,
    backing: Sequence[Names] = (),
    values: Names = (),
    between: Sequence[Names] = (),
    unconfirmed: Sequence[Names] = (),
) -> tuple[Side, ...]:
    """Make one side for each claim, with what stands at its place in the other lists."""
    none: tuple[tuple[str, ...], ...] = ((),) * len(claims)
    return tuple(
        Side(
            claim=claim,
            backing=tuple(others),
            between=tuple(shared),
            unconfirmed=tuple(alike),
            value=value,
        )
        for claim, others, shared, alike, value in zip(
            claims,
            backing or none,
            between or none,
            unconfirmed or none,
            values or [""] * len(claims),
            strict=True,
        )
    )


def backing_of(found: Disagreement) -> tuple[tuple[str, ...], ...]:
    """Return the other claims of each side."""
    return tuple(side.backing for side in found.sides)
