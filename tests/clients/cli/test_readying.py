"""What a run waits for is under way before what works on it is loaded."""

from pathlib import Path

import pytest

from caveat.adapters.documents.readers import READERS
from caveat.clients.cli import order, research
from caveat.clients.cli.boundary import run_app
from caveat.problem import ExitCode


@pytest.fixture
def steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the command does, in its order."""
    done: list[str] = []
    monkeypatch.delenv("TEMPORAL_ADDRESS", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-profile"))
    monkeypatch.setenv("CAVEAT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "note.md").write_text("# Note\n\nText.\n", encoding="utf-8")

    def carried_out(*_: object, **__: object) -> int:
        done.append("carried out")
        return ExitCode.DONE

    monkeypatch.setattr(research, "launch_ahead", lambda _: done.append("launched"))
    monkeypatch.setattr(READERS, "submit", lambda *_: done.append("reader"))
    monkeypatch.setattr(order, "carry_out", carried_out)
    return done


def test_the_server_and_every_reader_start_first(steps: list[str]) -> None:
    assert run_app(["research", "why?", "--corpus", "papers"]) == ExitCode.DONE
    assert steps == ["launched", *["reader"] * READERS.count, "carried out"]


def test_nothing_starts_for_what_is_refused(steps: list[str]) -> None:
    assert run_app(["research", "why?", "--corpus", "none"]) == ExitCode.WRONG_INPUT
    assert run_app(["research", "why?", "--corpus", "papers", "--estimate"]) == ExitCode.DONE
    assert steps == []


def test_where_others_work_on_it_nothing_is_read_here(
    steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", "localhost:7233")
    assert run_app(["research", "why?", "--corpus", "papers"]) == ExitCode.DONE
    assert "reader" not in steps
