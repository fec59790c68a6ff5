"""The dialects whose `INSERT` knows `ON CONFLICT`, in the same words."""

from typing import TYPE_CHECKING

from sqlalchemy import Connection, Table

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

    Insert = sqlite.Insert | postgresql.Insert

DIALECTS = frozenset({"sqlite", "postgresql"})
"""The databases that memory can be kept in."""


def insert_into(connection: Connection, table: Table) -> "Insert":
    """Begin an `INSERT` that may say what to do about a row that is there already."""
    # Each where it is used: the other one takes a tenth of a second that every command would wait.
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert  # noqa: PLC0415  # see above

        return insert(table)
    from sqlalchemy.dialects.sqlite import insert as insert_here  # noqa: PLC0415  # see above

    return insert_here(table)
