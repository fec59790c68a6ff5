"""Sources read where else they may be had, over real HTTP, and said to be read there."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.web.library import WebLibrary
from caveat.contracts.report import Remedy, Report
from caveat.contracts.source import Hit, SearchResults, SourceKind, SourceRef
from caveat.contracts.tasks import SearchTask
from caveat.ports import SearchEngine
from caveat.rendering.markdown import render
from caveat.rules.audit import audit
from caveat.rules.sources import compute_source_id
from caveat.workers.wiring import build_registry
from caveat.workers.worker import serve_runs
from tests.fakes.ports import World, ports_of
from tests.fakes.runs import Handle, report_of, start_run, texts
from tests.fakes.web import Web, page, the_web
from tests.fakes.worlds import page_text


def source(url: str, *also: str) -> SourceRef:
    return SourceRef(
        id=compute_source_id(url), title=url, url=url, kind=SourceKind.PEER_REVIEWED, also_at=also
    )


@dataclass
class Found:
    """Finds for each query what a test wants."""

    sources: dict[str, list[SourceRef]] = field(default_factory=dict)

    async def search(self, task: SearchTask) -> SearchResults:
        hits = (Hit(source=each, score=1.0) for each in self.sources.get(task.query, ()))
        return SearchResults(query=task.query, hits=tuple(hits))


@dataclass
class House:
    """A run over the web of a test."""

    environment: WorkflowEnvironment
    queue: str
    world: World
    web: Web  # every page
    cache: Path  # where pages are kept
    engine: SearchEngine = field(default_factory=Found)  # what is searched

    async def report(self, name: str = "first") -> Report:
        library = WebLibrary(self.web.fetcher(self.cache))
        ports = replace(ports_of(self.world), engine=self.engine, library=library)
        client = self.environment.client
        async with serve_runs(client, build_registry(ports), self.queue):
            handle: Handle = await start_run(
                client, self.queue, f"research-{name}-{self.queue}", topic="alpha"
            )
            return await report_of(handle)


@pytest.fixture
def web() -> Iterator[Web]:
    with the_web() as made:
        yield made


@pytest.fixture
def house(
    environment: WorkflowEnvironment, task_queue: str, world: World, web: Web, tmp_path: Path
) -> House:
    world.angles = {"Alpha width": ("alpha",)}
    for number in (1, 2, 3):
        web.pages[f"host{number}.test/a"] = page(f"<p>{page_text(number)}.</p>", ETag=f'"{number}"')
    return House(environment, task_queue, world, web, tmp_path)


def first_of(report: Report, url: str) -> str:
    """Return what the Markdown says of a source."""
    entries = [line for line in render(report).splitlines() if 'id="source-' in line]
    lines = [line for line in entries if url in line]
    return lines[0]


async def test_a_source_that_has_moved_is_read_where_an_engine_knows_it_too(house: House) -> None:
    assert isinstance(house.engine, Found)
    house.engine.sources["alpha"] = [
        source("http://gone.test/a", "http://host1.test/a"),
        source("http://host2.test/a"),
    ]
    report = await house.report()
    (failed,) = report.failures
    assert (failed.remedy, failed.recovered) == (Remedy.ALTERNATIVE, True)
    read = {each.url: each.read_at for each in report.sources}
    # It is cited by the address where it was found, and said to be read at another.
    assert read == {"http://gone.test/a": "http://host1.test/a", "http://host2.test/a": None}
    assert "Read at http://host1.test/a instead" in first_of(report, "gone.test").replace("\\", "")
    assert len(report.sections[0].claims) == 2
    assert audit(report, texts(house.world)).passed
