"""The engine: transactions that are whole, on SQLite as on PostgreSQL, and their schema."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import (
    Connection,
    Engine,
    NullPool,
    create_engine,
    event,
    func,
    insert,
    inspect,
    select,
)
from sqlalchemy.engine import URL

from caveat.adapters.sql.failures import of_another_version
from caveat.adapters.sql.tables import METADATA, SCHEMA, VERSION

BUSY_S = 5.0
"""Seconds to wait for another process's transaction. One lasts milliseconds; the activity that
remembers has 30 s for an attempt."""

CONNECT_S = 5
"""Seconds to wait for a server's answer. The driver would wait two minutes, and an attempt of the
activity that remembers ends after 30 s."""

_WRITES = "caveat_writes"


def engine_for(url: URL) -> Engine:
    """Make an engine; it connects at the first transaction."""
    # No connection is kept between transactions: a run is remembered once in minutes, opening a
    # file costs less than a millisecond, and a file that was moved away is noticed.
    if url.get_backend_name() != "sqlite":
        return create_engine(_patient(url), poolclass=NullPool, hide_parameters=True)
    engine = create_engine(
        url, poolclass=NullPool, hide_parameters=True, connect_args={"timeout": BUSY_S}
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """One transaction that reads; it waits for nobody."""
    with engine.begin() as connection:
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One transaction that may write; on SQLite it is alone from its beginning."""
    with engine.execution_options(**{_WRITES: True}).begin() as connection:
        yield connection


def _patient(url: URL) -> URL:
    # What the URL itself says goes first.
    return url.set(query={"connect_timeout": str(CONNECT_S), **url.query})


def _prepare(connection: sqlite3.Connection, record: object) -> None:
    try:
        # Readers and a writer then do not wait for each other. The file remembers it.
        connection.execute("PRAGMA journal_mode = wal")
    except sqlite3.OperationalError as error:
        # SQLite does not wait here: another process is switching, or at work in the old mode. The
        # next connection switches; transactions are whole in either mode.
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise


def _begin(connection: Connection) -> None:
    # The driver itself begins one only before it changes rows: half of the tables could stay. And
    # one that reads before it writes is refused at once when another wrote in between; one that
    # is immediate waits its turn.
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


_LOCK_KEY = 0x636176656174
"""Of PostgreSQL's advisory locks: any number that no other program chose; this one is `caveat`."""


def is_current(connection: Connection) -> bool:
    """Whether the tables are there, and of this version."""
    if not inspect(connection).has_table(SCHEMA.name):
        return False
    version = connection.execute(select(SCHEMA.c.version)).scalar()
    if version not in {None, VERSION}:
        raise of_another_version(connection.engine.url)
    return version is not None


def upgrade(connection: Connection) -> None:
    """Make the tables, within the transaction of the connection."""
    # Of two workers that start at once, one makes them; the other waits, and finds them made.
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_LOCK_KEY)))
    if not is_current(connection):
        METADATA.create_all(connection)
        connection.execute(insert(SCHEMA).values(version=VERSION))
