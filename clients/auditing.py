"""A report checked again: against its texts, its own figures, and the seal of its run."""

import asyncio
from contextlib import suppress
from pathlib import Path

from caveat.activities.report import read_snapshots
from caveat.adapters.documents.loaders import load
from caveat.adapters.files.reports import KeptReports
from caveat.contracts.audit import Audit, Check, Finding, SealState
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.failures import PortFailure
from caveat.ports import Snapshots
from caveat.problem import BadInput
from caveat.rendering.commands import format_command
from caveat.rules.audit.checks import audit as check_report
from caveat.rules.audit.seal import check_seal, hash_rendering, read_stamp
from caveat.workers.blobs import open_blobs
from caveat.workers.settings import Settings

SEALS = {
    SealState.MATCHES: "Seal: it is as its run published it.",
    SealState.DIFFERS: "Seal: it is not as its run published it.",
}


def seal_words(audit: Audit) -> str:
    sentences = SEALS.get(audit.seal or SealState.NOT_HERE) or (
        "Seal: not compared. No seal of this run is kept here: it ran on another machine or with "
        "another state folder, or what it kept was removed. Titles, times and the like could be "
        "changed unseen."
    )
    if not audit.is_of_other_rules:
        return sentences
    return (
        f"{sentences}\nIt has not been changed since, and it passed its audit: another version of "
        "Caveat wrote it, by rules that are not those of this one."
    )


async def audit_report(
    report: Report, texts: Snapshots, settings: Settings, corpus: Path | None = None
) -> Audit:
    """Check a report; a corpus stands for the texts of its sources that are not kept here."""
    known = await read_snapshots(report, texts)
    if corpus is not None:
        known |= await asyncio.to_thread(_read_again, report, known, corpus)
    store = KeptReports(open_blobs(settings, settings.reports_folder))
    try:
        seal = await store.seal(report.run_id)
        evidence = await store.hash_evidence(report.run_id)
    except PortFailure as broken:
        state, message = SealState.NOT_HERE, broken.failure.message
        findings: tuple[Finding, ...] = (Finding(check=Check.SEAL, where="seal", message=message),)
    else:
        state, findings = check_seal(report, seal, evidence)
    elsewhere = state is SealState.NOT_HERE
    audit = await asyncio.to_thread(check_report, report, known, elsewhere=elsewhere)
    return audit.model_copy(update={"seal": state, "findings": (*audit.findings, *findings)})


def _read_again(
    report: Report, known: dict[str, str | None], corpus: Path
) -> dict[str, str | None]:
    """Read the documents of sources whose texts are not kept, as far as the folder has them."""
    again: dict[str, str | None] = {}
    for source in report.sources:
        address, path = source.snapshot_sha256, source.path
        if address and path and known.get(address) is None:
            with suppress(PortFailure):  # its quotes are not compared, and that is said
                again[address] = load(corpus / path, within=corpus).snapshot.text
    return again


async def audit_rendering(
    document: bytes, chosen: Format, settings: Settings
) -> tuple[str, SealState, tuple[Finding, ...]]:
    """Check what somebody received by its seal and the run that it names."""
    marked = read_stamp(document)
    if marked is None:
        raise BadInput(
            "This is not a report as Caveat writes it: it carries no seal, or lost it. Ask for its "
            "`report.json`, which `caveat audit` checks word for word."
        )
    stamp, content = marked
    store = KeptReports(open_blobs(settings, settings.reports_folder))
    digest = hash_rendering(content)
    seal = await store.seal(stamp.run_id)
    if seal is None:
        message = (
            "It was changed after it was written, and where is known to the machine of its run."
        )
        slip = Finding(check=Check.SEAL, where=f"report.{chosen}", message=message)
        return stamp.run_id, SealState.NOT_HERE, () if digest == stamp.rendering else (slip,)
    if digest in seal.renderings:
        return stamp.run_id, SealState.MATCHES, ()
    again = f"It was changed: `{format_command('report', stamp.run_id)}` shows what was published."
    changed = Finding(check=Check.SEAL, where=f"report.{chosen}", message=again)
    return stamp.run_id, SealState.DIFFERS, (changed,)
