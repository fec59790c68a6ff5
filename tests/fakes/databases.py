"""The truth about a memory's database, from outside."""

from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool


def count(url: str, table: str) -> int:
    with create_engine(url, poolclass=NullPool).connect() as connection:
        counted = text(f"SELECT count(*) FROM {table}")  # noqa: S608  # a name out of a test
        return int(connection.execute(counted).scalar_one())


def change(url: str, statement: str) -> None:
    with create_engine(url, poolclass=NullPool).begin() as connection:
        connection.execute(text(statement))
