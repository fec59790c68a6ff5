"""Engines by name, and several: a query goes to the one it names."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from caveat.adapters.search.asking import read_setting
from caveat.contracts.failure import FailureCategory
from caveat.contracts.source import Hit, SearchResults, SourceRef
from caveat.contracts.tasks import SearchTask
from caveat.ports import SearchEngines
from caveat.workers.searches import SeveralEngines
from tests.caveat.adapters.search.conftest import a_task
from tests.fakes.failures import failure_of


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


@dataclass
class Engine:
    """Finds one source of its own name."""

    name: str
    asked: list[SearchTask] = field(default_factory=list)

    async def search(self, task: SearchTask) -> SearchResults:
        self.asked.append(task)
        hit = Hit(source=SourceRef(id=f"s-{self.name}", title=self.name))
        return SearchResults(query=task.query, hits=(hit,))


def task_of(engine: str | None) -> SearchTask:
    return a_task().model_copy(update={"engine": engine})


async def test_only_the_engine_that_is_named_is_asked() -> None:
    one, two = Engine("one"), Engine("two")
    several = SeveralEngines({"one": one}, {"one": one, "two": two})
    assert isinstance(several, SearchEngines)
    assert several.name_engines(()) == ("one", "two")
    assert several.name_engines(("/c",)) == ()
    found = await several.search(task_of("two"))
    assert [hit.source.title for hit in found.hits] == ["two"]
    assert (len(one.asked), len(two.asked)) == (0, 1)


@pytest.mark.parametrize("name", [None, "three"])
async def test_an_engine_that_is_not_set_up_is_no_empty_result(name: str | None) -> None:
    failed = await failure_of(
        SeveralEngines({}, {"one": Engine("one"), "two": Engine("two")}).search(task_of(name))
    )
    # Business of a provider: somebody can set it up, and a follow-up asks it then.
    assert (failed.category, failed.provider) == (FailureCategory.BUSINESS, name)
    assert not failed.retry_recommended
