from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, make_url

from caveat.adapters.sql.engine import (
    REVISIONS,
    engine_for,
    is_current,
    reading,
    upgrade,
    writing,
)
from caveat.adapters.sql.failures import place_of
from caveat.adapters.sql.memory import SqlMemory
from caveat.adapters.sql.tables import METADATA
from caveat.contracts.outcome import RunRecord
from caveat.failures import PortFailure
from tests.fakes.databases import change


@pytest.fixture
def engine(url: str) -> Engine:
    return engine_for(make_url(url))


def config() -> Config:
    made = Config()
    made.set_main_option("script_location", "caveat.adapters.sql:migrations")
    return made


def differences(engine: Engine) -> list[object]:
    with reading(engine) as connection:
        return list(compare_metadata(MigrationContext.configure(connection), METADATA))


def test_the_known_revisions_are_the_migrations_that_are_shipped() -> None:
    scripts = ScriptDirectory.from_config(config())
    shipped = [script.revision for script in scripts.walk_revisions()]
    assert tuple(reversed(shipped)) == REVISIONS


async def test_the_models_and_the_migrated_schema_agree(url: str, engine: Engine) -> None:
    await SqlMemory(url).recall("none")
    assert differences(engine) == []


async def test_a_difference_between_models_and_schema_is_found(url: str, engine: Engine) -> None:
    await SqlMemory(url).recall("none")
    change(url, "ALTER TABLE runs DROP COLUMN claims")
    assert len(differences(engine)) == 1


def test_an_empty_file_is_migrated(database: Path, sqlite_url: str) -> None:
    database.touch()
    engine = engine_for(make_url(sqlite_url))
    with writing(engine) as connection:
        upgrade(connection)
    with reading(engine) as connection:
        assert is_current(connection)


async def test_migrating_again_keeps_what_is_there(
    url: str, engine: Engine, record: RunRecord
) -> None:
    memory = SqlMemory(url)
    await memory.remember(record)
    with writing(engine) as connection:
        upgrade(connection)
    assert await memory.recall(record.run_id) == record


def test_half_a_migration_leaves_nothing(engine: Engine) -> None:
    def migrate_and_crash() -> None:
        with writing(engine) as connection:
            upgrade(connection)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        migrate_and_crash()
    with reading(engine) as connection:
        assert inspect(connection).get_table_names() == []


async def test_a_database_of_a_newer_caveat_is_left_alone(url: str, record: RunRecord) -> None:
    memory = SqlMemory(url)
    await memory.remember(record)
    change(url, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(PortFailure, match="newer Caveat") as caught:
        await memory.remember(record)
    assert caught.value.failure.resource == place_of(make_url(url))
