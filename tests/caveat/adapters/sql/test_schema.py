import pytest
from sqlalchemy import Engine, inspect, make_url

from caveat.adapters.sql.engine import engine_for, reading, upgrade, writing
from caveat.adapters.sql.failures import place_of
from caveat.adapters.sql.memory import SqlMemory
from caveat.contracts.outcome import RunRecord
from caveat.failures import PortFailure
from tests.fakes.databases import change, count


@pytest.fixture
def engine(url: str) -> Engine:
    return engine_for(make_url(url))


async def test_making_the_tables_again_keeps_what_is_there(
    url: str, engine: Engine, record: RunRecord
) -> None:
    memory = SqlMemory(url)
    await memory.remember(record)
    with writing(engine) as connection:
        upgrade(connection)
    assert await memory.recall(record.run_id) == record
    assert count(url, "caveat_schema") == 1


def test_half_of_the_tables_are_none(engine: Engine) -> None:
    def make_and_crash() -> None:
        with writing(engine) as connection:
            upgrade(connection)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_and_crash()
    with reading(engine) as connection:
        assert inspect(connection).get_table_names() == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE caveat_schema SET version = 9999",
        "ALTER TABLE caveat_schema RENAME COLUMN version TO v",
        "ALTER TABLE runs RENAME COLUMN record TO note",
        "ALTER TABLE runs RENAME TO marathons",
        "UPDATE runs SET record = '{}'",
    ],
)
async def test_a_database_of_another_version_is_left_alone(
    statement: str, url: str, record: RunRecord
) -> None:
    memory = SqlMemory(url)
    await memory.remember(record)
    change(url, statement)
    with pytest.raises(PortFailure, match="of another version of Caveat") as caught:
        await memory.recall(record.run_id)
    assert caught.value.failure.resource == place_of(make_url(url))
