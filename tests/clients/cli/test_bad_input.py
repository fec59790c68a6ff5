"""Each bad input is one clear sentence on standard error, and nothing is started for it."""

import json
from pathlib import Path

import pytest

from clients.cli.boundary import run_app
from clients.cli.exits import ExitCode


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TEMPORAL_ADDRESS", "TEMPORAL_PROFILE", "CAVEAT_CORPUS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", str(tmp_path / "no-profile.toml"))
    monkeypatch.setenv("CAVEAT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("CAVEAT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "papers").mkdir()
    (tmp_path / "file").write_text("text", encoding="utf-8")
    (tmp_path / "list.json").write_text("[]", encoding="utf-8")
    (tmp_path / "other.json").write_text('{"a": 1}', encoding="utf-8")
    (tmp_path / "binary.json").write_bytes(b"\xff\x00")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("research", "Missing argument 'topic'"),
        ("research|", "The topic is empty"),
        ("research|" + "x" * 2_001 + "|--corpus|papers", "2,000 is the most"),
        ("research|x", "There is nothing to search"),
        ("research|x|--corpus|none", "There is no folder"),
        ("research|x|--corpus|file", "is not a folder"),
        ("research|x|--corpus|papers|--format|docx", "no format “docx”"),
        ("research|x|--corpus|papers|--depth|abyss", "no depth “abyss”"),
        ("research|x|--corpus|papers|--team|a", "no team “a”"),
        ("research|x|--corpus|papers|--out|file/out", "Nothing can be written to"),
        ("research|x|--corpus|papers|--out|-", "--json` prints one on standard output"),
        ("research|x|--corpus|papers|--out|", "--out names a folder"),
        ("research|x|--corpus|papers|--wait|--provisional", "keep one of them"),
        ("research|x|--corpus|papers|--max-sources|0", "--max-sources"),
        ("research|x|--corpus|papers|--max-sources|many", "--max-sources"),
        ("research|x|--corpus|papers|--deadline|soon", "for example 90s, 10m or 6h"),
        ("research|x|--nonsense", "No such option"),
        ("resarch|x", "Did you mean 'research'?"),
        ("up|--corpus|none", "There is no folder"),
        ("worker", "There is no server to work for"),
        ("runs|--limit|0", "--limit"),
        ("status", "Missing argument"),
        ("report|r|--format|docx", "no format “docx”"),
        ("report|r|--out|file/out", "Nothing can be written to"),
        ("report|r|--out|-", "--json` prints one on standard output"),
        ("follow-up", "Missing argument"),
        ("follow-up|r|--format|docx", "no format “docx”"),
        ("follow-up|r|--out|file/out", "Nothing can be written to"),
        ("audit|none.json", "There is no file none.json"),
        ("audit|papers", "cannot be read"),
        ("audit|a\0b", "cannot be read"),
        ("audit|file", "file is not a report: invalid JSON"),
        ("audit|binary.json", "binary.json is not a report"),
        ("audit|list.json", "list.json is not a report"),
        ("audit|other.json", "other.json is not a report: run_id: field required"),
    ],
)
def test_bad_input(
    arguments: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_app(arguments.split("|"))
    said = capsys.readouterr()
    assert code == ExitCode.WRONG_INPUT
    assert sentence in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""
    assert not (tmp_path / "state").exists()
    assert not (tmp_path / "reports").exists()


def test_a_setting_that_cannot_be(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CAVEAT_PORT", "a lot")
    assert run_app(["runs"]) == ExitCode.WRONG_INPUT
    assert capsys.readouterr().err.startswith("CAVEAT_PORT cannot be 'a lot'")


def test_an_embedded_server_is_not_started_beside_your_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", "127.0.0.1:1")
    assert run_app(["up"]) == ExitCode.WRONG_INPUT
    assert "`caveat worker`" in capsys.readouterr().err


def test_what_nobody_foresaw_is_a_sentence_and_its_details_are_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("clients.cli.runs.ask", lambda *_: json.loads("{"))
    assert run_app(["runs"]) == ExitCode.FAILED
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert "JSONDecodeError" in said.err
    (log,) = tmp_path.glob("caveat-*.log")
    assert "Traceback" in log.read_text(encoding="utf-8")
