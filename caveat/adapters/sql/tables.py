"""The tables: one row a run, one a failure of a run, one a ruling, one a value ruled on."""

import datetime as dt

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
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
        """Turn any zone into UTC."""
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


class Words(TypeDecorator[str]):
    """Text that may come from anywhere; on PostgreSQL, which refuses NUL, a sign stands for it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Replace NUL where the database cannot hold it: a title must not cost a run's record."""
        if value is None or dialect.name != "postgresql":
            return value
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}")


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
    Column("topic", Words, nullable=False),
    Column("ending", String),
    Column("started", UtcDateTime, nullable=False),
    Column("finished", UtcDateTime, nullable=False),
    Column("confidence", Double),
    Column("sources_read", Integer, nullable=False),
    Column("claims", Integer, nullable=False),
    Column("model_calls", BigInteger, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("cost_usd", Double),
    Column("usage_by_step", JSON, nullable=False),
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
    Column("task_description", Words, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("category", String, nullable=False),
    Column("failure_type", String, nullable=False),
    Column("message", Words, nullable=False),
    Column("attempted", JSON, nullable=False),
    Column("retry_recommended", Boolean, nullable=False),
    Column("retry_after_s", Double),
    Column("alternatives", JSON, nullable=False),
    Column("resource", Words),
    Column("provider", Words),
    Column("completeness", Double, nullable=False),
    Column("remedy", String),
    Column("recovered", Boolean, nullable=False),
    Column("failed_at", UtcDateTime),
    Column("left_out", String),
    UniqueConstraint("run_id", "task_id"),
)

# A person may rule while the run goes on, and it is remembered at its end, so this refers to no
# other table.
RULINGS = Table(
    "rulings",
    METADATA,
    Column("run_id", String, primary_key=True),
    Column("contradiction_id", String, primary_key=True),
    # What changes or withdraws a ruling is one more: nothing that people ruled is ever lost.
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("choice", String),
    Column("reason", Words, nullable=False),
    Column("decided_by", Words, nullable=False),
    Column("decided", UtcDateTime, nullable=False),
    Column("signed", Boolean),
)

# Who stated which value of a contradiction that was ruled on.
CLAIMANTS = Table(
    "ruled_claimants",
    METADATA,
    Column("run_id", String, primary_key=True),
    Column("contradiction_id", String, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    # Of the value: 0 is `a`.
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("source", String, nullable=False),
    Column("address", Words),
    Column("said", String, nullable=False),
    ForeignKeyConstraint(
        ["run_id", "contradiction_id", "number"],
        ["rulings.run_id", "rulings.contradiction_id", "rulings.number"],
    ),
    Index("ix_ruled_claimants_source", "source"),
)
