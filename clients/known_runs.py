"""The runs that this machine knows by name, whether or not a server runs: for the tab key.

Imports nothing of the domain, because a person waits with a finger on a key.
"""

import re
from contextlib import suppress
from pathlib import Path

_STARTED = "started"
_REPORTS = "reports"

_OFFERED = 200  # the newest so many: nobody reads more than a screen


_CHANGED = re.compile("-[0-9a-f]{8}$")
"""Ends a folder's name that is not the run's own, as of a schedule's runs: no command takes it."""


def locate_started_folder(state: Path) -> Path:
    """Name the folder with an empty file for each run that a command started."""
    return state / _STARTED


def note_started(state: Path, run_id: str) -> None:
    """Remember that a run was started; where that cannot be kept, it is offered once it ends."""
    with suppress(OSError):
        locate_started_folder(state).mkdir(mode=0o700, parents=True, exist_ok=True)
        (locate_started_folder(state) / run_id).touch(mode=0o600)


def list_newest_reports(reports: Path) -> list[Path]:
    """List the reports of a folder of runs, the newest first."""
    try:
        return sorted(reports.glob("*/report.json"), key=lambda each: -each.stat().st_mtime)
    except OSError:
        return []


def list_known_runs(state: Path) -> list[str]:
    """List the runs that were started here or left files here, the newest first."""
    found: dict[str, float] = {}
    for folder in (state / _REPORTS, locate_started_folder(state)):
        with suppress(OSError):
            for each in folder.iterdir():
                if not each.name.startswith(".") and not _CHANGED.search(each.name):
                    found[each.name] = each.stat().st_mtime
    newest = sorted(found, key=lambda name: -found[name])
    return newest[:_OFFERED]
