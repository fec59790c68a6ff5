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

OTHER_RULES = (
    "Since then nobody changed it, and it passed its audit: another version of Caveat wrote it, by "
    "rules that are not those of this one."
)
"""Said of a report where `is_of_other_rules`, behind that it is as its run published it."""


async def audited(
    report: Report, texts: Snapshots, settings: Settings, document: bytes | None = None
) -> Audit:
    """Check a report.

    Args:
        report: the report.
        texts: where the texts of its sources are kept.
        settings: of this process, which say where the seal of its run may be kept.
        document: the JSON that it was read from; None where it came from the server.
    """
    known = await snapshot_texts(report, texts)
    found = await asyncio.to_thread(recomputed, report, known)
    reports = KeptReports(blobs(settings, settings.reports_folder))
    # Only what was set: the server's has no field yet that came with a later version.
    came = document or report.model_dump_json(exclude_unset=True).encode()
    return await _sealed(found, report, came, reports)


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
