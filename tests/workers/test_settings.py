import os
import sys
from pathlib import Path

import pytest

from caveat.workers.settings import SettingsProblem, load


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("CAVEAT_", "XDG_")):
            monkeypatch.delenv(name)


def test_defaults_are_the_platforms_folders_and_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/somewhere/state")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere/cache")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/somewhere/config")
    settings = load()
    if sys.platform == "linux":
        assert settings.state_dir == Path("/somewhere/state/caveat")
        assert settings.cache_dir == Path("/somewhere/cache/caveat")
        assert settings.teams_dir == Path("/somewhere/config/caveat/teams")
    assert (settings.port, settings.web_port) == (7233, 8234)
    assert settings.corpus == settings.corpus_roots == ()


def test_the_environment_decides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CAVEAT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("CAVEAT_CONFIG_DIR", "~/config")
    monkeypatch.setenv("CAVEAT_PORT", "7300")
    monkeypatch.setenv("CAVEAT_CORPUS", os.pathsep.join([str(tmp_path / "a"), "~/b", ""]))
    settings = load()
    assert settings.web_port == 8301
    assert settings.corpus == (tmp_path / "a", Path.home() / "b")
    assert settings.teams_dir == Path.home() / "config" / "teams"
    assert settings.server_database == tmp_path / "state" / "server" / "temporal.db"


@pytest.mark.parametrize(
    ("name", "value"), [("CAVEAT_PORT", "abc"), ("CAVEAT_PORT", "0"), ("CAVEAT_PORT", "64535")]
)
def test_bad_values_are_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsProblem) as problem:
        load()
    text = str(problem.value)
    assert text.startswith(name)
    assert value in text
    assert text.count(". ") == 0


@pytest.mark.parametrize(
    "url",
    ["/folder", "s3:/b", "ftp://b/x", "s3://AKIA:hunter2@b", "s3://b?key=hunter2", "s3://b/../c"],
)
def test_a_bucket_is_a_plain_url(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("CAVEAT_BLOBS", url)
    with pytest.raises(SettingsProblem, match=r"^CAVEAT_BLOBS takes s3://") as problem:
        load()
    assert "hunter2" not in str(problem.value)


def test_the_address_of_the_page_has_no_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAVEAT_WEB_HOST", "127.0.0.1:8344")
    with pytest.raises(SettingsProblem, match="CAVEAT_WEB_HOST takes an address without a port"):
        load()
