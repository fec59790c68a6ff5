"""The main job on a disk that is full: one sentence says what to do."""

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from caveat.problem import ExitCode
from tests.fakes.home import RESEARCH, Home

pytestmark = pytest.mark.system


def mounting(folder: str, options: str) -> tuple[str, ...]:
    """A program that mounts a small disk for itself alone, and what it becomes then."""
    own = ("unshare", "--map-root-user", "--mount")
    trial = [*own, "mount", "-t", "tmpfs", "none", "/tmp"]  # noqa: S108  # of the trial alone
    if shutil.which("unshare") is None or subprocess.run(trial, check=False).returncode:
        pytest.skip("this user may mount nothing")
    mount = f"mount -t tmpfs -o {shlex.quote(options)} none {shlex.quote(folder)}"
    return (*own, "sh", "-c", f'{mount} && exec "$@"', "sh")


@pytest.fixture
def home(home: Home, tmp_path: Path) -> Home:
    for folder in ("state", "cache", "out"):
        (tmp_path / folder).mkdir(mode=0o700)
    return home


def tried(home: Home, *within: str) -> subprocess.CompletedProcess[str]:
    return home.done(home.begin(*RESEARCH, "--out", "out", within=within))


def report_of(home: Home, done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode in {ExitCode.DONE, ExitCode.FAILED}, done.stderr
    report = (home.folder / "out" / "report.json").read_text(encoding="utf-8")
    assert json.loads(report)["claims"]
    return report


@pytest.mark.parametrize(
    ("folder", "options", "code", "sentence"),
    [
        ("cache", "ro", ExitCode.WRONG_INPUT, "set CAVEAT_CACHE_DIR to a folder"),
        ("state", "ro", ExitCode.WRONG_INPUT, "state/server cannot be written"),
        ("state", "size=1m", ExitCode.OUT_OF_REACH, "state lies on is full: free some space"),
    ],
)
def test_a_disk_that_is_full_or_not_to_be_written_is_said(
    folder: str, options: str, code: ExitCode, sentence: str, home: Home
) -> None:
    done = tried(home, *mounting(folder, options))
    assert done.returncode == code, done.stderr
    assert sentence in done.stdout + done.stderr
    assert "Corpus unusable" not in done.stdout


def test_what_a_full_disk_had_room_for_is_replaced_once_there_is_more(home: Home) -> None:
    done = tried(home, *mounting("out", "size=16k"))
    assert done.returncode == ExitCode.FAILED
    assert "No space left on device" in done.stdout + done.stderr
    # The mount is gone with its process: what had been written there is put back.
    (home.folder / "out" / "report.md").write_bytes(_written(home, "report.md"))
    again = home.caveat("report", "latest", "--out", "out")
    assert again.returncode == ExitCode.DONE, again.stderr
    report_of(home, again)


def _written(home: Home, name: str) -> bytes:
    """Read a file of the latest report where its run keeps it."""
    (kept,) = (home.folder / "state" / "reports").glob(f"*/{name}")
    return kept.read_bytes()


def test_a_run_that_found_no_room_for_its_index_is_researched_anew(home: Home) -> None:
    """Its failure is worth another try, and no follow-up can be that: it has nothing to go on."""
    done = tried(home, *mounting("cache", "size=16k"))
    assert done.returncode == ExitCode.FAILED
    assert "full" in done.stderr + done.stdout
    again = home.caveat("follow-up", "latest", "--all")
    assert again.returncode == ExitCode.FAILED
    assert "mend that, and research its topic again" in again.stderr
    report_of(home, home.caveat(*RESEARCH, "--out", "out"))
