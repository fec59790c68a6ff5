"""The SQLite file behind an index: opening, schema, and what its errors mean."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from caveat import atomic
from caveat.adapters.documents.loaders import compute_loaders_version
from caveat.failures import PortFailure, invalid, unavailable
from caveat.problem import InternalError

_SCHEMA_VERSION = 9


def compute_version() -> int:
    """Return what is kept in the file; an index of another version is made anew."""
    return _SCHEMA_VERSION * 1_000 + compute_loaders_version()


BUSY_S = 30.0
"""Seconds to wait for another process's batch; a batch takes under a second on two slow cores."""

_SCHEMA = """
DROP TABLE IF EXISTS vocabulary;
DROP TABLE IF EXISTS passages;
DROP TABLE IF EXISTS documents;
DROP TABLE IF EXISTS state;
CREATE TABLE state (finished INTEGER NOT NULL);
INSERT INTO state VALUES (0);
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    passages INTEGER NOT NULL,
    language TEXT,
    source TEXT,
    failure TEXT,
    losses TEXT,
    CHECK (source IS NULL OR failure IS NULL)
);
CREATE VIRTUAL TABLE passages USING fts5(title, heading, text, held, tokenize='porter unicode61');
INSERT INTO passages (passages, rank) VALUES ('hashsize', 8000000);
INSERT INTO passages (passages, rank) VALUES ('automerge', 8);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab('passages', 'col');
"""
"""FTS5 collects up to 8 MB of words before it writes them, and merges eight pieces of its index at
once: with the 1 MB and the four pieces of its defaults storing takes a third longer."""

_CORRUPT = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_UNWRITABLE = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM})


class IndexDamagedError(InternalError):
    """The index file cannot be used; `discard` it and build it again."""


@contextmanager
def open_index(file: Path) -> Iterator[sqlite3.Connection]:
    """Open an index for one piece of work in one thread, with an empty schema if it is new."""
    try:
        with closing(sqlite3.connect(file, timeout=BUSY_S, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = NORMAL")
            if _read_version(connection) != compute_version():
                _set_up(connection, file)
            yield connection
    except sqlite3.Error as error:
        raise _translate_error(error, file) from error


@contextmanager
def open_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction that takes the write lock at once, so that it never fails half way."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def discard(file: Path) -> None:
    with atomic.lock_path(file.with_suffix(".lock")):
        for name in (file.name, f"{file.name}-wal", f"{file.name}-shm"):
            file.with_name(name).unlink(missing_ok=True)


def _read_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _set_up(connection: sqlite3.Connection, file: Path) -> None:
    """Create the schema; a lock file keeps processes from switching to WAL at the same time."""
    with atomic.lock_path(file.with_suffix(".lock")):
        if _read_version(connection) == compute_version():
            return
        connection.execute("PRAGMA page_size = 16384")  # a fifth less to do than with 4 KB
        connection.execute("PRAGMA journal_mode = WAL")
        with open_transaction(connection):
            for statement in _SCHEMA.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {compute_version()}")


def _translate_error(error: sqlite3.Error, file: Path) -> PortFailure | IndexDamagedError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _CORRUPT:
        return IndexDamagedError(str(file))
    if code in _UNWRITABLE and not atomic.is_writable(file):
        return invalid(
            f"The index cannot be written to the cache folder, {file.parent}: set "
            "CAVEAT_CACHE_DIR to a folder that may be written.",
            resource=str(file),
        )
    return unavailable(
        f"The index of the corpus cannot be used: is the disk of {file.parent} full or unsound, or "
        "does another process keep it locked?",
        resource=str(file),
    )
