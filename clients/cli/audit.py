"""`caveat audit`: check a report's file again."""

import asyncio
import os
from pathlib import Path

from rich.console import Console

from caveat.adapters.files.snapshots import FileSnapshots
from caveat.contracts.audit import Audit
from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from caveat.ports import Snapshots
from clients.auditing import audited, read_report
from clients.cli.console import print_json, say, stdout
from clients.cli.exits import ExitCode
from clients.cli.looking import look_up
from clients.folders import absolute, require_folder
from clients.problems import BadInput, NoResult
from clients.progress import counted
from clients.standings import Standing
from workers.settings import load
from workers.wiring import snapshots as own_snapshots


def audit(path: str, *, snapshots: str | None, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    report = _report(path)
    found = asyncio.run(audited(report, _snapshots(snapshots)))
    if as_json:
        print_json({"passed": found.passed, **found.model_dump(mode="json")})
    else:
        _tell(stdout(), found)
    return ExitCode.DONE if found.passed else ExitCode.FAILED


def _report(typed: str) -> Report:
    """Read the report of a file, or that of a run where no such file exists."""
    path = Path(typed)
    try:
        return read_report(path)
    except BadInput:
        if typed.strip() and (os.sep in typed or path.suffix or path.exists()):
            raise  # meant as a file
    closed = look_up(typed, load(), provisionally=True).stands
    if isinstance(closed, Standing):
        if isinstance(closed.closed, Outcome):
            return closed.closed.report
        if closed.report is not None:
            return closed.report
    raise NoResult(f"There is no report of {typed}, and no file of that name.")


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
