"""Files that are there whole or not at all."""

import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from caveat import atomic

ROOT = Path(__file__).parents[2]


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.mark.parametrize("mode", [atomic.PRIVATE, 0o644])
def test_a_file_replaces_the_one_before(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "new" / "folder" / "file"
    atomic.write(path, b"first", mode)
    atomic.write(path, b"second", mode)
    assert path.read_bytes() == b"second"
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert names(path.parent) == ["file"]


def test_the_first_file_of_a_name_stays(tmp_path: Path) -> None:
    path = tmp_path / "key"
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda number: atomic.create(path, bytes([number])), range(8)))
    assert sum(won) == 1
    assert path.read_bytes() == bytes([won.index(True)])
    assert names(tmp_path) == ["key"]


def test_content_is_durable_before_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    flushed: list[tuple[str, bool]] = []
    flush = os.fsync

    def watched(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        flushed.append(("folder" if is_folder else "file", path.exists()))
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    atomic.write(path, b"content")
    assert flushed == [("file", False), ("folder", True)]


@pytest.mark.parametrize("step", ["fsync", "fchmod"])
def test_a_failure_leaves_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    path = tmp_path / "file"
    atomic.write(path, b"before")

    def refused(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, refused)
    for put in (atomic.write, atomic.create):
        with pytest.raises(OSError, match="No space"):
            put(path, b"after")
    assert path.read_bytes() == b"before"
    assert names(tmp_path) == ["file"]


def test_nobody_else_writes_beside_and_renames() -> None:
    own = re.compile(r"mkstemp|fsync|os\.(?:replace|rename)")
    found = [
        path.relative_to(ROOT).as_posix()
        for package in ("caveat", "workflows", "activities", "workers", "clients")
        for path in (ROOT / package).rglob("*.py")
        if own.search(path.read_text())
    ]
    assert found == ["caveat/atomic.py"]
