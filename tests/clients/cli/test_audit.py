"""`caveat audit` of whatever somebody sends: bounded, one sentence, the documented exit code."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.adapters.files.blobs import FolderBlobs
from caveat.adapters.files.reports import KeptReports
from caveat.clients.cli import audit as command
from caveat.contracts.plan import Format
from caveat.problem import BadInput, ExitCode
from caveat.workers.settings import Settings
from tests.fakes.commands import ran
from tests.fakes.reports import a_report, texts_of

MEMORY = 500 * 1024  # kilobytes
MEASURED = """\
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime, used.ru_maxrss)
sys.exit(code)
"""
"""Begun from a small process: a child's memory is at least what its parent had when it forked."""


def quoting(words: str) -> dict[str, Any]:
    report: dict[str, Any] = a_report().model_dump(mode="json")
    report["claims"][0]["quote"] = words
    return report


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "too large": (lambda: b"[" + b"1," * 10_000_000 + b"1]", "larger than 11 MB"),
    "numbers": (lambda: b"[" + b"1," * 5_400_000 + b"1]", "must be an object"),
    "deep": (lambda: b"[" * 5_000_000, "recursion limit exceeded"),
    "a long quote": (lambda: json.dumps(quoting("a" * 9_000_000)).encode(), "at most 2000"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_one_sentence(name: str, tmp_path: Path) -> None:
    write, says = HOSTILE[name]
    path = tmp_path / "report.json"
    path.write_bytes(write())
    audited = ran(
        *(sys.executable, "-c", MEASURED, sys.executable, "-m", "caveat.clients.cli.main"),
        *("audit", path),
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "CAVEAT_STATE_DIR": str(tmp_path)},
    )
    used_s, memory = audited.stdout.split()
    assert audited.returncode == ExitCode.WRONG_INPUT
    assert says in audited.stderr
    assert len(audited.stderr.splitlines()) == 1
    assert float(used_s) < 5
    assert int(memory) < MEMORY


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("CAVEAT_STATE_DIR", str(tmp_path / "ours"))
    return Settings(state_dir=tmp_path / "ours", cache_dir=tmp_path / "cache")


async def published(settings: Settings, *formats: Format) -> dict[Format, Path]:
    store = KeptReports(FolderBlobs(settings.reports_folder))
    report = a_report().model_copy(update={"formats": formats})
    return {each: Path((await store.publish(report, each)).path) for each in formats}


def checked(path: Path, capsys: pytest.CaptureFixture[str], **options: Any) -> tuple[int, str]:
    options = {"corpus": None, "as_json": False, **options}
    code = command.audit(str(path), **options)
    return code, " ".join(capsys.readouterr().out.split())


def changed(path: Path, folder: Path) -> Path:
    """What somebody received, with one number changed."""
    sent = folder / path.name
    sent.write_bytes(path.read_bytes().replace(b"73.04", b"78.04", 1))
    assert sent.read_bytes() != path.read_bytes()
    return sent


RENDERED = (Format.MARKDOWN, Format.HTML, Format.PDF, Format.BIB)


@pytest.mark.parametrize("chosen", RENDERED)
def test_what_a_run_published_passes_in_every_format(
    chosen: Format, ours: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = asyncio.run(published(ours, chosen))[chosen]
    sent = tmp_path / f"received{path.suffix}"
    content = path.read_bytes()
    sent.write_bytes(content if chosen is Format.PDF else content.replace(b"\n", b"\r\n"))
    code, said = checked(sent, capsys)
    assert code == ExitCode.DONE
    assert "published: passed" in said
    assert "it is as its run published it" in said


@pytest.mark.parametrize("chosen", [Format.MARKDOWN, Format.HTML])
def test_a_number_that_was_changed_is_found(
    chosen: Format, ours: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = changed(asyncio.run(published(ours, chosen))[chosen], tmp_path)
    code, said = checked(sent, capsys)
    assert code == ExitCode.FAILED
    assert "published: 1 change" in said


def test_on_another_machine_a_slip_is_found_and_no_more_is_promised(
    ours: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = Settings(state_dir=tmp_path / "theirs", cache_dir=tmp_path / "cache")
    path = asyncio.run(published(theirs, Format.MARKDOWN))[Format.MARKDOWN]
    code, said = checked(path, capsys)
    assert code == ExitCode.DONE
    assert "can write that anew" in said
    code, said = checked(changed(path, tmp_path), capsys)
    assert code == ExitCode.FAILED
    assert "It was changed after it was written" in said


@pytest.mark.parametrize("name", ["notes.md", "notes.pdf", "notes.html", "notes.bib"])
def test_no_report_of_ours_is_one_sentence(name: str, ours: Settings, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"# Notes\n\n<!-- caveat-seal {} -->\n")
    with pytest.raises(BadInput, match="not a report as Caveat writes it"):
        command.audit(str(tmp_path / name), corpus=None, as_json=False)


def test_on_another_machine_missing_texts_are_counted_and_the_documents_compared(
    ours: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = a_report()
    source = next(each for each in report.sources if each.id == report.claims[0].source_id)
    kept = texts_of(report)[source.snapshot_sha256 or ""]
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "source.txt").write_text(kept or "", encoding="utf-8")
    sources = tuple(
        each.model_copy(update={"path": "source.txt"}) if each.id == source.id else each
        for each in report.sources
    )
    path = tmp_path / "report.json"
    path.write_text(report.model_copy(update={"sources": sources}).model_dump_json())
    _, said = checked(path, capsys)
    assert "missing" not in said
    assert f"Not compared: {len(report.claims)} quotes" in said
    _, said = checked(path, capsys, corpus=str(tmp_path / "documents"))
    own = sum(claim.source_id == source.id for claim in report.claims)
    assert f"checked {own} quote" in said
    (tmp_path / "documents" / "source.txt").write_text("Something else.", encoding="utf-8")
    code, said = checked(path, capsys, corpus=str(tmp_path / "documents"))
    assert code == ExitCode.FAILED
    assert "is not what characters" in said
