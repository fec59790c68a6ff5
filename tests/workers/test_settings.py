import hashlib
import itertools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from caveat.rendering.backends import describe_backend
from caveat.workers.models import build_backend
from caveat.workers.settings import Settings, SettingsProblem, load


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


# What makes two workers one backend, and what must never be seen of it.


KEY = "sk-ant-planted-0123456789"
OTHER = "sk-ant-another-987654321"
Make = Callable[..., Settings]


@pytest.fixture
def make(settings: Settings) -> Make:
    def made(**changes: Any) -> Settings:
        return settings.model_copy(update=changes)

    return made


def variants(make: Make, folder: Path) -> dict[str, Settings]:
    """Settings of which no two may take part in one run."""
    key = {"anthropic_api_key": SecretStr(KEY)}
    return {
        "extractive": make(),
        "extractive on the web": make(search=("wikipedia",)),
        "a key": make(**key),
        "another key": make(anthropic_api_key=SecretStr(OTHER)),
        "a key's file": make(anthropic_api_key_file=folder / "key"),
        "another file": make(anthropic_api_key_file=folder / "other"),
        "another model": make(**key, models="analysis=claude-haiku-5-5"),
        "another server": make(**key, anthropic_base_url="http://127.0.0.1:8080"),
        "another port": make(**key, anthropic_base_url="http://127.0.0.1:8081"),
        "no key": make(anthropic_base_url="http://127.0.0.1:8080"),
        "engines": make(**key, search=("claude",)),
        "more engines": make(**key, search=("claude", "wikipedia")),
    }


def test_whatever_decides_where_texts_go_makes_another_backend(make: Make, tmp_path: Path) -> None:
    named = {name: build_backend(each) for name, each in variants(make, tmp_path).items()}
    for (one, a), (other, b) in itertools.combinations(named.items(), 2):
        assert a.id != b.id, (one, other)


def test_what_decides_nothing_of_a_result_makes_no_other_backend(make: Make) -> None:
    key: dict[str, Any] = {"anthropic_api_key": SecretStr(KEY)}
    changes = {"requests_per_minute": 3.0, "notify": SecretStr("jsons://localhost")}
    assert build_backend(make(**key)) == build_backend(make(**key, **changes))


def test_a_rotated_key_in_a_file_is_the_same_backend(make: Make, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(KEY)
    before = build_backend(make(anthropic_api_key_file=file))
    file.write_text(OTHER)
    assert build_backend(make(anthropic_api_key_file=file)) == before


def test_the_name_of_a_key_cannot_be_tried_out(make: Make, tmp_path: Path) -> None:
    here = build_backend(make(anthropic_api_key=SecretStr(KEY)))
    elsewhere = make(anthropic_api_key=SecretStr(KEY), state_dir=tmp_path / "elsewhere")
    assert here.credentials != build_backend(elsewhere).credentials
    shown = here.model_dump_json() + here.id + describe_backend(here)
    assert KEY not in shown
    for digest in (hashlib.sha256, hashlib.sha1, hashlib.md5):
        assert digest(KEY.encode()).hexdigest()[:12] not in shown


def test_a_password_in_an_address_is_not_shown(make: Make) -> None:
    named = build_backend(make(anthropic_base_url="https://user:planted@host.example/planted"))
    assert "planted" not in named.model_dump_json() + describe_backend(named)
    assert "host.example" in describe_backend(named)
