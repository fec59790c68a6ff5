"""Runs that left their files here, and no server to ask about them."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from caveat.workers.settings import Settings, load
from tests.fakes.free_ports import HOST, free_port
from tests.fakes.home import Home


@pytest.fixture
def no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """Folders of their own, and a port that no server could take."""
    for name in ("TEMPORAL_ADDRESS", "TEMPORAL_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", str(tmp_path / "no-profile.toml"))
    monkeypatch.setenv("CAVEAT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("CAVEAT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    with socket.socket() as taken:
        taken.bind((HOST, free_port()))
        monkeypatch.setenv("CAVEAT_PORT", str(taken.getsockname()[1]))
        yield load()


@pytest.fixture
def disputed_home(tmp_path: Path) -> Home:
    """A home whose two notes contradict each other, and nothing beside them."""
    made = Home(tmp_path)
    for document in made.corpus.iterdir():
        if document.name not in {"planck.md", "shoes.md"}:
            document.unlink()
    return made
