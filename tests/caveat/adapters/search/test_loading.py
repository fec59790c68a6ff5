"""Engines by name, and those of other packages."""

from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from caveat import plugins
from caveat.adapters.search import loading
from caveat.adapters.search.asking import Resources, read_setting
from caveat.adapters.search.loading import create_engine
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask
from caveat.plugins import Extension, PluginError
from tests.caveat.adapters.search.conftest import Engines


class Another:
    async def search(self, task: SearchTask) -> SearchResults:
        return SearchResults(query=task.query)


def make(resources: Resources) -> Another:
    return Another()


def make_badly(resources: Resources) -> Another:
    raise ValueError("it wants a setting")


def make_nothing(resources: Resources) -> None:
    return None


NOT_CALLABLE = 7


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    points: list[EntryPoint] = []

    def find(group: str) -> EntryPoints:
        assert group == Extension.SEARCH_ENGINE
        return EntryPoints(points)

    monkeypatch.setattr(plugins, "entry_points", find)
    return points


def point(name: str, attribute: str) -> EntryPoint:
    return EntryPoint(name, f"{__name__}:{attribute}", Extension.SEARCH_ENGINE)


def test_every_engine_that_ships_can_be_made(engines: Engines) -> None:
    names = ("arxiv", "brave", "ddgs", "openalex", "searxng", "tavily", "wikipedia")
    assert tuple(loading.SHIPPED) == names
    for name in names:
        assert callable(create_engine(name, engines.resources).search)


def test_a_package_may_offer_an_engine(offered: list[EntryPoint], engines: Engines) -> None:
    offered.append(point("another", "make"))
    assert type(create_engine("another", engines.resources)).__name__ == "Another"
    assert type(create_engine("wikipedia", engines.resources)).__name__ == "Wikipedia"


@pytest.mark.parametrize(
    ("points", "name", "said"),
    [
        ([], "nowhere", "known are arxiv, brave, claude, corpus, ddgs, mcp:NAME"),
        ([("x", "missing")], "x", "cannot be loaded"),
        ([("x", "NOT_CALLABLE")], "x", "cannot be called"),
        ([("x", "make_badly")], "x", "it wants a setting"),
        ([("x", "make_nothing")], "x", "no search engine"),
        ([("x", "make"), ("x", "make_badly")], "x", "offered twice"),
        ([("tavily", "make")], "tavily", "offered twice"),
        ([("corpus", "make")], "corpus", "offered twice"),
    ],
)
def test_an_engine_that_cannot_be_had_says_why(
    offered: list[EntryPoint], engines: Engines, points: list[tuple[str, str]], name: str, said: str
) -> None:
    offered.extend(point(*each) for each in points)
    with pytest.raises(PluginError, match=said):
        create_engine(name, engines.resources)


def test_a_setting_comes_from_the_environment_or_a_file_and_is_read_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
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
