"""The auditor: holds a report against the snapshots."""

import asyncio
from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.audit import Audit
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.failure import FailureType
from caveat.contracts.report import Report
from caveat.contracts.tasks import AuditTask
from caveat.failures import PortFailure
from caveat.ports import Snapshots
from caveat.rules.audit import audit


@dataclass(frozen=True)
class Auditor:
    """Applies the audit rules; its own work is only to open the snapshots."""

    snapshots: Snapshots

    @activity.defn(name="audit")
    @subagent(AgentType.AUDITOR)
    async def audit(self, task: AuditTask) -> SubagentResult[Audit]:
        """Check every quote, citation, number and ledger of a report."""
        texts = await snapshot_texts(task.report, self.snapshots)
        return done(AgentType.AUDITOR, task, await asyncio.to_thread(audit, task.report, texts))


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
