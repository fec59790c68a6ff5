"""Reports as files on this machine."""

from pathlib import Path

from caveat.adapters.press import READABLE, FilePress, folder_name, write
from caveat.contracts.outcome import Artifact, Evidence
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from clients.folders import absolute
from clients.problems import BadInput
from workers.settings import Settings

_REPORTS = "reports"
"""Where reports are written when no folder is named, below the current one."""


def report_folder(out: str | None, run_id: str) -> Path:
    """Say where the report of a run is written.

    Raises:
        BadInput: the folder that was named cannot be one.
    """
    if out is not None and out.strip() in {"", "-"}:
        raise BadInput(
            "--out names a folder, because a report is several files: `caveat report RUN --json` "
            "prints one on standard output."
        )
    return absolute(out if out is not None else f"{_REPORTS}/{folder_name(run_id)}")


def kept_folder(settings: Settings, run_id: str) -> Path | None:
    """Find the files that the worker wrote for a run, None when they are not on this machine."""
    folder = settings.reports_folder / folder_name(run_id)
    return folder if folder.is_dir() else None


async def kept_evidence(settings: Settings, run_id: str) -> Evidence:
    """Read back what the worker kept of a run on this machine.

    Raises:
        PortFailure: nothing is kept here, or it cannot be read.
    """
    return await FilePress(settings.reports_folder).evidence(run_id)


def write_report(report: Report, formats: tuple[Format, ...], folder: Path) -> tuple[Artifact, ...]:
    """Write a report into a folder.

    Raises:
        PortFailure: a file could not be written.
    """
    return write(report, folder, READABLE, formats)
