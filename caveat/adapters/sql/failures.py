"""What goes wrong with a database, in the domain's words."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, ProgrammingError

from caveat import atomic
from caveat.failures import PortFailure, forbidden, invalid, unavailable

_SHOWN = 200  # characters of a place in a sentence; the failure's resource has it whole

_Known = tuple[Callable[..., PortFailure], str]

_STRANGE: _Known = (
    invalid,
    (
        "is of another version of Caveat, or of another program: install what wrote it, or move it "
        "away, and a new one is begun"
    ),
)

_PASSING = frozenset(
    {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
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
"""Primary result codes (https://www.sqlite.org/rescode.html), whose texts say what is wrong."""

_POSTGRESQL: dict[object, _Known] = {
    "42P01": _STRANGE,
    "42703": _STRANGE,
    "25006": (unavailable, "is read-only now"),
    "42501": (forbidden, "does not let this user create and change tables: make it the owner"),
    "53100": (unavailable, "cannot grow because its disk is full"),
}
"""By SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html)."""


@contextmanager
def translate_errors(url: URL) -> Iterator[None]:
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


def name_database(url: URL) -> str:
    """The path or address of a database, without its password."""
    if url.get_backend_name() == "sqlite" and url.database:
        return url.database
    return url.set(query={}).render_as_string(hide_password=True)


def _build_failure(known: _Known, url: URL) -> PortFailure:
    failure, what = known
    place = name_database(url)
    shown = place if len(place) <= _SHOWN else f"…{place[-_SHOWN:]}"
    return failure(f"The memory {shown} {what}.", resource=place)


def _classify_sqlite_error(cause: sqlite3.Error, url: URL) -> _Known | None:
    message = str(cause)
    if message.startswith("no such") or "has no column" in message:  # SQLite has no code for these
        return _STRANGE
    # An extended code carries the primary one in its lowest byte.
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    is_short = code == sqlite3.SQLITE_CANTOPEN and atomic.is_writable(Path(url.database or ""))
    if code in _PASSING or is_short:
        return unavailable, f"cannot be used now ({message})"
    if code in _LASTING:
        return (
            invalid,
            f"cannot be used ({message}): mend it, or move it away and a new one is begun",
        )
    return None


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
