"""Rulings as rows, and rows as rulings."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, or_, select

from caveat.adapters.sql.inserts import insert_into
from caveat.adapters.sql.tables import RULINGS
from caveat.contracts.contradiction import Claimant, RulingRecord


def write(connection: Connection, ruling: RulingRecord) -> None:
    """Keep a ruling, unless there is one on the same contradiction: the first answer counts."""
    statement = insert_into(connection, RULINGS).values(_row(ruling))
    connection.execute(
        statement.on_conflict_do_nothing(
            index_elements=[RULINGS.c.run_id, RULINGS.c.contradiction_id]
        )
    )


def about(connection: Connection, claimants: Sequence[str]) -> tuple[RulingRecord, ...]:
    """Return the rulings on claims of any of these claimants, oldest first."""
    chosen = (
        select(RULINGS)
        .where(or_(RULINGS.c.source_a.in_(claimants), RULINGS.c.source_b.in_(claimants)))
        .order_by(RULINGS.c.decided, RULINGS.c.run_id, RULINGS.c.contradiction_id)
    )
    return tuple(_ruling(dict(row)) for row in connection.execute(chosen).mappings())


def _row(ruling: RulingRecord) -> dict[str, Any]:
    a, b = ruling.claimants
    return {
        **ruling.model_dump(exclude={"claimants"}),
        "source_a": a.id,
        "address_a": a.address,
        "source_b": b.id,
        "address_b": b.address,
    }


def _ruling(row: dict[str, Any]) -> RulingRecord:
    claimants = tuple(
        Claimant(id=row.pop(f"source_{side}"), address=row.pop(f"address_{side}")) for side in "ab"
    )
    return RulingRecord.model_validate({**row, "claimants": claimants})
