"""Sources read where else they may be had, over real HTTP, and said to be read there."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from httpcore2 import AnyIOBackend
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.http.client import Client
from caveat.adapters.search.asking import EngineApi, Resources
from caveat.adapters.search.web import Brave
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
from tests.fakes.web import AGENT, TRUST, Web, page, status, the_web
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


async def test_a_page_that_is_gone_is_read_in_our_own_copy_of_a_day(house: House) -> None:
    assert isinstance(house.engine, Found)
    house.engine.sources["alpha"] = [source(f"http://host{number}.test/a") for number in (1, 2)]
    before = await house.report()
    assert [each.as_of for each in before.sources] == [None, None]
    house.web.pages["host1.test/a"] = status(404)
    report = await house.report("second")
    days = {each.url: each.as_of for each in report.sources}
    assert days == {"http://host1.test/a": report.created.date(), "http://host2.test/a": None} or (
        days["http://host1.test/a"] is not None  # the server's clock skips hours, the cache's not
    )
    assert "Read in our own copy of" in first_of(report, "host1.test")
    assert {each.quote for each in report.claims} == {each.quote for each in before.claims}
    assert any("made good" in each.area for each in report.limitations)


async def test_a_query_that_an_engine_does_not_understand_is_said_plainly(
    house: House, world: World
) -> None:
    query = '"alpha width" AND (metres'
    world.angles = {"Alpha width": (query,)}
    asked: list[str] = []

    def reply(handler: BaseHTTPRequestHandler) -> None:
        asked.append(parse_qs(urlsplit(handler.path).query)["q"][0])
        found = {"results": [{"url": "http://host1.test/a", "title": "One"}]}
        answer = json.dumps({"type": "search", "web": found})
        (status(400) if "(" in asked[-1] else status(200, answer))(handler)

    house.web.pages["127.0.0.1/*"] = reply
    client = Client(user_agent=AGENT, backend=AnyIOBackend(), trust=TRUST)
    resources = Resources(client, lambda _: "key")
    base = f"http://127.0.0.1:{house.web.port}"
    house.engine = Brave(EngineApi("brave", client), resources, base)
    report = await house.report()
    assert asked[:2] == [query, "alpha width metres"]
    failed = report.failures[0]
    assert (failed.remedy, failed.recovered) == (Remedy.ALTERNATIVE, True)
    assert len(report.sections[0].claims) == 1
