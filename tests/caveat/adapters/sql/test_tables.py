import datetime as dt

import pytest
from sqlalchemy import make_url
from sqlalchemy.schema import CreateTable

from caveat.adapters.sql.tables import METADATA, UtcDateTime

SQLITE = make_url("sqlite://").get_dialect()()
POSTGRESQL = make_url("postgresql://").get_dialect()()
NEW_YEAR = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        UtcDateTime().process_bind_param(NEW_YEAR.replace(tzinfo=None), SQLITE)


def test_a_moment_in_the_zone_of_a_session_comes_back_in_utc() -> None:
    local = NEW_YEAR.astimezone(dt.timezone(dt.timedelta(hours=-8)))
    back = UtcDateTime().process_result_value(local, POSTGRESQL)
    assert back is not None
    assert (back, back.tzinfo) == (NEW_YEAR, dt.UTC)


def test_tables_are_written_for_postgresql_too() -> None:
    ddl = "".join(
        str(CreateTable(table).compile(dialect=POSTGRESQL)) for table in METADATA.sorted_tables
    )
    assert ddl.count("TIMESTAMP WITH TIME ZONE") == 4
    assert "DOUBLE PRECISION" in ddl
    assert "JSON" in ddl
