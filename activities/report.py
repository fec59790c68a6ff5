"""What outlives tasks and runs: reports, what they rest on, the runs' records, the rulings."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from temporalio import activity

from caveat.activities.subagent import Attempt, declare_subagent
from caveat.contracts.contradiction import RulingRecord
from caveat.contracts.envelope import AgentType, FailureType, SubagentResult
from caveat.contracts.outcome import Artifact, Evidence
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.contracts.tasks import (
    Audited,
    AuditTask,
    KeepingTask,
    PublicationTask,
    RecallTask,
    RulingsTask,
    RulingTask,
    Task,
)
from caveat.failures import PortFailure
from caveat.ports import Memory, ReportStore, Signatures, Snapshots
from caveat.rules.audit.checks import remove_faults
from caveat.rules.report.assembly import assemble


@dataclass(frozen=True)
class ReportActivities:
    """Writes files through a store, and holds reports against the snapshots."""

    store: ReportStore
    snapshots: Snapshots

    @declare_subagent(AgentType.AUDITOR)
    async def audit(self, task: AuditTask, attempt: Attempt) -> SubagentResult[Audited]:
        """Make a report, and check its every quote, citation, number and ledger."""
        # A finding costs the sentences that it is about, and not the report. Here and not by the
        # coordinator: of thousands of claims it takes longer than a workflow task may.
        report = await asyncio.to_thread(assemble, task.material, task.synthesis)
        texts = await read_snapshots(report, self.snapshots)
        audited = await asyncio.to_thread(
            remove_faults, task.material, task.synthesis, report, texts
        )
        return attempt.wrap_result(audited)

    @declare_subagent(AgentType.PUBLISHER)
    async def publish(
        self, task: PublicationTask, attempt: Attempt
    ) -> SubagentResult[tuple[Artifact, ...]]:
        """Write a report in the formats that it names; one that fails costs no other."""
        formats = task.report.formats
        done = await self._publish(task.report, formats)
        files = tuple(file for file in done if isinstance(file, Artifact))
        if not files and Format.MARKDOWN not in formats:  # what anybody can read stands in
            done += await self._publish(task.report, (Format.MARKDOWN,))
            files = tuple(file for file in done if isinstance(file, Artifact))
        attempt.report(files or None, len(files) / len(done))
        for problem in done:
            if isinstance(problem, BaseException):
                raise problem
        return attempt.wrap_result(files)

    async def _publish(
        self, report: Report, formats: Sequence[Format]
    ) -> list[Artifact | BaseException]:
        execution = _get_execution()
        writing = (self.store.publish(report, file_format, execution) for file_format in formats)
        return await asyncio.gather(*writing, return_exceptions=True)

    @declare_subagent(AgentType.PUBLISHER)
    async def keep_evidence(self, task: KeepingTask, attempt: Attempt) -> SubagentResult[Artifact]:
        return attempt.wrap_result(await self.store.keep(task.evidence, _get_execution()))

    @declare_subagent(AgentType.ARCHIVIST)
    async def recall_evidence(self, task: RecallTask, attempt: Attempt) -> SubagentResult[Evidence]:
        return attempt.wrap_result(await self.store.read_evidence(task.run_id))


def _get_execution() -> str:
    return activity.info().workflow_run_id or ""


async def read_snapshots(report: Report, snapshots: Snapshots) -> dict[str, str | None]:
    """Open every snapshot that a report rests on, by address; None where it is not kept here."""
    texts: dict[str, str | None] = {}
    for source in report.sources:
        address = source.snapshot_sha256
        if address is None:
            continue
        try:
            texts[address] = (await snapshots.open(address)).text
        except PortFailure as error:
            if error.failure.failure_type is not FailureType.NOT_FOUND:
                raise
            texts[address] = None
    return texts


@dataclass(frozen=True)
class MemoryActivities:
    memory: Memory
    signatures: Signatures

    @declare_subagent(AgentType.ARCHIVIST)
    async def remember(self, task: Task, attempt: Attempt) -> SubagentResult[Any]:
        """Do nothing, for runs that began when memory kept a line of each, which nobody read."""
        return attempt.wrap_result("")

    @declare_subagent(AgentType.CLERK)
    async def record_ruling(
        self, task: RulingTask, attempt: Attempt
    ) -> SubagentResult[RulingRecord]:
        """Keep a person's ruling and return what is kept: the first of its number."""
        signed = task.signature is not None and self.signatures.is_valid(
            task.record, task.signature
        )
        record = task.record.model_copy(update={"signed": signed})
        return attempt.wrap_result(await self.memory.record_ruling(record))

    @declare_subagent(AgentType.CLERK)
    async def recall_rulings(
        self, task: RulingsTask, attempt: Attempt
    ) -> SubagentResult[tuple[RulingRecord, ...]]:
        """Return the rulings on claims of some claimants, oldest first; none is a success too."""
        return attempt.wrap_result(await self.memory.recall_rulings(task.claimants))
