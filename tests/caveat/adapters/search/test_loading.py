"""Engines by name, and those of other packages."""

from pathlib import Path

import pytest

from caveat.adapters.search import loading
from caveat.adapters.search.asking import read_setting
from caveat.adapters.search.loading import create_engine
from caveat.plugins import PluginError
from tests.caveat.adapters.search.conftest import Engines


def test_every_engine_that_ships_can_be_made(engines: Engines) -> None:
    names = ("arxiv", "brave", "openalex", "searxng", "tavily", "wikipedia")
    assert tuple(loading.SHIPPED) == names
    for name in names:
        assert callable(create_engine(name, engines.resources).search)


def test_an_engine_that_nobody_offers_is_named_with_those_that_are_known(engines: Engines) -> None:
    with pytest.raises(PluginError, match=r"“nowhere”.* known are arxiv, brave, claude, corpus"):
        create_engine("nowhere", engines.resources)


def test_a_setting_is_of_file_or_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    assert read_setting("TAVILY_API_KEY") is None
    file = tmp_path / "key"
    monkeypatch.setenv("TAVILY_API_KEY_FILE", str(file))
    assert read_setting("TAVILY_API_KEY") is None
    for key in ("one", "two"):
        file.write_text(f"{key}\n", encoding="utf-8")
        assert read_setting("TAVILY_API_KEY") == key
    monkeypatch.setenv("TAVILY_API_KEY", " three ")
    assert read_setting("TAVILY_API_KEY") == "three"
