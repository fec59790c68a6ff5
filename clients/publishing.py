"""Reports as files on this machine: where they may go, what was written, what is to follow."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from caveat import atomic
from caveat.adapters.files.artifacts import build_folder_name, write_artifact
from caveat.clients.folders import resolve_folder
from caveat.clients.problems import BadInput
from caveat.contracts.outcome import Artifact, Evidence
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.failures import PortFailure
from caveat.workers.blobs import open_blobs, open_snapshots
from caveat.workers.settings import Settings

_NAMES = tuple(f"report.{each}" for each in Format)
"""What a report is called in its folder, in any format: reports of two runs are never mixed."""

_PRIVATE = 0o700


@dataclass(frozen=True)
class Written:
    """Remembers which files were written for which run, by their content."""

    folder: Path  # a file a run, in the state folder

    def remember(self, run_id: str, files: Sequence[Artifact]) -> None:
        """Note what was written for a run; where that cannot be kept, files count as foreign."""
        noted = self._read_record(run_id) | {file.path: file.sha256 for file in files}
        path = self._build_path(run_id)
        with suppress(OSError):  # the report itself is written; the next one stands beside it
            self.folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            atomic.write(path, json.dumps(noted).encode())

    def is_ours(self, run_id: str, path: Path) -> bool:
        noted = self._read_record(run_id).get(str(path))
        return noted is not None and noted == _hash_file(path)

    def _read_record(self, run_id: str) -> dict[str, str]:
        try:
            noted = json.loads(self._build_path(run_id).read_bytes())
        except (OSError, ValueError):
            return {}
        return noted if isinstance(noted, dict) else {}

    def _build_path(self, run_id: str) -> Path:
        return self.folder / f"{build_folder_name(run_id)}.json"


def choose_free_folder(wanted: Path, owners: Sequence[str], written: Written) -> Path:
    """Choose the folder in which a report replaces nothing but earlier files of its own.

    Args:
        owners: the run of the report, and before it the run that it revises, if it does.

    Returns:
        `wanted` itself where it holds no report, or only what was written for its owners and nobody
        has changed since; else a folder in it that has the run's name, or the next number of it.
    """
    name = build_folder_name(owners[-1])
    return next(each for each in _list_candidates(wanted, name) if _is_free(each, owners, written))


def _list_candidates(wanted: Path, name: str) -> Iterator[Path]:
    yield wanted
    own = wanted if wanted.name == name else wanted / name
    if own != wanted:
        yield own
    for number in count(2):
        yield own.with_name(f"{name}-{number}")


def _is_free(folder: Path, owners: Sequence[str], written: Written) -> bool:
    there = [file for name in _NAMES if os.path.lexists(file := folder / name)]
    return all(any(written.is_ours(owner, file) for owner in owners) for file in there)


def _hash_file(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


_REPORTS = "reports"  # where reports are written when no folder is named, below the current one


def choose_report_folder(out: str | None, run_id: str) -> Path:
    if out is not None and out.strip() in {"", "-"}:
        raise BadInput(
            "--out names a folder, because a report is several files: `caveat report RUN --out -` "
            "prints one on standard output."
        )
    return resolve_folder(out if out is not None else f"{_REPORTS}/{build_folder_name(run_id)}")


def locate_kept_files(settings: Settings, run_id: str) -> str | None:
    """Find the files that a worker wrote for a run, None where they are not to be had here."""
    reports = open_blobs(settings, settings.reports_folder)
    name = build_folder_name(run_id)
    return reports.locate(name) if f"{name}/" in reports.list_names() else None


async def read_kept_evidence(settings: Settings, run_id: str) -> Evidence:
    from caveat.adapters.files.reports import KeptReports  # noqa: PLC0415  # loads what sets PDFs

    return await KeptReports(open_blobs(settings, settings.reports_folder)).read_evidence(run_id)


def write_report(
    report: Report,
    formats: tuple[Format, ...],
    folder: Path,
    settings: Settings,
    kept: Sequence[Artifact] = (),
) -> Iterator[Artifact | PortFailure]:
    """Write a report into a folder; name each file once it is there, or why it is not.

    Args:
        kept: files of the same report that a worker wrote; those that lie unchanged where reports
            are kept are copied, because a PDF takes a quarter of a second to set.
    """
    for chosen in dict.fromkeys(formats):
        try:
            content = build_file(report, chosen, settings, kept)
            yield write_artifact(folder / f"report.{chosen}", chosen, content)
        except PortFailure as error:
            yield error


def build_file(
    report: Report, chosen: Format, settings: Settings, kept: Sequence[Artifact] = ()
) -> bytes:
    """Write a report in one format, or read what its worker wrote, as `write_report` does."""
    own = {each.format: each for each in kept}
    content = _read_unchanged(own.get(chosen), report.run_id, settings)
    return render_report(report, chosen, settings) if content is None else content


def _read_unchanged(kept: Artifact | None, run_id: str, settings: Settings) -> bytes | None:
    """Read a file that a worker wrote, None where it is gone or not what was written."""
    # Only the run's own: anyone who reaches the server may name any path.
    if kept is None:
        return None
    reports = open_blobs(settings, settings.reports_folder)
    name = f"{build_folder_name(run_id)}/report.{kept.format}"
    if kept.path != reports.locate(name):
        return None
    try:
        content = reports.get(name)
    except PortFailure:
        return None
    return content if hashlib.sha256(content).hexdigest() == kept.sha256 else None


def render_report(report: Report, chosen: Format, settings: Settings) -> bytes:
    from caveat.adapters.files import reports  # noqa: PLC0415  # loads what sets PDFs

    return reports.encode_report(report, chosen, open_snapshots(settings))
