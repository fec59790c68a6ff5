"""Files that are there whole or not at all."""

import os
import re
import signal
import stat
import subprocess
import sys
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


def test_content_is_durable_before_its_name_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_what_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
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


KILLED = """
import os, signal, sys
from pathlib import Path
from caveat import atomic
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
atomic.write(Path(sys.argv[1]), b"half")
"""


def test_what_a_killed_process_left_half_written_is_swept_and_nothing_else(tmp_path: Path) -> None:
    for name in (".hidden", "a.new", ".notes.newer"):
        (tmp_path / name).write_bytes(b"of somebody else")
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "deep" / "file")], check=False, cwd=ROOT
    )
    assert killed.returncode == -signal.SIGKILL
    (half,) = (tmp_path / "deep").iterdir()
    assert atomic.sweep(tmp_path) == 0, "it may be about to be renamed"
    os.utime(half, (0, 0))
    assert atomic.sweep(tmp_path) == 1
    assert not half.exists()
    assert names(tmp_path) == [".hidden", ".notes.newer", "a.new", "deep"]


def test_what_is_being_written_is_not_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swept = []

    def sweep_meanwhile(_: int) -> None:
        for file in tmp_path.iterdir():
            os.utime(file, (0, 0))
        swept.append(atomic.sweep(tmp_path))

    monkeypatch.setattr(os, "fsync", sweep_meanwhile)
    atomic.write(tmp_path / "file", b"whole")
    assert set(swept) == {0}
    assert names(tmp_path) == ["file"]
