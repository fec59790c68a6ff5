"""The main job on a machine that lacks something: it is done, or one sentence says what to do."""

import json
import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from caveat.problem import ExitCode
from tests.fakes.control_group import NoControlGroups, bounded, join, mounting
from tests.fakes.home import RESEARCH, TOPIC, Home
from tests.fakes.swelling import pdf

pytestmark = pytest.mark.system

CLOCK = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
"""libfaketime, whose Debian package has that name."""


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


def test_64_descriptors_are_enough_and_streams_that_are_closed_are_not_missed(home: Home) -> None:
    """`report_of` fails where there is no report: what is opened next gets a stream's number."""

    def give_up() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        for number in (0, 1, 2):
            os.close(number)

    report_of(home, tried(home, before=give_up))


@pytest.mark.parametrize(
    ("folder", "options", "code", "sentence"),
    [
        ("cache", "ro", ExitCode.WRONG_INPUT, "cannot be written: set CAVEAT_CACHE_DIR to"),
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
    assert "mend that, and research its topic anew" in again.stderr
    report_of(home, home.caveat(*RESEARCH, "--out", "out"))


def test_a_clock_that_jumps_changes_nothing(home: Home) -> None:
    """An hour forward while documents are read, two back while the run waits for people.

    Its own deadline is six hours, so that it waits, however slow the machine is, until somebody
    answers.
    """
    if not CLOCK:
        pytest.skip("libfaketime is not installed")
    jump = home.folder / "jump"
    jump.write_text("+0", encoding="ascii")
    home.environment |= {
        "LD_PRELOAD": str(CLOCK[0]),
        "FAKETIME_TIMESTAMP_FILE": str(jump),
        "FAKETIME_CACHE_DURATION": "1",  # seconds; read at every look, it is half of the work
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",  # as with a real clock that is set
    }
    process = home.begin("research", TOPIC, "--corpus", "papers", "--out", "out", "--wait")
    assert process.stderr is not None
    heard = ""
    for mark, offset in (("Web UI", "+3600"), ("waits for a person", "-3600")):
        while mark not in (line := process.stderr.readline()):
            assert line, f"it ended: {heard}"
            heard += line
        jump.write_text(offset, encoding="ascii")
    ruled = home.caveat_anew("rule", "latest", "both", "--because", "They look at other epochs.")
    assert ruled.returncode == ExitCode.DONE, ruled.stderr
    done = home.done(process)
    assert "done · 4 documents" in done.stderr
    assert "Traceback" not in heard + done.stderr
    report_of(home, done)
