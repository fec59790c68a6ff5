import pytest
from sqlalchemy import inspect, make_url

from caveat.adapters.sql.memory import SqlMemory, make_engine, make_tables, name_database
from caveat.contracts.outcome import RunRecord
from caveat.failures import PortFailure
from tests.fakes.databases import change


def test_half_of_the_tables_are_none(url: str) -> None:
    engine = make_engine(make_url(url))

    def make_and_crash() -> None:
        with engine.begin() as connection:
            make_tables(connection)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_and_crash()
    assert inspect(engine).get_table_names() == []


@pytest.mark.parametrize(
    "statement",
    ["ALTER TABLE runs RENAME COLUMN record TO note", "ALTER TABLE runs RENAME TO marathons"],
)
async def test_other_versions_are_left_alone(statement: str, url: str, record: RunRecord) -> None:
    memory = SqlMemory(url)
    await memory.remember(record)
    change(url, statement)
    with pytest.raises(PortFailure, match="of another version of Caveat") as caught:
        await memory.remember(record)
    assert caught.value.failure.resource == name_database(make_url(url))
