"""Records and rulings as rows, and rows as records and rulings."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Select, Table, delete, insert, select, tuple_

from caveat.adapters.sql.tables import CLAIMANTS, FAILURES, RULINGS, RUNS
from caveat.contracts.contradiction import Claimant, RulingRecord
from caveat.contracts.failure import Failure
from caveat.contracts.outcome import RunRecord
from caveat.contracts.report import ReportedFailure

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

    Insert = sqlite.Insert | postgresql.Insert

DIALECTS = frozenset({"sqlite", "postgresql"})  # the databases that memory can be kept in

_Key = tuple[str, str, int]  # run, contradiction, and which ruling on it

_OF_RULING = (RULINGS.c.run_id, RULINGS.c.contradiction_id, RULINGS.c.number)
_OF_CLAIMANT = (CLAIMANTS.c.run_id, CLAIMANTS.c.contradiction_id, CLAIMANTS.c.number)


def write_run(connection: Connection, record: RunRecord) -> None:
    """Keep a record in the place of what was kept of its run."""
    _upsert_run(connection, record)
    connection.execute(delete(FAILURES).where(FAILURES.c.run_id == record.run_id))
    if record.failures:
        connection.execute(
            insert(FAILURES),
            [
                _failure_row(record.run_id, position, failed)
                for position, failed in enumerate(record.failures)
            ],
        )


def read_run(connection: Connection, run_id: str) -> RunRecord | None:
    """Return the record of a run, None when there is none."""
    run = connection.execute(select(RUNS).where(RUNS.c.run_id == run_id)).mappings().one_or_none()
    if run is None:
        return None
    rows = connection.execute(
        select(FAILURES).where(FAILURES.c.run_id == run_id).order_by(FAILURES.c.position)
    )
    failures = tuple(_reported(dict(row)) for row in rows.mappings())
    return RunRecord.model_validate({**run, "failures": failures})


def _upsert_run(connection: Connection, record: RunRecord) -> None:
    # It comes first and locks the run's row: two attempts at the same run, at once, replace each
    # other's failures one after the other, on PostgreSQL too.
    row = record.model_dump(exclude={"failures"})
    others = {name: value for name, value in row.items() if name != "run_id"}
    statement = _insert_into(connection, RUNS).values(row)
    connection.execute(statement.on_conflict_do_update(index_elements=[RUNS.c.run_id], set_=others))


def _failure_row(run_id: str, position: int, failed: ReportedFailure) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "position": position,
        **failed.model_dump(exclude={"failure"}),
        **failed.failure.model_dump(),
    }


def _reported(row: dict[str, Any]) -> ReportedFailure:
    failure = Failure.model_validate({name: row[name] for name in Failure.model_fields})
    own = {name: row[name] for name in ReportedFailure.model_fields if name != "failure"}
    return ReportedFailure.model_validate({**own, "failure": failure})


def write_ruling(connection: Connection, ruling: RulingRecord) -> RulingRecord:
    """Keep a ruling, unless there is one of its number on the contradiction; return the kept."""
    statement = _insert_into(connection, RULINGS).values(ruling.model_dump(exclude={"claimants"}))
    kept = connection.execute(
        statement.on_conflict_do_nothing(index_elements=_OF_RULING).returning(RULINGS.c.run_id)
    )
    if kept.first() is not None:
        connection.execute(insert(CLAIMANTS), _claimant_rows(ruling))
        return ruling
    of_it = select(*_OF_RULING).where(
        RULINGS.c.run_id == ruling.run_id,
        RULINGS.c.contradiction_id == ruling.contradiction_id,
        RULINGS.c.number == ruling.number,
    )
    return _rulings(connection, of_it)[0]


def rulings_about(connection: Connection, claimants: Sequence[str]) -> tuple[RulingRecord, ...]:
    """Return the rulings on claims of any of these claimants, oldest first."""
    return _rulings(connection, select(*_OF_CLAIMANT).where(CLAIMANTS.c.source.in_(claimants)))


def _rulings(connection: Connection, concerned: Select[_Key]) -> tuple[RulingRecord, ...]:
    chosen = (
        select(RULINGS)
        .where(tuple_(*_OF_RULING).in_(concerned))
        .order_by(RULINGS.c.decided, *_OF_RULING)
    )
    rows = (
        select(CLAIMANTS).where(tuple_(*_OF_CLAIMANT).in_(concerned)).order_by(CLAIMANTS.c.position)
    )
    owners: dict[_Key, list[Claimant]] = defaultdict(list)
    for row in connection.execute(rows):
        owners[row.run_id, row.contradiction_id, row.number].append(
            Claimant(id=row.source, address=row.address, said=row.said)
        )
    return tuple(_ruling(dict(row), owners) for row in connection.execute(chosen).mappings())


def _claimant_rows(ruling: RulingRecord) -> list[dict[str, Any]]:
    return [
        {
            "run_id": ruling.run_id,
            "contradiction_id": ruling.contradiction_id,
            "number": ruling.number,
            "position": position,
            "source": claimant.id,
            "address": claimant.address,
            "said": claimant.said,
        }
        for position, claimant in enumerate(ruling.claimants)
    ]


def _ruling(row: dict[str, Any], owners: dict[_Key, list[Claimant]]) -> RulingRecord:
    claimants = owners[row["run_id"], row["contradiction_id"], row["number"]]
    return RulingRecord.model_validate({**row, "claimants": tuple(claimants)})


def _insert_into(connection: Connection, table: Table) -> "Insert":
    """Begin an `INSERT` that may say what to do about a row that is there already."""
    # Each where it is used: the other one takes a tenth of a second that every command would wait.
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as insert_there  # noqa: PLC0415  # see above

        return insert_there(table)
    from sqlalchemy.dialects.sqlite import insert as insert_here  # noqa: PLC0415  # see above

    return insert_here(table)
