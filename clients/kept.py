"""Runs that have ended and whose files are on this machine: read without any server."""

import re
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from caveat.contracts.base import Contract
from caveat.contracts.outcome import Ending, Evidence, NamedEnd, Outcome
from caveat.contracts.progress import Phase
from caveat.contracts.report import Report, ReportStatus
from clients.standings import RunLine, RunStatus, Standing
from workers.settings import Settings

T = TypeVar("T", bound=Contract)

_GIVEN_ONCE = re.compile(r"research-[a-z0-9-]+-[0-9a-f]{6}(-revision-[0-9]+)?")
"""Ids that this program made up, and that no second run has: whoever starts runs by other means may
use an id again, and then its files may be those of the run before."""

_EVIDENCE = "evidence.json"
_REPORT = "report.json"


def kept_runs(settings: Settings) -> list[str]:
    """List the runs whose files a worker on this machine wrote, by name."""
    try:
        return sorted(each.name for each in settings.reports_folder.iterdir() if each.is_dir())
    except OSError:
        return []


def _path(settings: Settings, run_id: str) -> Path | None:
    path = settings.reports_folder / run_id / _REPORT
    return path if _GIVEN_ONCE.fullmatch(run_id) and path.is_file() else None


def kept_report(settings: Settings, run_id: str) -> Report | None:
    """Read the newest report that a worker on this machine wrote for a run, or None."""
    path = _path(settings, run_id)
    report = None if path is None else _read(path, Report)
    return report if report is not None and report.run_id == run_id else None


def kept_standing(settings: Settings, run_id: str) -> Standing | None:
    """Say how a run ended by what was kept of it; None where only a server can say."""
    kept = _evidence(settings, run_id)
    if kept is None or kept.started is None:
        return None
    closed = _closed(kept, settings)
    if closed is None:
        return None
    report = closed.report if isinstance(closed, Outcome) else None
    status, phase = RunStatus.FAILED, Phase.FAILED
    if report is not None:
        status, phase = RunStatus.COMPLETED, Phase.DONE
    elif kept.ending is Ending.CANCELLED:
        status, phase = RunStatus.CANCELLED, Phase.CANCELLED
    line = RunLine(
        run_id=run_id,
        topic=kept.topic,
        status=status,
        phase=phase,
        confidence=None if report is None else report.confidence.value,
        started=kept.started,
        closed=kept.created,
    )
    return Standing(line, closed=closed)


def _closed(kept: Evidence, settings: Settings) -> Outcome | NamedEnd | None:
    if kept.ending is not None:
        return NamedEnd(ending=kept.ending, message=kept.reason, failures=kept.failures)
    # Written last, so that it knows of what failed after the evidence was kept.
    report = kept_report(settings, kept.run_id)
    if report is None or report.status is not ReportStatus.FINAL:
        return None
    return Outcome(report=report)


def _evidence(settings: Settings, run_id: str) -> Evidence | None:
    if not _GIVEN_ONCE.fullmatch(run_id):
        return None
    kept = _read(settings.reports_folder / run_id / _EVIDENCE, Evidence)
    return kept if kept is not None and kept.run_id == run_id else None


def _read(path: Path, contract: type[T]) -> T | None:
    try:
        return contract.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
