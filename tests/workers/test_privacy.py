"""What is kept is its user's alone, whatever the umask and whatever an earlier version left."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from caveat.workers.privacy import close_folders
from caveat.workers.settings import Settings
from standins.free_ports import free_port
from tests.fakes.patience import PATIENCE_S

pytestmark = pytest.mark.system

OTHERS = stat.S_IRWXG | stat.S_IRWXO

NOTES = {
    "first.md": "# Tower\n\nThe tower of Example is 16.8 metres high and was built in 1902.\n",
    "second.md": "# Towers\n\nThe tower of Example stands on a hill near the river.\n",
}


def _open_to_others(folder: Path) -> Iterator[str]:
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError):  # the server that ends takes its files with it
            if stat.S_IMODE(path.lstat().st_mode) & OTHERS:
                yield str(path.relative_to(folder.parent))


def test_a_run_leaves_nothing_that_others_can_read(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, text in NOTES.items():
        (corpus / name).write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [
            *(str(Path(sys.executable).with_name("caveat")), "research", "How high is the tower?"),
            *("--corpus", str(corpus), "--out", str(tmp_path / "out")),
        ],
        env={
            **os.environ,
            "CAVEAT_STATE_DIR": str(tmp_path / "state"),
            "CAVEAT_CACHE_DIR": str(tmp_path / "cache"),
            "CAVEAT_PORT": str(free_port()),
            "CAVEAT_UI_PORT": str(free_port()),
        },
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE_S, umask=0o000,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    kept = [*_open_to_others(tmp_path / "state"), *_open_to_others(tmp_path / "cache")]
    assert kept == []


def test_what_an_earlier_version_left_open_is_closed(settings: Settings) -> None:
    folders = (settings.server_folder, settings.reports_folder, settings.index_folder)
    for folder in folders:
        folder.mkdir(parents=True)
        folder.chmod(0o755)
    settings.memory_database.write_bytes(b"")
    settings.memory_database.chmod(0o644)
    beside = settings.state_dir / "of-somebody-else.txt"
    beside.write_text("", encoding="utf-8")
    beside.chmod(0o644)

    close_folders(settings)

    for kept in (*folders, settings.memory_database):
        assert not stat.S_IMODE(kept.stat().st_mode) & OTHERS
    assert stat.S_IMODE(beside.stat().st_mode) == 0o644
