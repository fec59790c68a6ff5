"""Types of columns that hold the same on every database."""

import datetime as dt

from sqlalchemy import DateTime, Dialect, Text, TypeDecorator


class UtcDateTime(TypeDecorator[dt.datetime]):
    """A moment in UTC, aware in and out; SQLite keeps no zone, so UTC is put back on reading."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        """Turn any zone into UTC.

        Raises:
            ValueError: the moment has no zone, so it is not known when it was.
        """
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
