"""The dialects whose `INSERT` knows `ON CONFLICT`, in the same words."""

from collections.abc import Callable

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

Insert = sqlite.Insert | postgresql.Insert

_INSERTS: dict[str, Callable[[Table], Insert]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}

DIALECTS = frozenset(_INSERTS)
"""The databases that memory can be kept in."""


def insert_into(connection: Connection, table: Table) -> Insert:
    """Begin an `INSERT` that may say what to do about a row that is there already."""
    return _INSERTS[connection.dialect.name](table)
