"""The tables: one row a run, one row a failure of a run."""

import datetime as dt

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)


class UtcDateTime(TypeDecorator[dt.datetime]):
    """A moment in UTC, aware in and out; SQLite keeps no zone, so UTC is put back on reading."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        """Turn any zone into UTC.

        Raises:
            ValueError: the moment has no zone, so it is not known when it was.
        """
        if value is None:
            return None
        if value.utcoffset() is None:
            raise ValueError("a moment without a time zone cannot be stored")
        return value.astimezone(dt.UTC)

    def process_result_value(
        self, value: dt.datetime | None, dialect: Dialect
    ) -> dt.datetime | None:
        """Give the moment in UTC, whatever the zone of the database's session."""
        if value is None:
            return None
        return value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value.astimezone(dt.UTC)


METADATA = MetaData(
    # Named constraints, because a later migration can only alter what has a name.
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)

RUNS = Table(
    "runs",
    METADATA,
    Column("run_id", String, primary_key=True),
    Column("topic", Text, nullable=False),
    Column("ending", String),
    Column("started", UtcDateTime, nullable=False),
    Column("finished", UtcDateTime, nullable=False),
    Column("confidence", Double),
    Column("sources_read", Integer, nullable=False),
    Column("claims", Integer, nullable=False),
)

# Words of the contract's enumerations are kept as plain strings: a new word then needs no
# migration, and the contract checks them on reading.
FAILURES = Table(
    "failures",
    METADATA,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),
    # The order in which a run booked its failures.
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("task_id", String, nullable=False),
    Column("agent_type", String, nullable=False),
    Column("task_description", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("category", String, nullable=False),
    Column("failure_type", String, nullable=False),
    Column("message", Text, nullable=False),
    Column("attempted", JSON, nullable=False),
    Column("retry_recommended", Boolean, nullable=False),
    Column("retry_after_s", Double),
    Column("alternatives", JSON, nullable=False),
    Column("resource", Text),
    UniqueConstraint("run_id", "task_id"),
)
