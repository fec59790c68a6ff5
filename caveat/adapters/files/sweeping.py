"""Files that are kept by content, and runs' folders, removed where nobody needs them any more.

Killed in between, the next sweep finishes: nothing is ever half there under its own name.
"""

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_ASIDE = ".pruned-"  # begins the name of what is being removed: no reader looks for it

_ADDRESS = re.compile(rb"[0-9a-f]{64}")
_UPLOAD = re.compile(rb"uploads/([0-9a-f]{16})\b")


@dataclass(frozen=True)
class Swept:
    """What a sweep removed, or would: files and their bytes."""

    files: int = 0
    bytes: int = 0

    def __add__(self, other: "Swept") -> "Swept":
        """Count two together."""
        return Swept(self.files + other.files, self.bytes + other.bytes)


@dataclass(frozen=True)
class Cited:
    """What the files of runs name, whatever else is wrong with these."""

    texts: frozenset[str]
    uploads: frozenset[str]

    @classmethod
    def by(cls, files: Iterable[bytes]) -> Self:
        """Look for both in the content of files."""
        texts: set[bytes] = set()
        uploads: set[bytes] = set()
        for content in files:
            texts.update(_ADDRESS.findall(content))
            uploads.update(_UPLOAD.findall(content))
        return cls(frozenset(map(bytes.decode, texts)), frozenset(map(bytes.decode, uploads)))


def last_written(folder: Path) -> float:
    """Say when the newest file of a folder was written, seconds since 1970."""
    times = [folder.stat().st_mtime]
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError):
            times.append(file.lstat().st_mtime)
    return max(times)


def sweep(folder: Path, before: float, needed: frozenset[str], *, dry: bool) -> Swept:
    """Remove what was last kept, or kept again, before a moment.

    Args:
        before: seconds since 1970.
        dry: whether to count alone.
    """
    swept = Swept()
    for file in _files(folder):
        aside = file.name.startswith(_ASIDE)
        own = file.with_name(file.name.removeprefix(_ASIDE))
        if own.name.split(".")[0] in needed and (dry or not aside):
            continue
        with suppress(FileNotFoundError):  # another sweep was here
            found = file.stat()
            if found.st_mtime < before and (dry or _removed(file, own, before, needed)):
                swept += Swept(1, found.st_size)
    return swept


def sweep_named(folder: Path, before: float, needed: frozenset[str], *, dry: bool) -> Swept:
    """Remove files that are named by runs and were written before a moment.

    Args:
        before: seconds since 1970.
        dry: whether to count alone.
    """
    swept = Swept()
    for file in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # another sweep was here
            found = file.stat()
            if found.st_mtime < before and file.stem not in needed:
                if not dry:
                    file.unlink()
                swept += Swept(1, found.st_size)
    return swept


def sweep_folder(folder: Path, *, dry: bool) -> Swept:
    """Remove a run's folder, or one of documents that were dropped, with everything in it."""
    sizes = [each.lstat().st_size for each in folder.rglob("*") if not each.is_dir()]
    if not dry:
        aside = folder.with_name(f"{_ASIDE}{folder.name}")
        if aside.exists():
            shutil.rmtree(aside)
        folder.rename(aside)
        shutil.rmtree(aside)
    return Swept(len(sizes), sum(sizes))


def finish(folder: Path) -> None:
    """Remove what a sweep of runs that was killed had put aside."""
    for aside in folder.glob(f"{_ASIDE}*"):
        shutil.rmtree(aside)


def _files(folder: Path) -> Iterator[Path]:
    for shelf in sorted(folder.iterdir()) if folder.is_dir() else ():
        if shelf.is_dir():
            yield from (each for each in shelf.iterdir() if each.is_file())


def _removed(file: Path, own: Path, before: float, needed: frozenset[str]) -> bool:
    """Remove a file, or put it back where somebody kept it again at that very moment."""
    aside = own.with_name(f"{_ASIDE}{own.name}")
    file.rename(aside)
    if aside.stat().st_mtime >= before or own.name.split(".")[0] in needed:
        aside.rename(own)  # by its content, what may be there by now is the same
        return False
    aside.unlink()
    return True
