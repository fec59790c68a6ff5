import datetime as dt
from pathlib import Path

import pytest

from caveat.contracts.envelope import AgentType
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.outcome import Ending, RunRecord
from caveat.contracts.report import Remedy, ReportedFailure
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
    """A run with every field used, and failures in an order that no column sorts."""
    return RunRecord(
        run_id="research-hubble-3f9a1c",
        topic="How fast is the universe expanding — “really”?",
        ending=Ending.INSUFFICIENT_EVIDENCE,
        started=dt.datetime(2026, 3, 29, 0, 59, 59, 999_999, tzinfo=dt.UTC),
        finished=dt.datetime(2026, 3, 29, 1, 30, tzinfo=dt.UTC),
        confidence=0.1 + 0.2,
        sources_read=12,
        claims=87,
        model_calls=41,
        tokens=2_500_000_000,
        cost_usd=12.5,
        failures=(
            ReportedFailure(
                task_id="read-s2",
                agent_type=AgentType.READER,
                task_description="Read “Planck 2018”",
                attempts=4,
                failure=Failure(
                    category=FailureCategory.TRANSIENT,
                    failure_type=FailureType.RATE_LIMITED,
                    message="The provider asks to wait.",
                    attempted=("GET /a", "GET /b"),
                    retry_recommended=True,
                    retry_after_s=1.5,
                    alternatives=("a copy",),
                    resource="https://example.org/a",
                    provider="example.org",
                ),
                completeness=0.25,
                remedy=Remedy.ALTERNATIVE,
                recovered=True,
            ),
            ReportedFailure(
                task_id="a1-search-1",
                agent_type=AgentType.SEARCHER,
                task_description="Search",
                attempts=1,
                failure=Failure(
                    category=FailureCategory.UNKNOWN,
                    failure_type=FailureType.PERMANENT,
                    message="No idea.",
                ),
            ),
        ),
    )
