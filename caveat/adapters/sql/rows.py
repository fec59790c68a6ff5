"""Records as rows, and rows as records."""

from typing import Any

from sqlalchemy import Connection, delete, insert, select

from caveat.adapters.sql.inserts import insert_into
from caveat.adapters.sql.tables import FAILURES, RUNS
from caveat.contracts.failure import Failure
from caveat.contracts.outcome import RunRecord
from caveat.contracts.report import ReportedFailure


def write(connection: Connection, record: RunRecord) -> None:
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


def read(connection: Connection, run_id: str) -> RunRecord | None:
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
    statement = insert_into(connection, RUNS).values(row)
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
