"""Reports as files on this machine: where they may go, and what was written."""

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from caveat import atomic
from caveat.adapters.files.artifacts import build_folder_name
from caveat.clients.folders import require_writable, resolve_folder
from caveat.clients.problems import BadInput
from caveat.clients.run_description import list_kept_answers
from caveat.contracts.outcome import Artifact, Evidence
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.failures import PortFailure
from caveat.workers.blobs import open_blobs
from caveat.workers.settings import Settings

_NAMES = tuple(f"report.{each}" for each in Format)
"""What a report is called in its folder, in any format: reports of two runs are never mixed."""

_WANTED = ""  # beside the files of a run: the folder that they are to go to


@dataclass(frozen=True)
class Written:
    """Remembers where files go of which run, and which were written, by their content."""

    folder: Path  # a file a run, in the state folder

    def choose_folder(self, run_id: str, folder: Path) -> None:
        """Note where a run's report is to go, for commands that go on with the run."""
        self._note(run_id, {_WANTED: str(folder)})

    def find_folder(self, run_id: str) -> Path | None:
        """Say where a run's report is to go by the command that started it, if any did."""
        wanted = self._read_record(run_id).get(_WANTED)
        return Path(wanted) if wanted else None

    def remember(self, run_id: str, files: Sequence[Artifact]) -> None:
        """Note what was written for a run; where that cannot be kept, files count as foreign."""
        self._note(run_id, {file.path: file.sha256 for file in files})

    def _note(self, run_id: str, facts: dict[str, str]) -> None:
        noted, path = self._read_record(run_id) | facts, self._build_path(run_id)
        # Where it cannot be kept, the report itself is written; the next one stands beside it.
        with suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic.write(path, json.dumps(noted).encode())

    def is_ours(self, run_id: str, path: Path) -> bool:
        with suppress(OSError):
            noted = self._read_record(run_id).get(str(path))
            return noted == hashlib.sha256(path.read_bytes()).hexdigest()
        return False

    def _read_record(self, run_id: str) -> dict[str, str]:
        with suppress(OSError, ValueError):
            noted = json.loads(self._build_path(run_id).read_bytes())
            return noted if isinstance(noted, dict) else {}
        return {}

    def _build_path(self, run_id: str) -> Path:
        return self.folder / f"{build_folder_name(run_id)}.json"


def choose_free_folder(wanted: Path, owners: Sequence[str], written: Written) -> Path:
    """Choose the folder in which a report replaces nothing but earlier files of its owners."""
    # Else it is a folder in the wanted one with the run's name, or the next number of it.
    name = build_folder_name(owners[-1])
    own = wanted if wanted.name == name else wanted / name
    candidates = chain((wanted, own), (own.with_name(f"{name}-{number}") for number in count(2)))
    return next(
        folder
        for folder in candidates
        if all(
            any(written.is_ours(owner, folder / file) for owner in owners)
            for file in _NAMES
            if os.path.lexists(folder / file)
        )
    )


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
    from caveat.rules.audit import hash_rendering, hash_report, read_stamp  # noqa: PLC0415  # and every rule

    name = f"{build_folder_name(report.run_id)}/report.{chosen}"
    is_table = chosen in {Format.CSV, Format.TABLE}
    questions = list_kept_answers(settings, report.run_id) if is_table else ()
    with suppress(PortFailure):
        published = open_blobs(settings, settings.reports_folder).get(name)
        stamp, content = read_stamp(published) or (None, b"")
        if (
            stamp
            and stamp.rendering == hash_rendering(content)
            and stamp.report == hash_report(report)
            and not questions
        ):
            return published
    return reports.encode_report(report, chosen, questions)
