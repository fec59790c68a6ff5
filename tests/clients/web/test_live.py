"""Live views: what is shown of a run, and when they end."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any, cast

import pytest

from caveat.clients.problems import OutOfReach
from caveat.clients.service import Service
from caveat.clients.web import runs
from caveat.contracts.outcome import Progress
from caveat.contracts.phase import Phase

WITH_REPORT = Progress(
    run_id="r", topic="t", phase=Phase.AUDITING, started=dt.datetime.now(dt.UTC), provisional=True
)


class Looks:
    """What is asked of a run, in place of a server."""

    def __init__(self) -> None:
        self.is_running = True
        self.problem: Exception | None = None
        self.said = "first"
        self.progress: Progress | None = None

    async def seen(self, _service: Service, _run_id: str) -> dict[str, Any]:
        if self.problem is not None:
            raise self.problem
        return {
            "is_running": self.is_running,
            "stands": SimpleNamespace(progress=self.progress),
            "said": self.said,
        }


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    made = Looks()
    monkeypatch.setattr(runs, "gather_run_page", made.seen)
    monkeypatch.setattr(runs, "LOOK_S", 0.01)

    def shown(template: str, given: dict[str, Any]) -> str:
        return f"{template} {given.get('said', given.get('sentence'))}"

    monkeypatch.setattr("caveat.clients.web.pages.render_fragment", shown)
    return made


def watched() -> Any:
    return aclosing(cast("Any", runs.stream_events(cast("Service", None), "run")))


async def next_of(events: AsyncIterator[bytes]) -> str:
    return (await anext(events)).decode()


async def test_a_server_that_is_gone_is_said_and_waited_for(looks: Looks) -> None:
    looks.problem = OutOfReach("The server is gone.")
    async with watched() as events:
        assert "lost.html The server is gone." in await next_of(events)
        looks.problem = None
        assert "run_live.html first" in await next_of(events)


async def test_who_watches_is_led_to_the_first_report(looks: Looks) -> None:
    async with watched() as events:
        assert "first" in await next_of(events)
        looks.progress, looks.said = WITH_REPORT, "second"
        assert "second" in await next_of(events)
        assert await next_of(events) == "event: done\ndata: \n\n"
    async with watched() as events:  # who came to the run
        assert "second" in await next_of(events)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(next_of(events), 0.2)
