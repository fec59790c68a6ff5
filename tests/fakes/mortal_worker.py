"""A worker process that a test can kill: scripted ports that take their time, snapshots on disk."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from temporalio.client import Client

from caveat.adapters.files.blobs import FolderBlobs
from caveat.adapters.files.snapshots import KeptSnapshots
from caveat.workers.data import build_data_converter
from caveat.workers.wiring import build_registry
from caveat.workers.worker import serve_runs
from tests.fakes.ports import Page, World, ports_of
from tests.fakes.worlds import one_sided

PAGES = 12
HELD = frozenset({"read page 3", "analyse page 8"})
"""One page an angle holds the run in the middle, where the test kills."""

GO = "go"  # the file that lets them go on


@dataclass
class LoggedWorld(World):
    """A world that writes what was begun to a file, since its process will not live to tell."""

    log: Path = Path()

    async def work(self, kind: str, key: str) -> None:
        with self.log.open("a", encoding="utf-8") as file:
            file.write(f"{kind} {key}\n")
        while f"{kind} {key}" in HELD and not (self.log.parent / GO).exists():  # noqa: ASYNC110  # told by another process
            await asyncio.sleep(0.05)
        await super().work(kind, key)


async def serve(address: str, folder: Path) -> None:
    names = [f"page {number}" for number in range(1, PAGES + 1)]
    world = LoggedWorld(
        pages=[Page(name, one_sided(number)) for number, name in enumerate(names, start=1)],
        angles={"Alpha width": ("alpha",), "Beta cases": ("beta",)},
        answers={"alpha": tuple(names[:6]), "beta": tuple(names[6:])},
        log=folder / "calls.log",
        uses_model=True,
    )
    client = await Client.connect(
        address, data_converter=build_data_converter(FolderBlobs(folder / "payloads"))
    )
    ports = replace(ports_of(world), snapshots=KeptSnapshots(FolderBlobs(folder / "snapshots")))
    async with serve_runs(client, build_registry(ports)):
        await asyncio.Event().wait()


def main(address: str, folder: str) -> None:
    asyncio.run(serve(address, Path(folder)))
