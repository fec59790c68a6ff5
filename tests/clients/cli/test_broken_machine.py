"""The main job on a machine that lacks something: it is done, or one sentence says what to do."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from caveat.problem import ExitCode
from tests.fakes.control_group import NoControlGroups, bounded, join, mounting
from tests.fakes.home import RESEARCH, Home
from tests.fakes.swelling import pdf

pytestmark = pytest.mark.system


@pytest.fixture
def home(home: Home, tmp_path: Path) -> Home:
    for folder in ("state", "cache", "out"):
        (tmp_path / folder).mkdir(mode=0o700)
    return home


def tried(
    home: Home, *within: str, before: Callable[[], None] = lambda: None
) -> subprocess.CompletedProcess[str]:
    return home.done(home.begin(*RESEARCH, "--out", "out", within=within, before=before))


def report_of(home: Home, done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode in {ExitCode.DONE, ExitCode.FAILED}, done.stderr
    report = (home.folder / "out" / "report.json").read_text(encoding="utf-8")
    assert json.loads(report)["claims"]
    return report


def test_512_megabytes_are_enough_whatever_a_document_wants(home: Home) -> None:
    """One of them wants 3.5 GB. A control group measures what a machine or container has: all
    processes together, with the pages of their files; a bound of each process's addresses would
    count what nobody uses."""
    shown = b"(%s) Tj " % (b"a" * 38)
    (home.corpus / "swells.pdf").write_bytes(pdf(shown * 1_000_000))
    try:
        with bounded(512) as group:
            done = tried(home, before=lambda: join(group))
            report = report_of(home, done)
    except NoControlGroups:
        pytest.skip("this user may make no control group")
    assert "swells.pdf" in report


@pytest.mark.parametrize(
    ("folder", "options", "code", "sentence"),
    [
        ("cache", "ro", ExitCode.FAILED, "cannot be created: set CAVEAT_CACHE_DIR to"),
        ("state", "ro", ExitCode.OUT_OF_REACH, "state/server cannot be written"),
        ("state", "size=1m", ExitCode.OUT_OF_REACH, "state lies on is full: free some space"),
    ],
)
def test_a_disk_that_is_full_or_not_to_be_written_is_said(
    folder: str, options: str, code: ExitCode, sentence: str, home: Home
) -> None:
    done = tried(home, *mounting(folder, options))
    assert done.returncode == code, done.stderr
    assert sentence in done.stdout + done.stderr
