"""`caveat audit`: check a report's file again."""

import asyncio
import os
from pathlib import Path

from rich.console import Console

from caveat.adapters.files.snapshots import FileSnapshots
from caveat.adapters.press import FilePress
from caveat.contracts.audit import Audit
from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from caveat.contracts.seal import SealState
from caveat.ports import Snapshots
from clients.auditing import audited, read_report, sealed
from clients.cli.console import print_json, say, stdout
from clients.cli.exits import ExitCode
from clients.cli.looking import look_up
from clients.folders import absolute, require_folder
from clients.problems import BadInput, NoResult
from clients.progress import counted
from clients.standings import Standing
from workers.settings import Settings, load
from workers.wiring import snapshots as own_snapshots


def audit(path: str, *, snapshots: str | None, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    report, document = _report(path)
    settings = load()
    found = asyncio.run(_audited(report, document, _snapshots(snapshots), settings))
    if as_json:
        print_json({"passed": found.passed, **found.model_dump(mode="json")})
    else:
        _tell(stdout(), found)
        say(stdout(), _SEALS[found.seal or SealState.NOT_HERE].format(where=settings.state_dir))
    return ExitCode.DONE if found.passed else ExitCode.FAILED


def _report(typed: str) -> tuple[Report, bytes]:
    """Read the report of a file, or that of a run where no such file exists."""
    if not typed.strip():
        raise BadInput("Name a report's JSON file, or a run.")
    path = Path(typed)
    try:
        return read_report(path)
    except BadInput:
        # With a separator or an ending, or where it is a folder, a file is meant.
        if os.sep in typed or path.suffix or os.path.lexists(path):
            raise
    closed = look_up(typed, load(), provisionally=True).stands
    if isinstance(closed, Standing):
        report = closed.closed.report if isinstance(closed.closed, Outcome) else closed.report
        if report is not None:
            return report, report.model_dump_json().encode()
    raise NoResult(f"There is no report of {typed}, and no file of that name.")


async def _audited(report: Report, document: bytes, texts: Snapshots, settings: Settings) -> Audit:
    found = await audited(report, texts)
    return await sealed(found, report, document, FilePress(settings.reports_folder))


_SEALS = {
    SealState.MATCHES: "Seal: it is as its run published it.",
    SealState.DIFFERS: "Seal: it is not as its run published it.",
    SealState.NOT_HERE: (
        "Seal: not compared. {where} keeps no seal of this run: it ran on another machine or with "
        "another state folder, or what it kept was removed. Titles, times and the like could be "
        "changed unseen."
    ),
    SealState.NEVER_SEALED: (
        "Seal: none. The report was written by a version that did not seal, and does not hold what "
        "its confidence, limitations and metrics are made of: they were not computed anew."
    ),
}


def _snapshots(folder: str | None) -> Snapshots:
    if folder is None:
        return own_snapshots(load())
    chosen = absolute(folder)
    require_folder(chosen)
    return FileSnapshots(chosen)


def _tell(console: Console, found: Audit) -> None:
    for finding in found.findings:
        say(console, f"{finding.check}  {finding.where}: {finding.message}", "red")
    verdict = "passed" if found.passed else counted(len(found.findings), "finding")
    say(
        console,
        f"Audit: {verdict} · checked {counted(found.quotes, 'quote')}, "
        f"{counted(found.citations, 'citation')}, {counted(found.numbers, 'number')}, "
        f"{counted(found.steps, 'confidence step')}, "
        f"{counted(found.contradictions, 'contradiction')} · "
        f"{found.coverage:.0%} of factual sentences cited",
        "bold",
    )
