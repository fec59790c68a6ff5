"""Live views: what whoever watches a run is shown, and when they are led on."""

import datetime as dt
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest

from caveat.clients.web import runs, web_ui
from caveat.contracts.outcome import Progress
from caveat.contracts.phase import Phase
from caveat.problem import NoSuchRun, OutOfReach
from tests.clients.web.conftest import TOKEN, Browser

WITH_REPORT = Progress(
    run_id="r", topic="t", phase=Phase.AUDITING, started=dt.datetime.now(dt.UTC), provisional=True
)

POLL_S = 60  # seconds for which Temporal holds a question for the next event of a run


class Looks:
    """What is asked of a run, in place of a server."""

    def __init__(self) -> None:
        self.is_running = True
        self.problem: Exception | None = None
        self.progress: Progress | None = None

    async def seen(self, *_: object) -> dict[str, Any]:
        if self.problem is not None:
            raise self.problem
        return {"is_running": self.is_running, "stands": SimpleNamespace(progress=self.progress)}


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    made = Looks()
    monkeypatch.setattr(runs, "gather_run_page", made.seen)
    monkeypatch.setattr("caveat.clients.web.pages.render_fragment", lambda name, _: name)
    return made


async def test_who_watches_is_led_to_the_first_report_and_to_the_end(
    looks: Looks, browser: Browser
) -> None:
    async def ask(query: str = "") -> tuple[int, str]:
        answer = await visitor.get(f"/runs/r/live{query}")
        return answer.status_code, answer.headers.get("hx-redirect") or answer.text

    visitor = browser(authorization=f"Bearer {TOKEN}")
    assert await ask() == (200, "run_live.html")
    looks.problem = OutOfReach("The server is gone.")
    assert (await ask())[0] == 503  # and it asks again
    looks.problem, looks.progress = None, WITH_REPORT
    assert await ask() == (200, "/runs/r")
    assert await ask("?had") == (200, "run_live.html")  # who came to the run
    looks.is_running = False
    assert await ask("?had") == (200, "/runs/r")
    looks.problem = NoSuchRun("There is no such run: it was deleted.")
    assert await ask("?had") == (200, "/runs/r")


async def repeat_path(request: httpx2.Request) -> AsyncIterator[bytes]:
    yield request.url.raw_path


async def test_the_web_ui_is_waited_for_as_long_as_it_polls(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        waits = request.extensions["timeout"]["read"]
        if waits < POLL_S:
            raise httpx2.ReadTimeout("The next event comes at the end of the poll.")
        return httpx2.Response(200, content=repeat_path(request))

    client = httpx2.AsyncClient(
        transport=httpx2.MockTransport(answer), timeout=web_ui._CLIENT.timeout
    )
    monkeypatch.setattr(web_ui, "_CLIENT", client)
    server = SimpleNamespace(ui="127.0.0.1:8233")
    service = SimpleNamespace(connection=SimpleNamespace(server=server))
    visitor = browser(service=service, authorization=f"Bearer {TOKEN}")
    path = "/temporal/api/v1/namespaces/default/history?waitNewEvent=true"
    polled = await visitor.get(path)
    assert (polled.status_code, polled.text) == (200, path)
