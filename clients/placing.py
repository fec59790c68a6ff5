"""Where the files of a report may go without taking anybody's files away."""

import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from caveat.adapters.press import folder_name
from caveat.contracts.outcome import Artifact
from caveat.contracts.plan import Format

_NAMES = tuple(f"report.{each}" for each in Format)
"""What a report is called in its folder, in any format: reports of two runs are never mixed."""

_PRIVATE = 0o700


@dataclass(frozen=True)
class Written:
    """Remembers which files were written for which run, by their content.

    Attributes:
        folder: a file a run, in the state folder.
    """

    folder: Path

    def remember(self, run_id: str, files: Sequence[Artifact]) -> None:
        """Note what was written for a run; where that cannot be kept, files count as foreign."""
        noted = self._noted(run_id) | {file.path: file.sha256 for file in files}
        path = self._path(run_id)
        try:
            self.folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=self.folder)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(noted, file)
            Path(temporary).replace(path)
        except OSError:
            # The report itself is written; the next one of this run stands beside it.
            return

    @contextmanager
    def alone(self, run_id: str) -> Iterator[None]:
        """Keep other processes from writing files of the same run meanwhile.

        Between two of them, a file that one has written and not noted yet would be foreign to the
        other. Where no lock can be had, nothing is locked.
        """
        try:
            self.folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            lock = self._path(run_id).with_suffix(".lock").open("w")
        except OSError:
            yield
            return
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def is_ours(self, run_id: str, path: Path) -> bool:
        """Say whether a file is what was written for a run, unchanged."""
        noted = self._noted(run_id).get(str(path))
        return noted is not None and noted == _digest(path)

    def _noted(self, run_id: str) -> dict[str, str]:
        try:
            noted = json.loads(self._path(run_id).read_bytes())
        except (OSError, ValueError):
            return {}
        return noted if isinstance(noted, dict) else {}

    def _path(self, run_id: str) -> Path:
        return self.folder / f"{folder_name(run_id)}.json"


def free_folder(wanted: Path, owners: Sequence[str], written: Written) -> Path:
    """Choose the folder in which a report replaces nothing but earlier files of its own.

    Args:
        wanted: the folder that was asked for, absolute.
        owners: the run of the report, and before it the run that it revises, if it does.
        written: what was written before.

    Returns:
        `wanted` itself where it holds no report, or only what was written for its owners and nobody
        has changed since; else a folder in it that has the run's name, or the next number of it.
    """
    name = folder_name(owners[-1])
    return next(each for each in _candidates(wanted, name) if _is_free(each, owners, written))


def _candidates(wanted: Path, name: str) -> Iterator[Path]:
    yield wanted
    own = wanted if wanted.name == name else wanted / name
    if own != wanted:
        yield own
    for number in count(2):
        yield own.with_name(f"{name}-{number}")


def _is_free(folder: Path, owners: Sequence[str], written: Written) -> bool:
    there = [file for name in _NAMES if os.path.lexists(file := folder / name)]
    return all(any(written.is_ours(owner, file) for owner in owners) for file in there)


def _digest(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
