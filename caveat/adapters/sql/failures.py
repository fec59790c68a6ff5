"""What goes wrong with a database, in the domain's words."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pydantic import ValidationError
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, ProgrammingError

from caveat.failures import PortFailure, forbidden, invalid, unavailable

_SHOWN = 200  # characters of a place in a sentence; the failure's resource has it whole

_AWAY = "move the file away and a new one is begun; it holds only what is remembered of past runs"

_Known = tuple[Callable[..., PortFailure], str]

_STRANGE: _Known = (
    invalid,
    (
        "is of another version of Caveat, or of another program: install what wrote it, or move it "
        "away, and a new one is begun"
    ),
)

_LACKS = re.compile(r"no such (table|column)|has no column")
"""SQLite has no code of its own for these."""

_SQLITE: dict[int, _Known] = {
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

_POSTGRESQL: dict[object, _Known] = {
    "42P01": _STRANGE,
    "42703": _STRANGE,
    "25006": (unavailable, "is read-only now"),
    "42501": (forbidden, "does not let this user create and change tables: make it the owner"),
    "53100": (unavailable, "cannot grow because its disk is full"),
}
"""By SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html)."""


@contextmanager
def translating(url: URL) -> Iterator[None]:
    """Let database errors leave as failures of the port; what is not listed leaves as it is."""
    try:
        yield
    except DBAPIError as error:
        failure = _translated(error, url)
        if failure is None:
            raise
        raise failure from error
    except ValidationError as error:  # of a record
        raise of_another_version(url) from error


def of_another_version(url: URL) -> PortFailure:
    """The database holds tables or records that this Caveat does not know."""
    return _failure(_STRANGE, url)


def place_of(url: URL) -> str:
    """Where a database is, without its password: a path, or an address."""
    if url.get_backend_name() == "sqlite" and url.database:
        return url.database
    return url.set(query={}).render_as_string(hide_password=True)


def _translated(error: DBAPIError, url: URL) -> PortFailure | None:
    known = _known(error)
    return known and _failure(known, url)


def _failure(known: _Known, url: URL) -> PortFailure:
    failure, what = known
    place = place_of(url)
    return failure(f"The memory {_shown(place)} {what}.", resource=place)


def _known(error: DBAPIError) -> _Known | None:
    match error:
        case DBAPIError(orig=sqlite3.Error() as cause) if _LACKS.search(str(cause)):
            return _STRANGE
        case DBAPIError(orig=sqlite3.Error() as cause):
            # An extended code carries the primary one in its lowest byte.
            return _SQLITE.get(getattr(cause, "sqlite_errorcode", 0) & 0xFF)
        case _:
            return _known_of_server(error)


def _known_of_server(error: DBAPIError) -> _Known | None:
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


def _shown(place: str) -> str:
    return place if len(place) <= _SHOWN else f"…{place[-_SHOWN:]}"
