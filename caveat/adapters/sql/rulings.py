"""Rulings as rows, and rows as rulings."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, insert, select, tuple_

from caveat.adapters.sql.inserts import insert_into
from caveat.adapters.sql.tables import CLAIMANTS, RULINGS
from caveat.contracts.contradiction import Claimant, RulingRecord

_Key = tuple[str, str]
"""Run and contradiction."""

_OF_CLAIMANT = (CLAIMANTS.c.run_id, CLAIMANTS.c.contradiction_id)


def write(connection: Connection, ruling: RulingRecord) -> None:
    """Keep a ruling, unless there is one on the same contradiction: the first answer counts."""
    statement = insert_into(connection, RULINGS).values(ruling.model_dump(exclude={"claimants"}))
    kept = connection.execute(
        statement.on_conflict_do_nothing(
            index_elements=[RULINGS.c.run_id, RULINGS.c.contradiction_id]
        ).returning(RULINGS.c.run_id)
    )
    if kept.first() is not None:
        connection.execute(insert(CLAIMANTS), _claimant_rows(ruling))


def about(connection: Connection, claimants: Sequence[str]) -> tuple[RulingRecord, ...]:
    """Return the rulings on claims of any of these claimants, oldest first."""
    concerned = select(*_OF_CLAIMANT).where(CLAIMANTS.c.source.in_(claimants))
    chosen = (
        select(RULINGS)
        .where(tuple_(RULINGS.c.run_id, RULINGS.c.contradiction_id).in_(concerned))
        .order_by(RULINGS.c.decided, RULINGS.c.run_id, RULINGS.c.contradiction_id)
    )
    rows = (
        select(CLAIMANTS).where(tuple_(*_OF_CLAIMANT).in_(concerned)).order_by(CLAIMANTS.c.position)
    )
    owners: dict[_Key, list[Claimant]] = defaultdict(list)
    for row in connection.execute(rows):
        owners[row.run_id, row.contradiction_id].append(
            Claimant(id=row.source, address=row.address, said=row.said)
        )
    return tuple(_ruling(dict(row), owners) for row in connection.execute(chosen).mappings())


def _claimant_rows(ruling: RulingRecord) -> list[dict[str, Any]]:
    return [
        {
            "run_id": ruling.run_id,
            "contradiction_id": ruling.contradiction_id,
            "position": position,
            "source": claimant.id,
            "address": claimant.address,
            "said": claimant.said,
        }
        for position, claimant in enumerate(ruling.claimants)
    ]


def _ruling(row: dict[str, Any], owners: dict[_Key, list[Claimant]]) -> RulingRecord:
    claimants = owners[row["run_id"], row["contradiction_id"]]
    return RulingRecord.model_validate({**row, "claimants": tuple(claimants)})
