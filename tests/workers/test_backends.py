"""What makes two workers one backend, and what must never be seen of it."""

import hashlib
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from caveat.rendering.backends import describe_backend
from caveat.workers.backends import build_backend
from caveat.workers.settings import Settings

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
