"""Reports as files on this machine: where they may go, and what was written."""

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, count
from pathlib import Path

from caveat import atomic
from caveat.adapters.files.artifacts import build_folder_name
from caveat.clients.folders import require_writable, resolve_folder
from caveat.clients.run_description import list_kept_answers
from caveat.contracts.outcome import Evidence
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.failures import PortFailure
from caveat.problem import BadInput
from caveat.workers.blobs import open_blobs
from caveat.workers.settings import Settings

_NAMES = tuple(f"report.{each}" for each in Format)
"""What a report is called in its folder, in any format: reports of two runs are never mixed."""

WANTED = ""  # beside the files that are noted of a run: the folder that they are to go to


def _read_notes(folder: Path, run_id: str) -> dict[str, str]:
    """Read where the files of a run are to go, and which were written: content by path."""
    with suppress(OSError, ValueError):
        noted = json.loads((folder / f"{build_folder_name(run_id)}.json").read_bytes())
        return noted if isinstance(noted, dict) else {}
    return {}


def note(folder: Path, run_id: str, facts: dict[str, str]) -> None:
    # Where it cannot be kept, the report itself is written; the next one stands beside it.
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        noted = json.dumps(_read_notes(folder, run_id) | facts)
        atomic.write(folder / f"{build_folder_name(run_id)}.json", noted.encode())


def find_noted_folder(folder: Path, run_id: str) -> str | None:
    """Say where a report is to go by the command that began its run, if that is still there."""
    wanted = _read_notes(folder, run_id).get(WANTED)
    return wanted if wanted and Path(wanted).is_dir() else None


def choose_free_folder(wanted: Path, owners: Sequence[str], notes: Path) -> Path:
    """Choose the folder in which a report replaces nothing but earlier files of its owners."""
    # Else it is a folder in the wanted one with the run's name, or the next number of it.
    name = build_folder_name(owners[-1])
    own = wanted if wanted.name == name else wanted / name
    candidates = chain((wanted, own), (own.with_name(f"{name}-{number}") for number in count(2)))
    ours = {each for owner in owners for each in _read_notes(notes, owner).items()}
    return next(
        folder
        for folder in candidates
        if all(
            (str(folder / file), _hash(folder / file)) in ours
            for file in _NAMES
            if os.path.lexists(folder / file)
        )
    )


def _hash(path: Path) -> str | None:
    with suppress(OSError):
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return None


def choose_report_folder(out: str | None, run_id: str) -> Path:
    """Choose where a report is written, without a folder below the current one, and try that."""
    if out is not None and out.strip() in {"", "-"}:
        raise BadInput(
            "--out names a folder, because a report is several files: `caveat report RUN` prints "
            "one on standard output."
        )
    folder = resolve_folder(out if out is not None else f"reports/{build_folder_name(run_id)}")
    require_writable(folder)
    return folder


async def read_kept_evidence(settings: Settings, run_id: str) -> Evidence:
    from caveat.adapters.files.reports import KeptReports  # noqa: PLC0415  # loads what sets PDFs

    return await KeptReports(open_blobs(settings, settings.reports_folder)).read_evidence(run_id)


def build_file(report: Report, chosen: Format, settings: Settings) -> bytes:
    """Write a report in one format, or read what its run published of that very report."""
    from caveat.adapters.files import reports  # noqa: PLC0415  # loads what sets PDFs
    from caveat.rules.audit.seal import hash_rendering, hash_report, read_stamp  # noqa: PLC0415  # and rules

    name = f"{build_folder_name(report.run_id)}/report.{chosen}"
    is_table = chosen in {Format.CSV, Format.TABLE}
    questions = list_kept_answers(settings, report.run_id) if is_table else ()
    with suppress(PortFailure):
        published = open_blobs(settings, settings.reports_folder).get(name) or b""
        stamp, content = read_stamp(published) or (None, b"")
        if (
            stamp
            and stamp.rendering == hash_rendering(content)
            and stamp.report == hash_report(report)
            and not questions
        ):
            return published
    return reports.encode_report(report, chosen, questions)
