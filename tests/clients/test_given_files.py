"""Documents that were named one by one."""

from pathlib import Path

import pytest

from caveat.clients.problems import BadInput
from caveat.clients.requests import Options, requested
from caveat.workers.settings import Settings


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.delenv("TEMPORAL_ADDRESS", raising=False)
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", str(tmp_path / "none.toml"))
    return Settings(state_dir=tmp_path / "state")


def document(path: Path, text: str = "Text.") -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_files_are_searched_together_beside_folders(tmp_path: Path, settings: Settings) -> None:
    named = [document(tmp_path / "a" / "x.md", "One."), document(tmp_path / "b" / "x.md", "Two.")]
    document(tmp_path / "folder" / "y.md")
    request = requested(Options("Why?", corpus=(*named, str(tmp_path / "folder"))), settings)
    folder, gathered = map(Path, request.corpus)
    assert folder == tmp_path / "folder"
    assert gathered.is_relative_to(settings.uploads_folder)
    assert sorted(each.read_text() for each in gathered.iterdir()) == ["One.", "Two."]


def test_a_topic_that_is_refused_copies_nothing(tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(BadInput, match="topic is empty"):
        requested(Options(" ", corpus=(document(tmp_path / "x.md"),)), settings)
    assert not settings.uploads_folder.exists()
