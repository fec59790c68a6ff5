"""What goes wrong with a database, in the domain's words."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy.engine import URL
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, InterfaceError, OperationalError

from caveat.failures import PortFailure, invalid, unavailable

_SHOWN = 200
"""Characters of a place in a sentence; the failure's resource has it whole."""

_AWAY = "move the file away and a new one is begun; it holds only what is remembered of past runs"

_SQLITE: dict[int, tuple[Callable[..., PortFailure], str]] = {
    sqlite3.SQLITE_BUSY: (unavailable, "is locked by another process"),
    sqlite3.SQLITE_LOCKED: (unavailable, "is locked by another process"),
    sqlite3.SQLITE_FULL: (unavailable, "cannot grow because its disk is full"),
    sqlite3.SQLITE_IOERR: (unavailable, "cannot be read or written because its disk fails"),
    sqlite3.SQLITE_READONLY: (invalid, "is read-only: make the file and its folder writable"),
    sqlite3.SQLITE_PERM: (invalid, "may not be opened: make the file and its folder writable"),
    sqlite3.SQLITE_CANTOPEN: (
        invalid,
        "cannot be opened: it must be a file, in a folder that exists and is writable",
    ),
    sqlite3.SQLITE_CORRUPT: (invalid, f"is damaged: {_AWAY}"),
    sqlite3.SQLITE_NOTADB: (invalid, f"is not a SQLite database: {_AWAY}"),
}
"""By primary result code (https://www.sqlite.org/rescode.html)."""


@contextmanager
def translating(url: URL) -> Iterator[None]:
    """Let database errors leave as failures of the port; what is not listed leaves as it is.

    Raises:
        PortFailure: the database cannot be used.
    """
    try:
        yield
    except DBAPIError as error:
        failure = _translated(error, url)
        if failure is None:
            raise
        raise failure from error


def written_by_newer(url: URL) -> PortFailure:
    """The database has a schema that this Caveat does not know."""
    place = place_of(url)
    return invalid(
        f"The memory {_shown(place)} was written by a newer Caveat: install that one, or move "
        "the memory away.",
        resource=place,
    )


def place_of(url: URL) -> str:
    """Where a database is, without its password: a path, or an address."""
    if url.get_backend_name() == "sqlite" and url.database:
        return url.database
    return url.set(query={}).render_as_string(hide_password=True)


def _translated(error: DBAPIError, url: URL) -> PortFailure | None:
    place = place_of(url)
    memory = f"The memory {_shown(place)}"
    match error:
        case IntegrityError():
            return invalid(f"{memory} refuses the record: it names a task twice.", resource=place)
        case DataError():
            return invalid(f"{memory} cannot hold a value of the record.", resource=place)
        case DBAPIError(orig=sqlite3.Error() as cause):
            # An extended code carries the primary one in its lowest byte.
            known = _SQLITE.get(getattr(cause, "sqlite_errorcode", 0) & 0xFF)
            return known and known[0](f"{memory} {known[1]}.", resource=place)
        case OperationalError() | InterfaceError():
            return unavailable(f"{memory} cannot be reached.", resource=place)
        case _:
            return None


def _shown(place: str) -> str:
    return place if len(place) <= _SHOWN else f"…{place[-_SHOWN:]}"
