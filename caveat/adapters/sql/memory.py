"""The memory: people's rulings in a SQL database."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InterfaceError,
    NoSuchModuleError,
    OperationalError,
    ProgrammingError,
)

from caveat import atomic
from caveat.contracts.contradiction import RulingRecord
from caveat.failures import PortFailure, forbidden, invalid, unavailable

T = TypeVar("T")

_LOGGER = logging.getLogger(__name__)

_FILE = "sqlite:////var/lib/caveat/memory.db"
_EXAMPLE = f"postgresql://user:password@host/caveat or {_FILE}"

BUSY_S = 5.0
"""Seconds to wait for another process's transaction. One lasts milliseconds; the activity that
remembers has 30 s for an attempt."""

CONNECT_S = 5
"""Seconds to wait for a server's answer. The driver would wait two minutes, and an attempt of the
activity that remembers ends after 30 s."""

_LOCK_KEY = 0x636176656174
"""Of PostgreSQL's advisory locks: any number that no other program chose; this one is `caveat`."""

_METADATA = sa.MetaData()

# Records are kept as the JSON of their contract, which checks them on reading: what a later version
# adds to one needs no other table. Columns are what is looked for.
_RULINGS = sa.Table(
    "rulings",
    _METADATA,
    sa.Column("run_id", sa.String, primary_key=True),
    sa.Column("contradiction_id", sa.String, primary_key=True),
    # What changes or withdraws a ruling is one more: nothing that people ruled is ever lost.
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("record", sa.Text, nullable=False),
)


def _read_ruling(key: Sequence[object], record: str) -> RulingRecord | None:
    """Read a row; one that cannot be read is logged and skipped."""
    try:
        return RulingRecord.model_validate_json(record)
    except ValidationError:
        _LOGGER.warning("The ruling %s/%s, number %s, in the memory cannot be read.", *key)
        return None


class SqlMemory:
    """Remembers rulings in SQLite, or in PostgreSQL with its driver.

    Tables are made on first use. Processes may share a database.

    Args:
        url: SQLAlchemy URL: `postgresql://user:password@host/name` or
            `sqlite:////folder/memory.db`, percent-encoded. The database, or the file's folder, must
            exist.
    """

    def __init__(self, url: str) -> None:
        self._url = _validate_url(url)
        self._engine = make_engine(self._url)

    async def record_ruling(self, ruling: RulingRecord) -> RulingRecord:
        """Keep a ruling unless its number exists, and return the kept one."""
        key = ruling.model_dump(include={"run_id", "contradiction_id", "number"})

        def write(connection: sa.Connection) -> RulingRecord:
            chosen = sa.select(_RULINGS.c.record).filter_by(**key)
            recorded = connection.execute(chosen).scalar_one_or_none()
            if recorded is not None:
                return RulingRecord.model_validate_json(recorded)
            row = {**key, "record": ruling.model_dump_json()}
            connection.execute(sa.insert(_RULINGS).values(row))
            return ruling

        return await self._run_in_transaction(write)

    async def recall_rulings(self, claimants: Sequence[str]) -> tuple[RulingRecord, ...]:
        """Return the rulings on claims of any of these claimants, by id, oldest first."""
        wanted = frozenset(claimants)

        def read(connection: sa.Connection) -> tuple[RulingRecord, ...]:
            # All of them are looked through: people rule some dozens of times a year.
            every = [
                ruling
                for *key, record in connection.execute(sa.select(*_RULINGS.c)).all()
                if (ruling := _read_ruling(key, record)) is not None
            ]
            about = [one for one in every if any(each.id in wanted for each in one.claimants)]
            return tuple(sorted(about, key=lambda each: (each.decided, each.run_id, each.number)))

        return await self._run_in_transaction(read)

    async def _run_in_transaction(self, work: Callable[[sa.Connection], T]) -> T:
        def run_work() -> T:
            with translate_errors(self._url), self._engine.begin() as connection:
                make_tables(connection)
                return work(connection)

        return await asyncio.to_thread(run_work)


def make_tables(connection: sa.Connection) -> None:
    """Make the tables where there are none, alone: who comes at the same time waits."""
    # SQLite waits as the transaction begins.
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK_KEY)))
    if not sa.inspect(connection).has_table(_RULINGS.name):
        _METADATA.create_all(connection)


def make_engine(url: sa.URL) -> sa.Engine:
    """Create an engine; it connects at the first transaction."""
    # No connection is kept between transactions: people rule now and then, opening a
    # file costs less than a millisecond, and a file that was moved away is noticed.
    if url.get_backend_name() != "sqlite":
        # What the URL itself says goes first.
        patient = url.set(query={"connect_timeout": str(CONNECT_S), **url.query})
        return sa.create_engine(patient, poolclass=sa.NullPool, hide_parameters=True)
    engine = sa.create_engine(
        url, poolclass=sa.NullPool, hide_parameters=True, connect_args={"timeout": BUSY_S}
    )
    sa.event.listen(engine, "connect", _prepare)
    # The driver itself begins one only before it changes rows: half of the tables could stay. And
    # one that reads before it writes is refused at once when another wrote in between; one that is
    # immediate waits its turn.
    sa.event.listen(engine, "begin", lambda opened: opened.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def _prepare(connection: sqlite3.Connection, _: object) -> None:
    try:
        # What a killed process had begun then costs nobody a wait. The file remembers it.
        connection.execute("PRAGMA journal_mode = wal")
    except sqlite3.OperationalError as error:
        # SQLite does not wait here: another process is switching, or at work in the old mode. The
        # next connection switches; transactions are whole in either mode.
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise


def _validate_url(typed: str) -> sa.URL:
    try:
        url = sa.make_url(typed)
        file = url.database if url.get_backend_name() == "sqlite" else None
        if url.get_backend_name() != "postgresql" and file in {None, "", ":memory:"}:
            raise NoSuchModuleError  # noqa: TRY301  # as of a database that SQLAlchemy does not know
        url.get_dialect().import_dbapi()
    except (ArgumentError, NoSuchModuleError):
        # The text may hold a password, so it is not repeated.
        raise invalid(
            "The memory's address must be the URL of a PostgreSQL database or an SQLite file, such "
            f"as {_EXAMPLE}.",
            resource="memory",
        ) from None
    except ModuleNotFoundError as error:
        raise invalid(
            f"The memory {name_database(url)} needs the Python package {error.name}, which is not "
            "installed; the extra caveat[postgres] brings psycopg.",
            resource=name_database(url),
        ) from None
    return url


_Known = tuple[Callable[..., PortFailure], str]

_STRANGE: _Known = (
    invalid,
    (
        "is of another version of Caveat, or of another program: install what wrote it, or move it "
        "away, and a new one is begun"
    ),
)

_LASTING = frozenset(
    {
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    }
)
"""Primary result codes (https://www.sqlite.org/rescode.html) that no waiting helps against."""

_POSTGRESQL: dict[object, _Known] = {
    "42P01": _STRANGE,
    "42703": _STRANGE,
    "25006": (unavailable, "is read-only now"),
    "42501": (forbidden, "does not let this user create and change tables: make it the owner"),
    "53100": (unavailable, "cannot grow because its disk is full"),
}
"""By SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html)."""


@contextmanager
def translate_errors(url: sa.URL) -> Iterator[None]:
    """Translate listed database errors to port failures."""
    try:
        yield
    except DBAPIError as error:
        cause = error.orig
        known = (
            _classify_sqlite_error(cause, url)
            if isinstance(cause, sqlite3.Error)
            else _classify_server_error(error)
        )
        if known is None:
            raise
        raise _build_failure(known, url) from error
    except ValidationError as error:  # of a record
        raise _build_failure(_STRANGE, url) from error


def name_database(url: sa.URL) -> str:
    """The path or address of a database, without its password."""
    if url.get_backend_name() == "sqlite" and url.database:
        return url.database
    return url.set(query={}).render_as_string(hide_password=True)


def _build_failure(known: _Known, url: sa.URL) -> PortFailure:
    failure, what = known
    place = name_database(url)
    return failure(f"The memory {place} {what}.", resource=place)


def _classify_sqlite_error(cause: sqlite3.Error, url: sa.URL) -> _Known:
    message = str(cause)
    if message.startswith("no such") or "has no column" in message:  # SQLite has no code for these
        return _STRANGE
    # An extended code carries the primary one in its lowest byte.
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    is_short = code == sqlite3.SQLITE_CANTOPEN and atomic.is_writable(Path(url.database or ""))
    if code in _LASTING and not is_short:
        return (
            invalid,
            f"cannot be used ({message}): mend it, or move it away and a new one is begun",
        )
    return unavailable, f"cannot be used now ({message})"


def _classify_server_error(error: DBAPIError) -> _Known | None:
    match error:
        case DBAPIError(orig=cause) if known := _POSTGRESQL.get(getattr(cause, "sqlstate", None)):
            return known
        # The driver refuses the address before there is a statement.
        case ProgrammingError(statement=None):
            return invalid, "has an address with an unknown option"
        # A wrong password and a missing database are told apart by words of the server alone, in
        # its own language.
        case OperationalError() | InterfaceError():
            return (
                unavailable,
                "cannot be reached, or refuses the user, the password or the database",
            )
        case _:
            return None
