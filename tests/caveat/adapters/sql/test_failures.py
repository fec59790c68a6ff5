import asyncio
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import ProgrammingError

from caveat.adapters.sql import memory
from caveat.adapters.sql.memory import SqlMemory, translate_errors
from caveat.contracts.contradiction import RulingRecord
from caveat.contracts.envelope import Failure, FailureCategory, FailureType
from caveat.failures import PortFailure
from tests.fakes.free_ports import free_port

SQL_WORDS = ("SELECT", "INSERT", "BEGIN", "PRAGMA", "sqlite3", "sqlalche.me", "errno")


def remember(url: str, record: RulingRecord) -> None:
    asyncio.run(SqlMemory(url).record_ruling(record))


def failure_of(url: str, record: RulingRecord) -> Failure:
    """What remembering fails with, in words that are ours."""
    with pytest.raises(PortFailure) as caught:
        remember(url, record)
    failure = caught.value.failure
    assert not [word for word in SQL_WORDS if word in failure.message]
    return failure


def assert_never_works(failure: Failure, database: Path) -> None:
    assert failure.failure_type is FailureType.PERMANENT
    assert failure.category is FailureCategory.VALIDATION
    assert not failure.retry_recommended
    assert failure.resource == str(database)
    assert str(database)[-100:] in failure.message


def test_a_locked_database_is_unavailable(
    database: Path, sqlite_url: str, record: RulingRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(sqlite_url, record)
    monkeypatch.setattr(memory, "BUSY_S", 0.05)
    writer = sqlite3.connect(database, isolation_level=None)
    try:
        writer.execute("BEGIN IMMEDIATE")
        failure = failure_of(sqlite_url, record)
    finally:
        writer.close()
    assert failure.failure_type is FailureType.UNAVAILABLE
    assert failure.retry_recommended
    assert "database is locked" in failure.message
    remember(sqlite_url, record)


def test_read_only_database_is_refused(
    database: Path, sqlite_url: str, record: RulingRecord
) -> None:
    remember(sqlite_url, record)
    another = record.model_copy(update={"number": 2})
    failure = failure_of(f"sqlite:///file:{database}?mode=ro&uri=true", another)
    assert failure.category is FailureCategory.VALIDATION
    assert "readonly" in failure.message


def test_other_files_are_left_alone(database: Path, sqlite_url: str, record: RulingRecord) -> None:
    database.write_bytes(b"not a database " * 1_000)
    failure = failure_of(sqlite_url, record)
    assert_never_works(failure, database)
    assert "file is not a database" in failure.message
    assert database.read_bytes() == b"not a database " * 1_000


def test_a_damaged_database_is_named(database: Path, sqlite_url: str, record: RulingRecord) -> None:
    remember(sqlite_url, record)
    content = bytearray(database.read_bytes())
    # Behind the header of 100 bytes: SQLite still takes it for its own.
    content[100:] = b"\xa5" * (len(content) - 100)
    database.write_bytes(content)
    failure = failure_of(sqlite_url, record)
    assert_never_works(failure, database)
    assert "malformed): mend it, or move it away" in failure.message


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("sqlite://", "must be the URL"),
        ("sqlite:///:memory:", "must be the URL"),
        ("no url, hunter2", "must be the URL"),
        ("sqlite+nothing:///memory.db", "must be the URL"),
        ("mysql://user:hunter2@host/db", "must be the URL"),
        ("postgresql+asyncpg://user:hunter2@host/db?sslpassword=hunter2", "package asyncpg"),
    ],
)
def test_a_url_that_cannot_remember_is_refused_without_its_password(url: str, says: str) -> None:
    with pytest.raises(PortFailure, match=says) as caught:
        SqlMemory(url)
    assert caught.value.failure.category is FailureCategory.VALIDATION
    assert "hunter2" not in caught.value.failure.model_dump_json()


PLACE = make_url("postgresql+psycopg://user:hunter2@host/db")


def test_what_nobody_foresaw_leaves_as_it_is() -> None:
    with pytest.raises(ProgrammingError), translate_errors(PLACE):
        raise ProgrammingError("SELECT", None, Exception("no such column"))


def test_a_port_that_nobody_listens_on_is_unavailable(record: RulingRecord) -> None:
    failure = failure_of(f"postgresql://user:hunter2@127.0.0.1:{free_port()}/db", record)
    assert failure.failure_type is FailureType.UNAVAILABLE
    assert failure.retry_recommended
    assert "hunter2" not in failure.model_dump_json()
