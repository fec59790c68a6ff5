"""The schema: which revision a database is at, and how it comes to the newest."""

from sqlalchemy import Column, Connection, MetaData, String, Table, func, inspect, select

from caveat.adapters.sql.failures import written_by_newer

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008")
"""Every migration, oldest first; kept here so that looking needs no import of Alembic."""

HEAD = REVISIONS[-1]

_VERSION = Table("alembic_version", MetaData(), Column("version_num", String))

_LOCK_KEY = 0x636176656174
"""Of PostgreSQL's advisory locks: any number that no other program chose; this one is `caveat`."""


def is_current(connection: Connection) -> bool:
    """Whether the database is at the newest revision.

    Raises:
        PortFailure: it is at a revision that this Caveat does not know.
    """
    revision = _revision(connection)
    if revision is not None and revision not in REVISIONS:
        raise written_by_newer(connection.engine.url)
    return revision == HEAD


def upgrade(connection: Connection) -> None:
    """Bring the database to the newest revision, within the transaction of the connection.

    Of two workers that start at once, one migrates; the other waits, and Alembic finds it done.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_LOCK_KEY)))
    # Late, because it takes longer than everything else here and is needed once a database.
    from alembic import command  # noqa: PLC0415  # see above
    from alembic.config import Config  # noqa: PLC0415  # see above

    config = Config()
    config.set_main_option("script_location", "caveat.adapters.sql:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_VERSION.name):
        return None
    return connection.execute(select(_VERSION.c.version_num)).scalar()
