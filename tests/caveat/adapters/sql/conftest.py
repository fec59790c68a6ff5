import datetime as dt
from pathlib import Path

import pytest

from caveat.contracts.outcome import Ending, RunRecord
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
def record() -> RunRecord:
    return RunRecord(
        run_id="research-hubble-3f9a1c",
        topic="How fast is the universe expanding — “really”?",
        ending=Ending.INSUFFICIENT_EVIDENCE,
        started=dt.datetime(2026, 3, 29, 0, 59, 59, 999_999, tzinfo=dt.UTC),
        finished=dt.datetime(2026, 3, 29, 1, 30, tzinfo=dt.UTC),
        confidence=0.1 + 0.2,
    )
