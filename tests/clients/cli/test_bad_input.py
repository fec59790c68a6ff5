"""Each bad input is one clear sentence on standard error, and nothing is started for it."""

import json
import socket
from pathlib import Path

import pytest

from caveat.clients.cli.boundary import run_app
from caveat.problem import ExitCode
from tests.fakes.free_ports import free_port


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TEMPORAL_ADDRESS", "TEMPORAL_PROFILE", "TEMPORAL_CONFIG_FILE", "CAVEAT_CORPUS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-profile"))  # else none is launched
    monkeypatch.setenv("CAVEAT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("CAVEAT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "note.md").write_text("# Note\n\nText.\n", encoding="utf-8")
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.jpg").write_bytes(b"")
    (tmp_path / "file").write_text("text", encoding="utf-8")
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    (tmp_path / "other.json").write_text('{"a": 1}', encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("research", "The topic is empty"),
        ("research|x|--corpus", "an argument: `caveat research --help` shows"),
        ("research|" + "x" * 2_001 + "|--corpus|papers", "2,000 is the most"),
        ("research|x", "There is nothing to search"),
        ("research|x|--corpus|none", "There is no folder"),
        ("research|x|--corpus|pictures", "pictures holds no document that can be read"),
        ("research|x|--corpus|https://example.org/papers", "is an address"),
        ("research|x|--request|file", "file is not a request: write a JSON object"),
        ("research|x|--request|deep.json", "deep.json is not a request: write a JSON object"),
        ("research|x|--max-cost|much", "--max-cost must be a number: `caveat research --help`"),
        ("research|x|--request|other.json", "a is not known: docs/temporal-cli.md lists"),
        ("research|x|--request|none.json", "cannot be read (no such file or directory)"),
        ("research|x|--detach|--wait", "--detach does not follow"),
        ("admin|prune|--days|0", "--days must be 1 or more: `caveat admin prune --help` shows"),
        ("schedule|add|x|--corpus|papers", "Missing option '--every'"),
        ("schedule|add|x|--corpus|papers|--every|often", "--every must be a duration"),
        ("schedule|add|x|--corpus|papers|--every|5s", "--every takes from 1m to 30d"),
        ("schedule|add|x|--corpus|papers|--every|40d", "--every takes from 1m to 30d"),
        ("up|--page-only|--corpus|papers", "leave one out"),
        ("resume|r|--drop|a2", "add --approve"),
        ("mcp|--corpus|none", "There is no folder"),
        ("research|What is it?|--wait|1h", "“1h” stands beside the question"),
        ("research|x|--corpus|papers|--out|file/out", "Nothing can be written to"),
        ("research|x|--corpus|papers|--out|-", "prints one on standard output"),
        ("resarch|x", "Did you mean 'research'?"),
        ("up|--corpus|file:///tmp", "is an address"),
        ("worker", "There is no server to work with"),
        ("runs|--limit|few", "--limit must be a whole number: `caveat runs --help` shows"),
        ("status|", "Name a run"),
        ("follow-up|", "Name a run"),
        ("rule||a|--because|x", "Name an arbitration"),
        ("audit|", "Name a report's JSON file, or a run"),
        ("report|r|--out|file/out", "Nothing can be written to"),
        ("report|r|--format|md,json", "Standard output takes one format"),
        ("audit|none.json", "There is no file none.json"),
        ("audit|a\0b.json", "cannot be read"),
        ("audit|file", "file is not a report: invalid JSON"),
        ("audit|other.json", "other.json is not a report: run_id is missing"),
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


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("CAVEAT_REASONNER", "extractive", "the nearest is CAVEAT_REASONER"),
        ("CAVEAT_ANTHROPIC_API_KEY", "sk", "the nearest is ANTHROPIC_API_KEY"),
        ("CAVEAT_ZZZ", "", "is not a setting"),
        ("ANTHROPIC_API_KEY_FILE", "papers", "cannot be used (is a directory)"),
        ("ANTHROPIC_API_KEY_FILE", "empty", "cannot be used (it is empty)"),
    ],
)
@pytest.mark.parametrize("command", [["research", "x", "--corpus", "papers"], ["runs"]])
def test_a_variable_that_cannot_be_is_told_before_anything_is_started(  # pytest names them
    command: list[str],
    name: str,
    value: str,
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "empty").touch()
    monkeypatch.setenv(name, value)
    assert run_app(command) == ExitCode.WRONG_INPUT
    said = capsys.readouterr()
    assert said.err.startswith(name)
    assert sentence in said.err
    assert said.err.count("\n") == 1
    assert not (tmp_path / "state").exists()


def test_a_port_that_is_taken_and_one_that_is_not_permitted_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:
        port = free_port()
        taken.bind(("127.0.0.1", port))
        monkeypatch.setenv("CAVEAT_PORT", str(port))
        assert run_app(["runs"]) == ExitCode.OUT_OF_REACH
        assert f"{taken.getsockname()[1]}" in (said := capsys.readouterr().err)
        for words in ("Nothing can listen on port", "CAVEAT_PORT", "TEMPORAL_ADDRESS"):
            assert words in said

        monkeypatch.setattr("socket.socket.bind", refuse)
        assert run_app(["runs"]) == ExitCode.OUT_OF_REACH
        said = capsys.readouterr().err
        assert "permission denied" in said


def refuse(*_: object) -> None:
    raise PermissionError(13, "Permission denied")


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
    monkeypatch.setattr("caveat.clients.cli.runs._ask", lambda *_: json.loads("{"))
    assert run_app(["runs"]) == ExitCode.FAILED
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert "JSONDecodeError" in said.err
    (log,) = tmp_path.glob("caveat-*.log")
    assert "Traceback" in log.read_text(encoding="utf-8")
