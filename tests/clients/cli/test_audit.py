"""`caveat audit` of whatever somebody sends: bounded, one sentence, the documented exit code."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.clients.cli import audit as command
from caveat.clients.cli.audit import within
from caveat.clients.problems import BadInput
from caveat.problem import ExitCode
from tests.fakes.patience import PATIENCE_S
from tests.fakes.reports import a_report

MEMORY = 500 * 1024
"""Kilobytes."""

MEASURED = """\
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime, used.ru_maxrss)
sys.exit(code)
"""
"""Begun from a small process: a child's memory is at least what its parent had when it forked."""


def grown(claims: int) -> dict[str, Any]:
    """A report with many more claims, all of the same words."""
    report: dict[str, Any] = a_report().model_dump(mode="json")
    first = report["claims"][0]
    section = next(each for each in report["sections"] if first["id"] in each["claims"])
    for number in range(claims):
        report["claims"].append({**first, "id": f"c{1_000 + number}"})
        section["claims"].append(f"c{1_000 + number}")
    return report


def quoting(words: str) -> dict[str, Any]:
    report: dict[str, Any] = a_report().model_dump(mode="json")
    report["claims"][0]["quote"] = words
    return report


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "too large": (lambda: b"[" + b"1," * 10_000_000 + b"1]", "larger than 11 MB"),
    "numbers": (lambda: b"[" + b"1," * 5_400_000 + b"1]", "input should be an object"),
    "deep": (lambda: b"[" * 5_000_000, "recursion limit exceeded"),
    "a hundred thousand claims": (
        lambda: json.dumps(grown(100_000)).encode(),
        "larger than 11 MB",
    ),
    "a long quote": (lambda: json.dumps(quoting("a" * 9_000_000)).encode(), "at most 2000"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_one_sentence(name: str, tmp_path: Path) -> None:
    write, says = HOSTILE[name]
    path = tmp_path / "report.json"
    path.write_bytes(write())
    audited = subprocess.run(
        [
            sys.executable,
            "-c",
            MEASURED,
            sys.executable,
            "-m",
            "caveat.clients.cli.main",
            "audit",
            path,
        ],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "CAVEAT_STATE_DIR": str(tmp_path)},
    )
    used_s, memory = audited.stdout.split()
    assert audited.returncode == ExitCode.WRONG_INPUT
    assert says in audited.stderr
    assert len(audited.stderr.splitlines()) == 1
    assert float(used_s) < 5
    assert int(memory) < MEMORY


def test_what_does_not_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_READING_S", 0.2)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="does not end"):
        command.audit(str(tmp_path / "pipe"), snapshots=None, as_json=False)
    with pytest.raises(BadInput, match="larger than"):
        command.audit("/dev/zero", snapshots=None, as_json=False)


def test_work_that_takes_too_long_is_cut_off() -> None:
    def work() -> None:
        while True:
            pass

    with pytest.raises(BadInput, match="Enough"), within(0.05, "processor", "Enough."):
        work()


def test_not_everything_that_is_wrong_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CAVEAT_STATE_DIR", str(tmp_path))
    path = tmp_path / "report.json"
    path.write_text(json.dumps(grown(300)))
    assert command.audit(str(path), snapshots=None, as_json=False) == ExitCode.FAILED
    said = capsys.readouterr().out
    assert len(said.splitlines()) < 400
    assert "more, which --json lists" in said
