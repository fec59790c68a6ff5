"""The memory: runs, their failures and people's rulings in a SQL database."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection, Engine, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from caveat.adapters.sql import rows
from caveat.adapters.sql.engine import engine_for, is_current, reading, upgrade, writing
from caveat.adapters.sql.failures import place_of, translating
from caveat.adapters.sql.rows import DIALECTS
from caveat.contracts.contradiction import RulingRecord
from caveat.contracts.outcome import RunRecord
from caveat.failures import invalid

T = TypeVar("T")

_FILE = "sqlite:////var/lib/caveat/memory.db"
_EXAMPLE = f"postgresql://user:password@host/caveat or {_FILE}"


class SqlMemory:
    """Remembers runs and rulings in SQLite, or in PostgreSQL where its driver is installed.

    The tables are made when they are first needed. Processes may share a database.

    Args:
        url: where the database is, as SQLAlchemy writes it: `postgresql://user:password@host/name`
            or `sqlite:////folder/memory.db`, each part percent-encoded. The database, or the
            file's folder, must exist.
    """

    def __init__(self, url: str) -> None:
        self._url = _accepted(url)
        self._engine = engine_for(self._url)

    async def remember(self, record: RunRecord) -> None:
        """Keep a record; the same run kept again replaces what was kept."""
        await self._within(writing, partial(rows.write_run, record=record))

    async def recall(self, run_id: str) -> RunRecord | None:
        """Return what is kept of a run, None when nothing is."""
        return await self._within(reading, partial(rows.read_run, run_id=run_id))

    async def record_ruling(self, ruling: RulingRecord) -> RulingRecord:
        """Keep a person's ruling, and return the one of that number that is kept: the first."""
        return await self._within(writing, partial(rows.write_ruling, ruling=ruling))

    async def rulings_about(self, claimants: Sequence[str]) -> tuple[RulingRecord, ...]:
        """Return the rulings on claims of any of these claimants, by id, oldest first."""
        return await self._within(reading, partial(rows.rulings_about, claimants=claimants))

    async def _within(
        self,
        transaction: Callable[[Engine], AbstractContextManager[Connection]],
        work: Callable[[Connection], T],
    ) -> T:
        def done() -> T:
            with translating(self._url):
                self._prepare()
                with transaction(self._engine) as connection:
                    return work(connection)

        return await asyncio.to_thread(done)

    def _prepare(self) -> None:
        with reading(self._engine) as connection:
            if is_current(connection):
                return
        with writing(self._engine) as connection:
            upgrade(connection)


def _accepted(given: str) -> URL:
    try:
        url = make_url(given)
        _check_kind(url)
        url.get_dialect().import_dbapi()
    except (ArgumentError, NoSuchModuleError):
        # The text may hold a password, so it is not repeated.
        raise invalid(
            f"The memory's address is not a database URL such as {_EXAMPLE}.", resource="memory"
        ) from None
    except ModuleNotFoundError as error:
        raise invalid(
            f"The memory {place_of(url)} needs the Python package {error.name}, which is not "
            "installed; the extra caveat[postgres] brings psycopg.",
            resource=place_of(url),
        ) from None
    return url


def _check_kind(url: URL) -> None:
    kind = url.get_backend_name()
    if kind not in DIALECTS:
        raise invalid(
            f"The memory can be SQLite or PostgreSQL, not {kind}: give a URL such as {_EXAMPLE}.",
            resource=place_of(url),
        )
    if kind == "sqlite" and url.database in {None, "", ":memory:"}:
        raise invalid(
            f"A database in working memory forgets: give a file, such as {_FILE}.",
            resource=place_of(url),
        )
