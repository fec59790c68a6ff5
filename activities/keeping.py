"""What outlives tasks and runs: reports, what they rest on, the runs' records, the rulings."""

import asyncio
from dataclasses import dataclass, field
from typing import TypeVar

from caveat.activities.subagent import Attempt, apart, subagent
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import RulingRecord
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.failure import FailureType
from caveat.contracts.material import Held, Holdings, Material
from caveat.contracts.outcome import Artifact, Evidence, RunRecord
from caveat.contracts.report import Report
from caveat.contracts.source import Snapshot, SourceRef
from caveat.contracts.tasks import (
    Audited,
    AuditTask,
    HoldingTask,
    KeepingTask,
    MemoryTask,
    ProseTask,
    PublicationTask,
    RecallTask,
    RulingsTask,
    RulingTask,
)
from caveat.failures import PortFailure
from caveat.ports import Memory, ReportStore, Signatures, Snapshots
from caveat.rules.audit import audit
from caveat.rules.evidence import cited, every
from caveat.rules.report import assemble, synthesis_input

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


@dataclass(frozen=True)
class ReportActivities:
    """Writes files through a store, and holds reports against the snapshots.

    Attributes:
        store: writes and reads back.
        snapshots: what reports rest on.
        held: what large runs found.
    """

    store: ReportStore
    snapshots: Snapshots
    held: HeldEvidence

    @subagent(AgentType.ARCHIVIST, name="hold")
    async def hold(self, task: HoldingTask, attempt: Attempt) -> SubagentResult[Held]:
        """Keep what a large run found, and say where."""
        return attempt.done(await self.held.keep(task.holdings))

    @subagent(AgentType.AUDITOR, name="audit")
    async def audit(self, task: AuditTask, attempt: Attempt) -> SubagentResult[Audited]:
        """Make a report, and check its every quote, citation, number and ledger.

        Here and not by the coordinator: of thousands of claims it takes longer than a workflow
        task may.
        """
        material = await self.held.completed(task.material, task.held)
        report = await asyncio.to_thread(assemble, material, task.synthesis)
        texts = await snapshot_texts(report, self.snapshots)
        checked = await asyncio.to_thread(audit, report, texts)
        return attempt.done(Audited(report=report, audit=checked))

    @subagent(AgentType.PUBLISHER, name="publish")
    async def publish(
        self, task: PublicationTask, attempt: Attempt
    ) -> SubagentResult[tuple[Artifact, ...]]:
        """Write a report in the formats that it names."""
        return attempt.done(await self.store.publish(task.report))

    @subagent(AgentType.PUBLISHER, name="keep_evidence")
    async def keep_evidence(self, task: KeepingTask, attempt: Attempt) -> SubagentResult[Artifact]:
        """Write what a run found."""
        evidence = task.evidence
        if task.held is not None:
            holdings = await self.held.open(task.held)
            found = {"findings": holdings.findings, "shelf": holdings.shelf}
            evidence = evidence.model_copy(update=found)
        return attempt.done(await self.store.keep(evidence))

    @subagent(AgentType.ARCHIVIST, name="recall_evidence")
    async def recall_evidence(self, task: RecallTask, attempt: Attempt) -> SubagentResult[Evidence]:
        """Return everything that an earlier run found."""
        return attempt.done(await self.store.evidence(task.run_id))


async def snapshot_texts(report: Report, snapshots: Snapshots) -> dict[str, str | None]:
    """Open every snapshot that a report rests on, by address; None where it is not kept here."""
    texts: dict[str, str | None] = {}
    for source in report.sources:
        if source.snapshot_sha256 is not None:
            texts[source.snapshot_sha256] = await _text(source.snapshot_sha256, snapshots)
    return texts


async def _text(address: str, snapshots: Snapshots) -> str | None:
    try:
        return (await snapshots.open(address)).text
    except PortFailure as error:
        if error.failure.failure_type is FailureType.NOT_FOUND:
            return None
        raise


@dataclass(frozen=True)
class MemoryActivities:
    """Keeps in memory and recalls from it.

    Attributes:
        memory: what remembers.
        signatures: says which rulings are this user's own.
    """

    memory: Memory
    signatures: Signatures

    @subagent(AgentType.ARCHIVIST, name="remember")
    async def remember(self, task: MemoryTask, attempt: Attempt) -> SubagentResult[RunRecord]:
        """Keep the record of a run and return what was kept."""
        await self.memory.remember(task.record)
        return attempt.done(task.record)

    @subagent(AgentType.CLERK, name="record_ruling")
    async def record_ruling(
        self, task: RulingTask, attempt: Attempt
    ) -> SubagentResult[RulingRecord]:
        """Keep a person's ruling and return what is kept: the first on its contradiction."""
        signed = task.signature is not None and self.signatures.holds(task.record, task.signature)
        record = task.record.model_copy(update={"signed": signed})
        return attempt.done(await self.memory.record_ruling(record))

    @subagent(AgentType.CLERK, name="recall_rulings")
    async def recall_rulings(
        self, task: RulingsTask, attempt: Attempt
    ) -> SubagentResult[tuple[RulingRecord, ...]]:
        """Return the rulings on claims of some claimants, oldest first; none is a success too."""
        return attempt.done(await self.memory.rulings_about(task.claimants))
