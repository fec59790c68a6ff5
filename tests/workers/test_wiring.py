"""What the settings choose: reasoner, engines, libraries, memory, notifiers and bounds."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import SecretStr

from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.corpus.library import CorpusLibrary
from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.adapters.web.library import SeveralLibraries
from caveat.workers import serving
from caveat.workers.connection import Connection
from caveat.workers.reasoners import choose_reasoner, connect_models
from caveat.workers.settings import Settings, SettingsProblem, load
from caveat.workers.wiring import build_notifier, choose_engine, choose_library, open_memory
from caveat.workers.worker import Registry
from tests.fakes.databases import count
from tests.fakes.disputes import a_ruling_record
from tests.fakes.postgresql import PostgreSql


def with_memory(settings: Settings, url: str) -> Settings:
    return settings.model_copy(update={"memory_url": SecretStr(url)})


async def test_memory_is_at_its_address_alone(settings: Settings, postgresql: PostgreSql) -> None:
    url = postgresql.new_database()
    await open_memory(with_memory(settings, url)).record_ruling(a_ruling_record("a"))
    assert count(url, "rulings") == 1
    assert not settings.state_dir.exists()


def test_an_address_that_cannot_remember_is_named_by_its_variable(settings: Settings) -> None:
    with pytest.raises(SettingsProblem, match="CAVEAT_MEMORY_URL cannot be used") as problem:
        open_memory(with_memory(settings, "mysql://user:hunter2@host/db"))
    assert "must be the URL of a PostgreSQL database or an SQLite file" in str(problem.value)
    assert "hunter2" not in str(problem.value)


def chosen(settings: Settings, **changes: object) -> Settings:
    return settings.model_copy(update=changes)


KEY = {"anthropic_api_key": SecretStr("sk-test")}


@pytest.fixture
def index(settings: Settings) -> CorpusIndex:
    return CorpusIndex(settings.index_folder)


def test_without_a_key_nothing_leaves_the_machine(settings: Settings, index: CorpusIndex) -> None:
    assert isinstance(choose_reasoner(settings, index), ExtractiveReasoner)
    assert list(choose_engine(settings, index).on_the_web) == ["corpus"]
    assert isinstance(choose_library(settings, index), CorpusLibrary)


def test_a_key_means_claude_and_the_web(settings: Settings, index: CorpusIndex) -> None:
    keyed = chosen(settings, **KEY)
    assert isinstance(choose_reasoner(keyed, index, connect_models(keyed)), ClaudeReasoner)
    engine = choose_engine(keyed, index, connect_models(keyed))
    assert (list(engine.beside_folders), list(engine.on_the_web)) == (["corpus"], ["claude"])
    assert isinstance(choose_library(keyed, index), SeveralLibraries)


def test_engines_are_chosen_by_name(settings: Settings, index: CorpusIndex) -> None:
    alone = choose_engine(chosen(settings, search=("corpus",)), index)
    assert list(alone.on_the_web) == ["corpus"]
    both = choose_engine(chosen(settings, search=("corpus", "wikipedia", "arxiv")), index)
    assert list(both.beside_folders) == ["corpus", "wikipedia", "arxiv"]
    assert list(both.on_the_web) == ["wikipedia", "arxiv"]


@pytest.mark.parametrize(
    ("search", "why"), [(("altavista",), "altavista"), (("claude",), "ANTHROPIC_API_KEY")]
)
def test_an_engine_that_cannot_be_had_is_one_sentence(
    settings: Settings, index: CorpusIndex, search: tuple[str, ...], why: str
) -> None:
    with pytest.raises(SettingsProblem, match=why):
        choose_engine(chosen(settings, search=search), index)


def test_key_of_environment_or_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert not load().uses_claude
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    assert load().uses_claude
    assert "sk-test" not in repr(load())
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    (tmp_path / "key").write_text("sk-test", encoding="utf-8")
    monkeypatch.setenv("ANTHROPIC_API_KEY_FILE", str(tmp_path / "key"))
    assert load().uses_claude
    monkeypatch.delenv("ANTHROPIC_API_KEY_FILE")
    monkeypatch.setenv("CAVEAT_REASONER", "claude")
    with pytest.raises(SettingsProblem, match="there is no key"):
        load()


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("CAVEAT_"):
            monkeypatch.delenv(name)


@pytest.mark.parametrize("address", ["https://planted.example/", "planted"])
def test_unknown_services_are_refused_and_not_shown(settings: Settings, address: str) -> None:
    told = chosen(settings, notify=SecretStr(f"jsons://planted@localhost {address}"))
    with pytest.raises(SettingsProblem, match=r"^CAVEAT_NOTIFY cannot be used: ") as problem:
        build_notifier(told)
    assert "planted" not in f"{problem.value} {told!r}"


CONNECTION = Connection(cast("Any", None), None)


async def serve_all(settings: Settings) -> None:
    stop = asyncio.Event()
    stop.set()
    await serving.serve(CONNECTION, settings, stop)


async def serve_one(settings: Settings) -> None:
    async with serving.serve_backend(CONNECTION, settings):
        pass


@pytest.mark.parametrize("serve", [serve_all, serve_one])
@pytest.mark.parametrize(("per_minute", "per_second"), [(90, 1.5), (None, None)])
async def test_the_bound_of_the_settings_is_kept(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, serve: Any, per_minute: int | None,
    per_second: float | None,
) -> None:  # fmt: skip
    heard: list[float | None] = []

    @asynccontextmanager
    async def serve_queues(_: object, registry: Registry, *__: object) -> AsyncIterator[None]:
        heard.append(registry.reasoned_per_second)
        yield

    for name in ("serve_runs", "run_activity_workers"):
        monkeypatch.setattr(serving, name, serve_queues)
    await serve(settings.model_copy(update={"requests_per_minute": per_minute}))
    assert heard == [per_second]
