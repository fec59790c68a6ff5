"""What a press of the tab key offers, without a server."""

import sys
from pathlib import Path

import pytest

from caveat.clients.cli.boundary import run_app
from caveat.clients.known_runs import list_known_runs, note_started
from caveat.problem import ExitCode
from caveat.workers.settings import Settings
from tests.fakes.commands import ran
from tests.fakes.kept import keep
from tests.fakes.reports import a_report

FOUND = "research-moons-3fa9c1"


@pytest.fixture(autouse=True)
def settings(no_server: Settings) -> Settings:
    return no_server


def offered(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    words = line.split(" ")
    monkeypatch.setenv("_CAVEAT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    assert run_app([]) == ExitCode.DONE
    said = capsys.readouterr()
    assert said.err == ""
    return said.out.split()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("caveat fol", ["follow-up"]),
        ("caveat research x --max-s", ["--max-sources"]),
        ("caveat research x --depth o", ["overview"]),
        ("caveat research x --team i", ["investment"]),
        ("caveat status la", ["latest"]),
        ("caveat rule x n", ["neither"]),
        ("caveat completion f", ["fish"]),
    ],
)
def test_words(
    line: str, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert offered(line, monkeypatch, capsys) == words


def test_runs_that_were_started_and_runs_that_left_files(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = keep(settings, a_report())
    note_started(settings.state_dir, FOUND)
    for command in ("status", "report", "failures", "follow-up", "cancel", "resume", "audit"):
        assert set(offered(f"caveat {command} ", monkeypatch, capsys)) == {"latest", FOUND, kept}
    assert offered("caveat status research-moons", monkeypatch, capsys) == [FOUND]
    assert not (settings.state_dir / "server").exists()


def test_nothing_is_offered_where_nothing_can_be_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    note_started(tmp_path / "file", FOUND)
    assert list_known_runs(tmp_path / "file") == []
    monkeypatch.setenv("CAVEAT_PROT", "1")  # a misspelt setting is said by commands alone
    assert offered("caveat status ", monkeypatch, capsys) == []


def test_a_shell_reads_what_is_printed(settings: Settings) -> None:
    note_started(settings.state_dir, FOUND)
    command = Path(sys.executable).with_name("caveat")
    script = (
        f'PATH={command.parent}:$PATH; eval "$(caveat completion bash)"; '
        "COMP_WORDS=(caveat status research-); COMP_CWORD=2; _caveat_completion caveat; "
        'echo "${COMPREPLY[@]}"'
    )
    shown = ran("bash", "-c", script, check=True)
    assert shown.stdout == f"{FOUND}\n"
