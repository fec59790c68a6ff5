"""Which reasoner, engines and libraries the settings choose."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from caveat.adapters.claude.messages.capabilities import Capabilities
from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.corpus.library import CorpusLibrary, CorpusSearch
from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.adapters.search.loading import SeveralEngines
from caveat.adapters.search.openalex import Catalogued, OpenAlex
from caveat.adapters.web.library import SeveralLibraries
from caveat.workers.models import models
from caveat.workers.reasoners import connection, reasoner
from caveat.workers.searches import CorpusElseWeb, engine, library
from caveat.workers.settings import Settings, SettingsProblem, load


def chosen(settings: Settings, **changes: object) -> Settings:
    return settings.model_copy(update=changes)


KEY = {"anthropic_api_key": SecretStr("sk-test")}


def capabilities(settings: Settings) -> Capabilities:
    made = connection(settings)
    assert made is not None
    return made.capabilities


@pytest.fixture
def index(settings: Settings) -> CorpusIndex:
    return CorpusIndex(settings.index_folder)


def test_without_a_key_nothing_leaves_the_machine(settings: Settings, index: CorpusIndex) -> None:
    assert isinstance(reasoner(settings, index), ExtractiveReasoner)
    assert isinstance(engine(settings, index), CorpusSearch)
    assert isinstance(library(settings, index), CorpusLibrary)


def test_a_key_turns_the_reasoner_into_claude_and_opens_the_web(
    settings: Settings, index: CorpusIndex
) -> None:
    keyed = chosen(settings, **KEY)
    assert isinstance(reasoner(keyed, index, connection(keyed)), ClaudeReasoner)
    assert isinstance(engine(keyed, index, connection(keyed)), CorpusElseWeb)
    assert isinstance(library(keyed, index), SeveralLibraries)


def test_engines_are_chosen_by_name(settings: Settings, index: CorpusIndex) -> None:
    assert isinstance(engine(chosen(settings, search=("corpus",)), index), CorpusSearch)
    both = engine(chosen(settings, search=("corpus", "wikipedia", "arxiv")), index)
    assert isinstance(both, CorpusElseWeb)
    assert isinstance(both.corpus, SeveralEngines)
    assert list(both.corpus.engines) == ["corpus", "wikipedia", "arxiv"]
    assert isinstance(both.web, SeveralEngines)
    assert list(both.web.engines) == ["wikipedia", "arxiv"]


def test_a_catalogue_of_works_completes_what_the_others_find(
    settings: Settings, index: CorpusIndex
) -> None:
    found = engine(chosen(settings, search=("corpus", "wikipedia", "openalex")), index)
    assert isinstance(found, CorpusElseWeb)
    assert isinstance(found.corpus, SeveralEngines)
    engines = found.corpus.engines
    assert isinstance(engines["corpus"], CorpusSearch)
    assert isinstance(engines["openalex"], OpenAlex)
    completed = engines["wikipedia"]
    assert isinstance(completed, Catalogued)
    assert completed.catalogue is engines["openalex"]


@pytest.mark.parametrize(
    ("search", "why"), [(("altavista",), "altavista"), (("claude",), "ANTHROPIC_API_KEY")]
)
def test_an_engine_that_cannot_be_had_is_one_sentence(
    settings: Settings, index: CorpusIndex, search: tuple[str, ...], why: str
) -> None:
    with pytest.raises(SettingsProblem, match=why):
        engine(chosen(settings, search=search), index)


def test_models_are_chosen_for_all_roles_or_for_some(settings: Settings) -> None:
    assert models(chosen(settings, models="llama")).names == ("llama",)
    some = models(chosen(settings, models="planning=a, analysis = b"))
    assert (some.by_role["planning"], some.by_role["analysis"]) == ("a", "b")
    assert some.by_role["synthesis"] == models(settings).by_role["synthesis"]
    for wrong in ("cooking=a", "planning=", "a,b"):
        with pytest.raises(SettingsProblem, match="CAVEAT_MODELS"):
            models(chosen(settings, models=wrong))


def test_only_anthropics_server_is_taken_to_hold_answers_to_a_schema(settings: Settings) -> None:
    keyed = chosen(settings, **KEY)
    assert capabilities(keyed).structured_outputs
    local = chosen(settings, anthropic_base_url="http://127.0.0.1:11434")
    assert not capabilities(local).structured_outputs
    told = chosen(local, structured_outputs=True)
    assert capabilities(told).structured_outputs


def test_the_key_comes_from_the_environment_or_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
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


def test_a_local_server_of_models_searches_no_web(settings: Settings, index: CorpusIndex) -> None:
    local = chosen(settings, anthropic_base_url="http://127.0.0.1:11434")
    assert isinstance(engine(local, index, connection(local)), CorpusSearch)
    assert isinstance(library(local, index), CorpusLibrary)
