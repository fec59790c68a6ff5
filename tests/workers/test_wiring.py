"""The settings choose the memory."""

import datetime as dt

import pytest
from pydantic import SecretStr

from caveat.clients.lookup import recalled
from caveat.clients.problems import NoSuchRun
from caveat.contracts.outcome import RunRecord
from caveat.workers.settings import Settings, SettingsProblem
from caveat.workers.wiring import memory
from standins.postgresql import PostgreSql
from tests.fakes.databases import count

NOON = dt.datetime(2026, 3, 29, 12, tzinfo=dt.UTC)
RECORD = RunRecord(run_id="research-x-000000", topic="t", ending=None, started=NOON, finished=NOON)


def with_memory(settings: Settings, url: str) -> Settings:
    return settings.model_copy(update={"memory_url": SecretStr(url)})


async def test_without_an_address_memory_is_a_file_in_the_state_folder(settings: Settings) -> None:
    await memory(settings).remember(RECORD)
    assert count(f"sqlite:///{settings.memory_database}", "runs") == 1


async def test_with_an_address_memory_is_there_alone(
    settings: Settings, postgresql: PostgreSql
) -> None:
    url = postgresql.new_database()
    await memory(with_memory(settings, url)).remember(RECORD)
    assert count(url, "runs") == 1
    assert not settings.state_dir.exists()


async def test_a_client_without_a_state_folder_asks_the_database(
    settings: Settings, postgresql: PostgreSql
) -> None:
    far = with_memory(settings, postgresql.new_database())
    await memory(far).remember(RECORD)
    assert await recalled(far, NoSuchRun("Nobody knows it."), RECORD.run_id) == RECORD


def test_an_address_that_cannot_remember_is_named_by_its_variable(settings: Settings) -> None:
    with pytest.raises(SettingsProblem, match="CAVEAT_MEMORY_URL cannot be used") as problem:
        memory(with_memory(settings, "mysql://user:hunter2@host/db"))
    assert "SQLite or PostgreSQL, not mysql" in str(problem.value)
    assert "hunter2" not in str(problem.value)
