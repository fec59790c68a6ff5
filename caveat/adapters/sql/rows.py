"""Records and rulings as rows, and rows as records and rulings."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Table, insert, select, tuple_

from caveat.adapters.sql.tables import CLAIMANTS, RULINGS, RUNS
from caveat.contracts.contradiction import RulingRecord
from caveat.contracts.outcome import RunRecord

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

    Insert = sqlite.Insert | postgresql.Insert

DIALECTS = frozenset({"sqlite", "postgresql"})  # the databases that memory can be kept in

_OF_RULING = (RULINGS.c.run_id, RULINGS.c.contradiction_id, RULINGS.c.number)
_OF_CLAIMANT = (CLAIMANTS.c.run_id, CLAIMANTS.c.contradiction_id, CLAIMANTS.c.number)


def write_run(connection: Connection, record: RunRecord) -> None:
    """Keep a record in the place of what was kept of its run."""
    kept = {"record": record.model_dump_json()}
    statement = _insert_into(connection, RUNS).values(run_id=record.run_id, **kept)
    connection.execute(statement.on_conflict_do_update(index_elements=[RUNS.c.run_id], set_=kept))


def read_run(connection: Connection, run_id: str) -> RunRecord | None:
    """Return the record of a run, None when there is none."""
    kept = connection.execute(select(RUNS.c.record).where(RUNS.c.run_id == run_id)).scalar()
    return None if kept is None else RunRecord.model_validate_json(kept)


def write_ruling(connection: Connection, ruling: RulingRecord) -> RulingRecord:
    """Keep a ruling, unless there is one of its number on the contradiction; return the kept."""
    key = ruling.model_dump(include={"run_id", "contradiction_id", "number"})
    statement = _insert_into(connection, RULINGS).values(**key, record=ruling.model_dump_json())
    kept = connection.execute(
        statement.on_conflict_do_nothing(index_elements=_OF_RULING).returning(RULINGS.c.run_id)
    )
    if kept.first() is not None:
        named = dict.fromkeys(each.id for each in ruling.claimants)
        connection.execute(insert(CLAIMANTS), [{**key, "source": name} for name in named])
        return ruling
    first = connection.execute(select(RULINGS.c.record).filter_by(**key)).scalar_one()
    return RulingRecord.model_validate_json(first)


def rulings_about(connection: Connection, claimants: Sequence[str]) -> tuple[RulingRecord, ...]:
    """Return the rulings on claims of any of these claimants, oldest first."""
    concerned = select(*_OF_CLAIMANT).where(CLAIMANTS.c.source.in_(claimants))
    kept = connection.scalars(
        select(RULINGS.c.record).where(tuple_(*_OF_RULING).in_(concerned)).order_by(*_OF_RULING)
    )
    return tuple(sorted(map(RulingRecord.model_validate_json, kept), key=lambda each: each.decided))


def _insert_into(connection: Connection, table: Table) -> "Insert":
    """Begin an `INSERT` that may say what to do about a row that is there already."""
    # Each where it is used: the other one takes a tenth of a second that every command would wait.
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as insert_there  # noqa: PLC0415  # see above

        return insert_there(table)
    from sqlalchemy.dialects.sqlite import insert as insert_here  # noqa: PLC0415  # see above

    return insert_here(table)
