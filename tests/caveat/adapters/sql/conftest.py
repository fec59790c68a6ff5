from pathlib import Path

import pytest

from caveat.contracts.contradiction import RulingRecord
from tests.fakes.disputes import a_ruling_record
from tests.fakes.postgresql import PostgreSql


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A file that does not exist yet, in a folder that does."""
    return tmp_path / "memory.db"


@pytest.fixture
def sqlite_url(database: Path) -> str:
    return f"sqlite:///{database}"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("sql"))])
def url(request: pytest.FixtureRequest) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("sqlite_url"))
    server: PostgreSql = request.getfixturevalue("postgresql")
    return server.new_database()


@pytest.fixture
def record() -> RulingRecord:
    return a_ruling_record("both", reason="They measure “different” epochs — both hold.")
