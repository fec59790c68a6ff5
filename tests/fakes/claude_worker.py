"""A worker process that a test can kill: what production wires, with a door before two rooms."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from temporalio.client import Client

from caveat.adapters.claude.messages.capabilities import ANTHROPIC
from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.report import ReportStatus
from caveat.workers.data import build_data_converter
from caveat.workers.models import note
from caveat.workers.settings import Settings
from caveat.workers.wiring import build_registry, choose_ports
from caveat.workers.worker import serve_runs
from tests.fakes.messages_api import KEY

SLOW_READ = "Railings"  # the source whose reading is held until the test has killed it

READING, PUBLISHING = "reading", "publishing"


@dataclass(frozen=True)
class Door:
    """Stays closed until a test opens it, who is told that somebody stands before it."""

    folder: Path
    name: str

    @property
    def is_reached(self) -> bool:
        return (self.folder / f"{self.name}-reached").exists()

    def open(self) -> None:
        (self.folder / f"{self.name}-open").touch()

    async def passed(self) -> None:
        (self.folder / f"{self.name}-reached").touch()
        while not (self.folder / f"{self.name}-open").exists():  # noqa: ASYNC110  # told by another process
            await asyncio.sleep(0.05)


@dataclass(frozen=True)
class Slow:
    """A port one of whose methods waits behind a door for what is such."""

    port: Any
    method: str
    is_such: Callable[[Any], bool]
    door: Door

    def __getattr__(self, name: str) -> Any:
        real = getattr(self.port, name)

        async def held(first: Any, *rest: Any) -> Any:
            if self.is_such(first):
                await self.door.passed()
            return await real(first, *rest)

        return held if name == self.method else real


def debating_teams(folder: Path) -> Path:
    """Write a configuration folder whose default team debates; return it."""
    teams = folder / "teams"
    teams.mkdir(parents=True, exist_ok=True)
    team = "debate = true\n[quorum]\nminimum_share = 0.5\npenalty = 0.1\n"
    (teams / "general.toml").write_text(team, encoding="utf-8")
    return folder


def settings(folder: Path, messages_api: str) -> Settings:
    """What a user sets who has a key, and whose teams debate."""
    made = Settings(
        config_dir=debating_teams(folder),
        state_dir=folder / "state",
        cache_dir=folder / "cache",
        ANTHROPIC_API_KEY=SecretStr(KEY),
        ANTHROPIC_BASE_URL=messages_api,
    )
    note(made, ANTHROPIC)
    return made


async def serve(address: str, folder: Path, messages_api: str) -> None:
    chosen = settings(folder, messages_api)
    wired = choose_ports(chosen)
    library: Any = Slow(
        wired.library, "read", lambda source: source.title == SLOW_READ, Door(folder, READING)
    )
    reports: Any = Slow(
        wired.reports,
        "publish",
        lambda report: report.status is ReportStatus.FINAL,
        Door(folder, PUBLISHING),
    )
    slow = replace(wired, library=library, reports=reports)
    client = await Client.connect(
        address, data_converter=build_data_converter(FolderBlobs(chosen.payloads_folder))
    )
    async with serve_runs(client, build_registry(slow)):
        await asyncio.Event().wait()


def main(address: str, folder: str, messages_api: str) -> None:
    asyncio.run(serve(address, Path(folder), messages_api))
