"""`caveat audit`: check a report's file again, without any server."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError
from rich.console import Console

from caveat.clients.auditing import SEALS, audit_rendering, audit_report, seal_words
from caveat.clients.cli.console import get_stdout, print_json, say
from caveat.clients.cli.runs import look_up, require_result
from caveat.clients.folders import require_folder, resolve_folder
from caveat.contracts.audit import Finding, SealState
from caveat.contracts.outcome import Outcome
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.problem import BadInput, ExitCode, NoResult
from caveat.rendering.amounts import format_count, list_checked
from caveat.rendering.mistakes import describe_first_mistake
from caveat.workers.blobs import open_snapshots
from caveat.workers.settings import load

_LARGEST = 11_000_000
"""Bytes: a report of 1,000 sources with twenty claims each has ten million, and what JSON of eleven
million unfolds to in memory stays below 500 MB."""

_LISTED = 200  # findings that a terminal lists; nobody reads more, and `--json` has all


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except FileNotFoundError:
        raise BadInput(f"There is no file {path}.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"The file {path} cannot be read: {str(reason).lower()}.") from None
    if len(content) > _LARGEST:
        raise BadInput(f"{path} is not a report: it is larger than {_LARGEST // 1_000_000} MB.")
    return content


_RENDERINGS = {".md": Format.MARKDOWN, ".html": Format.HTML, ".pdf": Format.PDF, ".bib": Format.BIB}
"""Endings of what people read, and are sent, in place of a report's JSON."""


def audit(path: str, *, corpus: str | None, as_json: bool) -> int:
    chosen = _RENDERINGS.get(Path(path).suffix.lower())
    if chosen is not None:
        return _audit_rendering(Path(path), chosen, as_json=as_json)
    if path.lower().endswith((f".{Format.CSV}", f".{Format.WORD}")):
        raise BadInput(
            f"{path} is in a format with no room for a seal. Check the `report.json` of its run."
        )
    report, settings, console = _report(path), load(), get_stdout()
    folder = None if corpus is None else require_folder(resolve_folder(corpus))
    result = asyncio.run(audit_report(report, open_snapshots(settings), settings, folder))
    if as_json:
        checked = {"passed": result.passed, "is_of_other_rules": result.is_of_other_rules}
        print_json({**checked, **result.model_dump(mode="json")})
        return ExitCode.DONE if result.passed else ExitCode.FAILED
    _list(console, result.findings)
    verdict = "passed" if result.passed else format_count(len(result.findings), "finding")
    cited = f"{result.coverage:.0%} of factual sentences cited"
    say(console, f"Audit: {verdict} · checked {list_checked(result)} · {cited}", "bold")
    if result.uncompared:
        quotes = format_count(result.uncompared, "quote")
        where = "whose sources' texts the machine of the run keeps"
        remedy = "`--corpus DIR` compares them with the documents themselves"
        say(console, f"Not compared: {quotes}, {where}; {remedy}.", "yellow")
    for line in seal_words(result).splitlines():
        say(console, line)
    return ExitCode.DONE if result.passed else ExitCode.FAILED


def _audit_rendering(path: Path, chosen: Format, *, as_json: bool) -> int:
    document, settings = _read(path), load()
    run_id, state, findings = asyncio.run(audit_rendering(document, chosen, settings))
    passed = not findings
    if as_json:
        listed = [each.model_dump(mode="json") for each in findings]
        print_json({"passed": passed, "run_id": run_id, "seal": state, "findings": listed})
    else:
        _list(get_stdout(), findings)
        verdict = "passed" if passed else format_count(len(findings), "change")
        say(get_stdout(), f"Audit of what {run_id} published: {verdict}", "bold")
        where = settings.blobs or settings.state_dir
        sentence = SEALS.get(state) or (
            f"Seal: {where} keeps none of this run, so Caveat compared only what the file says of "
            "itself. A person who changes the file can write that anew. The machine of its run can "
            "tell, and its report.json can be checked anywhere."
        )
        say(get_stdout(), sentence)
        if state is SealState.MATCHES:
            say(get_stdout(), f"`caveat audit {run_id}` checks its quotes and numbers.")
    return ExitCode.DONE if passed else ExitCode.FAILED


def _report(typed: str) -> Report:
    """Read the report of a file, or that of a run where no such file exists."""
    if not typed.strip():
        raise BadInput("Name a report's JSON file, or a run.")
    path = Path(typed)
    try:
        try:
            return Report.model_validate_json(_read(path))
        except ValidationError as error:
            raise BadInput(f"{path} is not a report: {describe_first_mistake(error)}.") from None
    except BadInput:
        # With a separator or an ending, or where it is a folder, a file is meant.
        if os.sep in typed or path.suffix or os.path.lexists(path):
            raise
    stands = look_up(typed, load())
    closed = require_result(stands)
    if isinstance(closed, Outcome):
        return closed.report
    raise NoResult(f"There is no report of {stands.run_id}. {closed.message}")


def _list(console: Console, findings: Sequence[Finding]) -> None:
    for finding in findings[:_LISTED]:
        say(console, f"{finding.check}  {finding.where}: {finding.message}", "red")
    if len(findings) > _LISTED:
        say(console, f"… and {len(findings) - _LISTED:,} more, which --json lists", "red")
