"""Each engine against a local stand-in, with answers as its vendor documents them."""

import asyncio
import datetime as dt
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from urllib.parse import parse_qs, urlsplit

import pytest

from caveat.adapters.http.manners import Manners
from caveat.adapters.search.arxiv import Arxiv
from caveat.adapters.search.asking import SHIPPED, read_setting
from caveat.contracts.envelope import FailureCategory, FailureType
from caveat.contracts.source import Hit, SearchResults, SourceKind, SourceRef
from caveat.contracts.tasks import SearchTask
from caveat.ports import SearchEngine, SearchEngines
from caveat.workers.wiring import SeveralEngines
from tests.caveat.adapters.search.conftest import HOST, Engines, a_task
from tests.fakes import engines as said
from tests.fakes.failures import failure_of
from tests.fakes.web import Reply, page

KEY = "planted-key-0123456789"
PATHS = {
    "wikipedia": "/w/api.php",
    "arxiv": "/api/query",
    "tavily": "/search",
    "brave": "/res/v1/web/search",
    "searxng": "/search",
    "openalex": "/works",
}
ANSWERS = {
    "wikipedia": said.WIKIPEDIA,
    "arxiv": said.ARXIV,
    "tavily": said.TAVILY,
    "brave": said.BRAVE,
    "searxng": said.SEARXNG,
    "openalex": said.OPENALEX,
}
NAMES = sorted(PATHS)


def engine(name: str, engines: Engines) -> SearchEngine:
    engines.settings.update(
        {"TAVILY_API_KEY": KEY, "BRAVE_API_KEY": KEY, "SEARXNG_URL": f"{engines.base}/"}
    )
    if name == "arxiv":
        return Arxiv(engines.client, engines.base, manners=Manners(interval_s=0.0))
    made: SearchEngine = resolve_name(SHIPPED[name])(
        engines.client, engines.base, engines.settings.get
    )
    return made


def says(name: str, engines: Engines, reply: Reply) -> None:
    engines.web.pages[f"{HOST}{PATHS[name]}"] = reply


def titles(found: SearchResults) -> list[tuple[str, str | None]]:
    return [(hit.source.title, hit.source.url) for hit in found.hits]


async def test_wikipedia_answers_in_the_order_of_its_search(engines: Engines) -> None:
    says("wikipedia", engines, page(said.WIKIPEDIA, "application/json"))
    found = await engine("wikipedia", engines).search(a_task(limit=7))
    assert titles(found) == [
        ("Io (moon)", "https://en.wikipedia.org/wiki/Io_(moon)"),
        ("Galilean moons", "https://en.wikipedia.org/wiki/Galilean_moons"),
    ]
    assert {hit.source.kind for hit in found.hits} == {SourceKind.ENCYCLOPEDIA}
    asked = parse_qs(urlsplit(engines.web.seen[0].path).query)
    assert (asked["gsrsearch"], asked["gsrlimit"]) == (["moons of Jupiter"], ["7"])
    assert engines.web.seen[0].headers["User-Agent"] == "Caveat/test"


async def test_arxiv_leads_to_the_whole_paper(engines: Engines) -> None:
    says("arxiv", engines, page(said.ARXIV, "application/atom+xml"))
    found = await engine("arxiv", engines).search(a_task("What is the heating of Io's moons?"))
    assert titles(found) == [
        ("The tidal heating of Io, revisited", "https://arxiv.org/pdf/2404.03002"),
        ("The tidal heating of Io, revisited", "https://arxiv.org/pdf/astro-ph/0605141"),
    ]
    assert found.hits[0].source.published == dt.date(2024, 4, 3)
    assert found.hits[0].source.kind is SourceKind.PREPRINT
    asked = parse_qs(urlsplit(engines.web.seen[0].path).query)
    assert asked["search_query"] == ["all:heating OR all:io OR all:moons"]


async def test_arxiv_is_asked_one_thing_at_a_time_with_pauses(engines: Engines) -> None:
    says("arxiv", engines, page(said.ARXIV, "application/atom+xml"))
    shared = Arxiv(engines.client, engines.base, manners=Manners(interval_s=0.1))
    began = time.monotonic()
    await asyncio.gather(*(shared.search(a_task()) for _ in range(3)))
    assert time.monotonic() - began >= 0.2


async def test_arxiv_feeds_cannot_reach_for_files(engines: Engines) -> None:
    bomb = (
        '<!DOCTYPE feed [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/2404.03002</id>'
        "<title>&x;</title></entry></feed>"
    )
    says("arxiv", engines, page(bomb, "application/atom+xml"))
    found = await engine("arxiv", engines).search(a_task())
    assert titles(found) == [("https://arxiv.org/pdf/2404.03002",) * 2]


@pytest.mark.parametrize("name", ["tavily", "brave", "searxng", "openalex"])
async def test_a_web_engine_answers_with_days_it_knows(engines: Engines, name: str) -> None:
    says(name, engines, page(ANSWERS[name], "application/json"))
    found = await engine(name, engines).search(a_task())
    assert titles(found)[0] == ("Io", "https://moons.test/io")
    assert [hit.source.published for hit in found.hits] == [dt.date(2024, 5, 6), None]


async def test_keys_go_where_they_belong(engines: Engines) -> None:
    for name in ("tavily", "brave"):
        says(name, engines, page(ANSWERS[name], "application/json"))
        await engine(name, engines).search(a_task(limit=3))
    tavily, brave = engines.web.seen
    assert tavily.headers["Authorization"] == f"Bearer {KEY}"
    assert json.loads(tavily.body) == {"query": "moons of Jupiter", "max_results": 3}
    assert brave.headers["X-Subscription-Token"] == KEY
    assert KEY not in tavily.path + brave.path


@pytest.mark.parametrize("name", ["tavily", "brave"])
@pytest.mark.parametrize("key", [None, "", "two words", "line\nbreak", "schlüssel"])
async def test_without_a_key_nothing_is_asked(engines: Engines, name: str, key: str | None) -> None:
    asked = engine(name, engines)
    engines.settings.pop(f"{name.upper()}_API_KEY")
    if key is not None:
        engines.settings[f"{name.upper()}_API_KEY"] = key
    failed = await failure_of(asked.search(a_task()))
    assert (failed.failure_type, failed.provider) == (FailureType.AUTH_ERROR, name)
    assert f"{name.upper()}_API_KEY is not set" in failed.message
    assert engines.web.seen == []


async def test_without_an_address_searxng_is_not_asked(engines: Engines) -> None:
    asked = engine("searxng", engines)
    engines.settings.clear()
    assert (await failure_of(asked.search(a_task()))).failure_type is FailureType.PERMANENT


# Nothing found, and not looked


async def test_engines_behind_searxng_that_do_not_answer_have_not_looked(engines: Engines) -> None:
    says("searxng", engines, page(said.SEARXNG_DOWN, "application/json"))
    failed = await failure_of(engine("searxng", engines).search(a_task()))
    assert failed.failure_type is FailureType.UNAVAILABLE


NO_ANSWERS = ("", "<html>Down</html>", "[]", '{"x": 1}', "{" * 100_000)
# An object without a query is how MediaWiki says that nothing was found.
NONE = [(n, b) for n in NAMES for b in NO_ANSWERS if (n, b[2:3]) != ("wikipedia", "x")]


@pytest.mark.parametrize(("name", "body"), NONE)
async def test_no_answer_is_no_empty_result(engines: Engines, name: str, body: str) -> None:
    says(name, engines, page(body, "application/json"))
    failed = await failure_of(engine(name, engines).search(a_task()))
    assert (failed.failure_type, failed.provider) == (FailureType.UNAVAILABLE, name)


# Failures


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("ratelimited", FailureType.RATE_LIMITED),
        ("cirrussearch-too-busy-error", FailureType.RATE_LIMITED),
        ("maxlag", FailureType.UNAVAILABLE),
        ("internal_api_error_DBQueryError", FailureType.UNAVAILABLE),
        ("unheard-of", FailureType.UNAVAILABLE),
        ("badvalue", FailureType.PERMANENT),
        ("blocked", FailureType.AUTH_ERROR),
    ],
)
async def test_wikipedia_errors_have_200(engines: Engines, code: str, kind: FailureType) -> None:
    reply = page(said.wikipedia_error(code), "application/json", Retry_After="5")
    says("wikipedia", engines, reply)
    failed = await failure_of(engine("wikipedia", engines).search(a_task()))
    assert failed.failure_type is kind
    assert failed.retry_after_s == (5.0 if failed.retry_recommended else None)
    assert "secret" not in failed.message


async def test_arxiv_says_errors_as_results(engines: Engines) -> None:
    says("arxiv", engines, page(said.ARXIV_ERROR, "application/atom+xml"))
    failed = await failure_of(engine("arxiv", engines).search(a_task()))
    assert (failed.failure_type, failed.category) == (
        FailureType.PERMANENT, FailureCategory.VALIDATION,
    )  # fmt: skip


@pytest.mark.parametrize(
    "junk",
    [
        {"url": "javascript:alert(1)", "title": "Click"},
        {"url": "ftp://moons.test/io", "title": "Io"},
        {"url": "https://user:pass@moons.test/", "title": "Io"},
        {"url": 7, "title": None},
        {},
    ],
)
async def test_what_nobody_can_fetch_is_left_out(engines: Engines, junk: dict[str, object]) -> None:
    good = {"url": "https://moons.test/io?utm_source=x", "title": "Io"}
    again = {"url": "https://moons.test/io", "title": "Io again"}
    body = json.dumps({"results": [junk, "junk", None, good, again]})
    says("tavily", engines, page(body, "application/json"))
    found = await engine("tavily", engines).search(a_task())
    assert titles(found) == [("Io", "https://moons.test/io?utm_source=x")]


async def test_a_day_that_is_yet_to_come_is_not_believed(engines: Engines) -> None:
    body = {"results": [{"url": "https://a.test/", "title": "A", "published_date": "2999-01-01"}]}
    says("tavily", engines, page(json.dumps(body), "application/json"))
    (hit,) = (await engine("tavily", engines).search(a_task())).hits
    assert hit.source.published is None


async def test_some_engines_behind_searxng_that_do_not_answer_are_named(engines: Engines) -> None:
    answer = json.loads(ANSWERS["searxng"])
    answer["unresponsive_engines"] = [["google", "CAPTCHA"], ["bing", "timeout"], ["google", "?"]]
    says("searxng", engines, page(json.dumps(answer), "application/json"))
    found = await engine("searxng", engines).search(a_task())
    assert (len(found.hits), found.silent) == (2, ("bing", "google"))


# Engines by name, and several: a query goes to the one it names.


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
