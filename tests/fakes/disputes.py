"""Contradictions, their sides, and rulings on them, in few words."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from caveat.contracts.contradiction import (
    Claimant,
    Contradiction,
    ContradictionKind,
    Disagreement,
    RulingRecord,
    Side,
)

Names = Sequence[str]
CHOICES = ("a", "b", "both", "neither")  # among two values


def sides_of(
    claims: Names,
    backing: Sequence[Names] = (),
    values: Names = (),
    unconfirmed: Sequence[Names] = (),
) -> tuple[Side, ...]:
    """Make one side for each claim, with what stands at its place in the other lists."""
    none: tuple[tuple[str, ...], ...] = ((),) * len(claims)
    return tuple(
        Side(claim=claim, backing=tuple(others), unconfirmed=tuple(alike), value=value)
        for claim, others, alike, value in zip(
            claims, backing or none, unconfirmed or none, values or [""] * len(claims), strict=True
        )
    )


def backing_of(found: Disagreement) -> tuple[tuple[str, ...], ...]:
    return tuple(side.backing for side in found.sides)


def a_dispute(one: str = "c1", other: str = "c2", number: int = 1, **changes: Any) -> Contradiction:
    """Make a contradiction of two claims, which is open unless something else is said."""
    facts = {
        "id": f"contradiction-{number}",
        "kind": ContradictionKind.NUMERIC,
        "sides": sides_of((one, other)),
        "about": "It.",
    }
    return Contradiction.model_validate(facts | changes)


def a_ruling_record(
    choice: str, a: str = "a.org", b: str = "b.org", **changes: Any
) -> RulingRecord:
    """Make what memory keeps of a ruling on what two claimants said."""
    facts = {
        "run_id": "research-x-000000",
        "contradiction_id": "contradiction-1",
        "claimants": (Claimant(id=a), Claimant(id=b)),
        "choice": choice,
        "reason": "Because.",
        "decided_by": "Ada",
        "decided": dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    }
    return RulingRecord.model_validate(facts | changes)
