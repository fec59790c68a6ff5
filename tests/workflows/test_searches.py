"""Searches over several engines: each is asked on its own account, over real HTTP."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from httpcore2 import AnyIOBackend
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.http.client import Client
from caveat.adapters.search.web import Brave, SearXng
from caveat.adapters.search.wikipedia import Wikipedia
from caveat.contracts.envelope import AgentType
from caveat.contracts.plan import Inventory
from caveat.contracts.report import Report, ReportedFailure
from caveat.contracts.source import Snapshot, SourceRef
from caveat.ports import Document, SearchEngine
from caveat.workers.wiring import SeveralEngines, build_registry
from caveat.workers.worker import serve_runs
from tests.fakes.ports import FakeLibrary, World, ports_of
from tests.fakes.runs import Handle, report_of, start_run
from tests.fakes.web import AGENT, TRUST, Reply, Web, status, the_web
from tests.fakes.worlds import page_text

QUERIES = {"wikipedia": "gsrsearch", "brave": "q", "searxng": "q"}
"""The engines of these tests, and the parameter in which each takes a query."""

PATHS = {"/w/api.php": "wikipedia", "/res/v1/web/search": "brave", "/sx/search": "searxng"}
HEALTHY = ("brave", "searxng")


@dataclass
class Engines:
    """Three engines on the loopback address."""

    web: Web  # the server behind all of them
    # what an engine answers instead of results, first ones first; the last one stays
    replies: dict[str, list[Reply | None]] = field(default_factory=dict)

    def asked(self) -> Counter[tuple[str, str]]:
        """How often each engine was asked each query."""
        return Counter(_asked(request.path) for request in self.web.requests)

    def several(self) -> SeveralEngines:
        client = Client(user_agent=AGENT, backend=AnyIOBackend(), trust=TRUST)
        base = f"http://127.0.0.1:{self.web.port}"
        settings = {"BRAVE_API_KEY": "key", "SEARXNG_URL": f"{base}/sx"}
        engines: dict[str, SearchEngine] = {
            "wikipedia": Wikipedia(client, base, settings.get),
            "brave": Brave(client, base, settings.get),
            "searxng": SearXng(client, setting=settings.get),
        }
        return SeveralEngines(engines, engines)

    def reply(self, handler: BaseHTTPRequestHandler) -> None:
        engine, query = _asked(handler.path)
        scripted = self.replies.get(engine, [None])
        chosen = scripted.pop(0) if len(scripted) > 1 else scripted[0]
        (chosen or status(200, json.dumps(_results(engine, query))))(handler)


def _asked(path: str) -> tuple[str, str]:
    parts = urlsplit(path)
    engine = PATHS[parts.path]
    return engine, parse_qs(parts.query)[QUERIES[engine]][0]


def _results(engine: str, query: str) -> object:
    """Three pages that only this engine knows."""
    pages = [
        {
            "url": f"https://{engine}.test/{query.replace(' ', '-')}/{number}",
            "title": f"{engine} {number}",
        }
        for number in range(1, 4)
    ]
    match engine:
        case "brave":
            return {"type": "search", "web": {"results": pages}}
        case "searxng":
            return {"results": pages}
    found = [
        {"index": number, "canonicalurl": page["url"], "title": page["title"]}
        for number, page in enumerate(pages, start=1)
    ]
    return {"query": {"pages": found}}


@dataclass(frozen=True)
class Pages(FakeLibrary):
    """Pages by their addresses, each with a text of its own."""

    async def take_stock(self, corpus: tuple[str, ...], *_: Any) -> Inventory:
        return Inventory(corpus=(), documents=0, beyond=True)

    async def read(self, source: SourceRef) -> Document:
        await self.world.work("read", source.url or "")
        number = sum(map(ord, source.url or ""))
        return Document(source=source, snapshot=Snapshot(text=page_text(number)))


@pytest.fixture
def engines() -> Iterator[Engines]:
    with the_web() as web:
        made = Engines(web)
        web.pages["127.0.0.1/*"] = made.reply
        yield made


@pytest.fixture
async def serving_engines(
    environment: WorkflowEnvironment, world: World, engines: Engines, task_queue: str
) -> AsyncIterator[None]:
    ports = replace(ports_of(world), engine=engines.several(), library=Pages(world))
    async with serve_runs(environment.client, build_registry(ports), task_queue):
        yield


@dataclass(frozen=True)
class Runs:
    """Starts runs of a test's world."""

    environment: WorkflowEnvironment
    queue: str

    async def start(self, name: str = "first", **request: object) -> Handle:
        return await start_run(
            self.environment.client, self.queue, f"research-{name}-{self.queue}", **request
        )


@pytest.fixture
def runs(environment: WorkflowEnvironment, task_queue: str, serving_engines: None) -> Runs:
    return Runs(environment, task_queue)


def searchers(report: Report) -> list[ReportedFailure]:
    return [each for each in report.failures if each.agent_type == AgentType.SEARCHER]


DOWN = status(503)
FAULTS: dict[str, tuple[list[Reply | None], int, bool]] = {
    # What one engine says, how often it may be asked a query, and whether it answers in the end.
    "a blip": ([DOWN, DOWN, None], 3, True),
    "an outage": ([DOWN] * 6 + [None], 8, True),
    "limited": ([status(429, Retry_After="1")], 8, False),
    "refused": ([status(401)], 2, False),
    "no answer": ([status(200, "<html>proxy</html>")], 8, False),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_healthy_engines_are_asked_once(engines: Engines, runs: Runs, fault: str) -> None:
    engines.replies["wikipedia"], most, answers = FAULTS[fault]
    report = await report_of(await runs.start())
    asked = engines.asked()
    queries = ("alpha", "beta")
    assert {(each, query): asked[each, query] for each in HEALTHY for query in queries} == {
        (each, query): 1 for each in HEALTHY for query in queries
    }
    assert all(asked["wikipedia", query] <= most for query in queries)
    # Both angles are whole: they were searched, and what was found is read.
    assert all(section.claims for section in report.sections)
    failures = searchers(report)
    lost = [each for each in failures if not each.recovered]
    assert bool(lost) is not answers
    assert all("wikipedia" in each.failure.message for each in failures)
    assert all(each.failure.provider == "wikipedia" for each in failures)
    areas = [each.area for each in report.limitations if "Searches" in each.area]
    assert bool(areas) is bool(failures)
    reasons = " ".join(
        step.reason for section in report.sections for step in section.confidence.ledger
    )
    assert "partial" not in reasons


async def test_follow_ups_ask_the_failed_engine(engines: Engines, runs: Runs, world: World) -> None:
    engines.replies["wikipedia"] = [DOWN]
    first = await report_of(await runs.start())
    engines.replies.clear()
    before = engines.asked()
    second = await report_of(await runs.start("follow-up", follow_up_of=first.run_id))
    asked = engines.asked() - before
    assert asked == Counter({("wikipedia", "alpha"): 1, ("wikipedia", "beta"): 1})
    assert world.calls["read https://wikipedia.test/alpha/1"] == 1
    assert all(each.recovered for each in searchers(second))
