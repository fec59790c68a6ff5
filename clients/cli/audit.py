"""`caveat audit`: check a report's file again."""

import asyncio
from pathlib import Path

from rich.console import Console

from caveat.adapters.files.snapshots import FileSnapshots
from caveat.contracts.audit import Audit
from caveat.ports import Snapshots
from clients.auditing import audited, read_report
from clients.cli.console import print_json, say, stdout
from clients.cli.exits import ExitCode
from clients.folders import absolute, require_folder
from clients.progress import counted
from workers.settings import load
from workers.wiring import snapshots as own_snapshots


def audit(path: str, *, snapshots: str | None, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    report = read_report(Path(path))
    found = asyncio.run(audited(report, _snapshots(snapshots)))
    if as_json:
        print_json({"passed": found.passed, **found.model_dump(mode="json")})
    else:
        _tell(stdout(), found)
    return ExitCode.DONE if found.passed else ExitCode.FAILED


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
