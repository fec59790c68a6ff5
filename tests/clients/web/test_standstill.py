"""The page's list names runs that stand still, and what heals them."""

import datetime as dt
from types import SimpleNamespace

import pytest

from caveat.clients.standings import RunLine, RunStatus
from caveat.clients.web.service import Tally
from tests.clients.web.conftest import Browser, let_in

RUN_ID = "research-upgraded-0a1b2c"


class Listing:
    """A server with one run."""

    def __init__(self, **facts: object) -> None:
        self._line = RunLine(
            run_id=RUN_ID,
            topic="alpha",
            status=RunStatus.RUNNING,
            phase="awaiting_rulings",
            started=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        ).model_copy(update=facts)
        self.runs = SimpleNamespace(page=self._page, counts=self._counts)

    async def waiting(self) -> list[object]:
        return []

    for_review = waiting

    async def _page(self, *_: object) -> tuple[list[RunLine], None]:
        return [self._line], None

    async def _counts(self, _: str) -> dict[str, int]:
        return {"": 1}

    async def tallies(self, _: object) -> dict[str, Tally]:
        return {RUN_ID: Tally()}


@pytest.mark.parametrize(
    ("facts", "is_named"),
    [({}, False), ({"wedged": True}, True)],
)
async def test_the_list_names_what_stands_still(
    facts: dict[str, object], is_named: bool, browser: Browser
) -> None:
    async with browser(service=Listing(**facts)) as visitor:
        await let_in(visitor)
        shown = (await visitor.get("/runs")).text
    assert ("stands still" in shown) == is_named
    assert (f"caveat heal {RUN_ID}" in shown) == is_named
