"""A report checked again: against its texts, its own figures, and the seal of its run."""

import asyncio

from caveat.activities.keeping import snapshot_texts
from caveat.adapters.files.reports import KeptReports
from caveat.contracts.audit import Audit, Check, Finding, SealState
from caveat.contracts.report import Report
from caveat.failures import PortFailure
from caveat.ports import Snapshots
from caveat.rules.audit import audit as recomputed
from caveat.rules.audit import compared, seal_findings
from caveat.workers.blobs import blobs
from caveat.workers.settings import Settings


async def audited(report: Report, document: bytes, texts: Snapshots, settings: Settings) -> Audit:
    """Check a report.

    Args:
        report: the report.
        document: the JSON that it was read from.
        texts: where the texts of its sources are kept.
        settings: of this process, which say where the seal of its run may be kept.
    """
    known = await snapshot_texts(report, texts)
    found = await asyncio.to_thread(recomputed, report, known)
    reports = KeptReports(blobs(settings, settings.reports_folder))
    return await _sealed(found, report, document, reports)


async def _sealed(found: Audit, report: Report, document: bytes, store: KeptReports) -> Audit:
    """Add to an audit what the seal of the report's run says, as far as it is here."""
    try:
        seal = await store.seal(report.run_id)
        evidence = await store.evidence_digest(report.run_id)
    except PortFailure as broken:
        damaged = Finding(check=Check.SEAL, where="seal", message=broken.failure.message)
        changes = {"seal": SealState.NOT_HERE, "findings": (*found.findings, damaged)}
        return found.model_copy(update=changes)
    state = compared(report, document, seal)
    more = seal_findings(state, seal, evidence)
    return found.model_copy(update={"seal": state, "findings": (*found.findings, *more)})
