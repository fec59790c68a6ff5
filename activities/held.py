"""What large runs found, for the tasks that need all of it: read once, whichever of them ask."""

import asyncio
from dataclasses import dataclass, field
from typing import TypeVar

from caveat.activities.apart import apart
from caveat.contracts.claim import Claim
from caveat.contracts.material import Held, Holdings, Material
from caveat.contracts.source import Snapshot, SourceRef
from caveat.contracts.tasks import ProseTask
from caveat.ports import Snapshots
from caveat.rules.evidence import cited, every
from caveat.rules.report import synthesis_input

P = TypeVar("P", bound=ProseTask)

KEPT_S = 60.0
"""Seconds for which holdings stay in memory after they were last asked for: the next task of the
same run comes within that, and those of 5,000 sources are too large to stay for longer."""


@dataclass(eq=False)  # one store is no other, whatever both have read
class HeldEvidence:
    """Keeps what runs found with the snapshots, and reads it back.

    Attributes:
        snapshots: where it is kept.
    """

    snapshots: Snapshots
    _latest: tuple[str, Holdings] | None = None
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    _forgetting: asyncio.TimerHandle | None = None

    async def keep(self, holdings: Holdings) -> Held:
        """Keep everything that a run found, and say where."""
        text = await apart(holdings.model_dump_json)
        address = await self.snapshots.keep(Snapshot(text=text))
        return Held(address=address, characters=len(text))

    async def open(self, held: Held) -> Holdings:
        """Return everything that a run found.

        Raises:
            PortFailure: it is not there any more.
        """
        async with self._reading:
            if self._latest is None or self._latest[0] != held.address:
                self._latest = None  # before the next is read, so that both are never there
                text = (await self.snapshots.open(held.address)).text
                self._latest = (held.address, await apart(Holdings.model_validate_json, text))
            if self._forgetting is not None:
                self._forgetting.cancel()
            self._forgetting = asyncio.get_running_loop().call_later(KEPT_S, self._forget)
            return self._latest[1]

    def _forget(self) -> None:
        self._latest = None

    async def shown(self, held: Held) -> tuple[tuple[Claim, ...], tuple[SourceRef, ...]]:
        """Return every claim of a run once, and their sources."""
        holdings = await self.open(held)
        claims = every(holdings.findings)
        return claims, tuple(cited(claims, holdings.shelf).values())

    async def completed(self, material: Material, held: Held | None) -> Material:
        """Return what a report is assembled from with everything that was found."""
        if held is None:
            return material
        holdings = await self.open(held)
        found = {"findings": holdings.findings, "shelf": holdings.shelf}
        return material.model_copy(update=found)

    async def with_claims(self, task: P) -> P:
        """Return a task of writing with the claims that it is to write from."""
        if task.held is None or task.material is None:
            return task
        material = await self.completed(task.material, task.held)
        shown = {"evidence": await apart(synthesis_input, material), "material": None}
        return task.model_copy(update=shown)
