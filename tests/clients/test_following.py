"""Following a run, and leaving it for a while."""

import asyncio
import datetime as dt
from dataclasses import dataclass, field
from typing import cast

import pytest

from caveat.clients.following import Follower
from caveat.clients.run_description import Broken, Cause, Closed, Standstill
from caveat.clients.runs import Runs
from caveat.contracts.outcome import Progress
from caveat.contracts.phase import Phase
from caveat.rendering.backends import explain_wait
from tests.fakes.patience import PATIENCE_S, until

ENDED = Broken(message="It was cancelled.")


def progress(phase: Phase) -> Progress:
    return Progress(
        run_id="r", topic="t", phase=phase, started=dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    )


@dataclass
class Going:
    """A run that says these things one after the other, and ends behind the last of them."""

    says: list[Progress | None]
    ends: bool = True
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait_for_end(self, _: str) -> Closed:
        await self.ended.wait()
        return ENDED

    async def query_progress(self, _: str) -> Progress | None:
        await asyncio.sleep(0)  # as any answer of a server
        said = self.says[0]
        if len(self.says) > 1:
            self.says.pop(0)
        elif self.ends:
            self.ended.set()
        return said


class Watcher:
    def __init__(self) -> None:
        self.seen: list[Phase] = []

    def show(self, progress: Progress) -> None:
        self.seen.append(progress.phase)

    def remark(self, sentence: str) -> None:
        raise AssertionError(sentence)


def waits(progress: Progress) -> bool:
    return progress.phase is Phase.AWAITING_RULINGS


@pytest.fixture(autouse=True)
def _lively(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caveat.clients.following.LIVELY_PAUSE_S", 0.01)


async def test_a_run_is_left_where_it_pauses_and_says_where_it_is() -> None:
    going = Going([progress(Phase.SETTLING), None, progress(Phase.AWAITING_RULINGS)], ends=False)
    watcher = Watcher()
    async with asyncio.timeout(PATIENCE_S):
        seen = await Follower(
            cast("Runs", going), "r", watcher.show, watcher.remark, waits
        ).follow()
    assert seen == progress(Phase.AWAITING_RULINGS)
    assert watcher.seen == [Phase.SETTLING, Phase.AWAITING_RULINGS]


@dataclass
class Left(Going):
    """A run whose tasks nobody takes up, on a queue that lists a worker that was killed."""

    async def fetch_line(self, _: str) -> None:
        return None

    async def examine(self, _: None) -> tuple[None, Standstill]:
        return None, Standstill(Cause.LEFT, explain_wait(None))


class Listener(Watcher):
    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def remark(self, sentence: str) -> None:
        self.told.append(sentence)


async def test_unserved_runs_are_left_where_that_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caveat.clients.following.SILENCE_S", 0.05)
    going = Left([progress(Phase.SYNTHESISING)], ends=False)
    watcher = Listener()
    follower = Follower(cast("Runs", going), "r", watcher.show, watcher.remark, leaves={Cause.LEFT})
    async with asyncio.timeout(PATIENCE_S):
        assert await follower.follow() is None
    (told,) = watcher.told
    assert "waits" in told


@pytest.mark.parametrize("stays", [True, False])
async def test_what_lets_no_run_go_on_is_said(monkeypatch: pytest.MonkeyPatch, stays: bool) -> None:
    """A server whose disk is full answers, and writes down nothing that happens."""
    monkeypatch.setattr("caveat.clients.following.SILENCE_S", 0.05)
    going = Left([progress(Phase.SYNTHESISING)], ends=False)
    watcher = Listener()
    follower = Follower(
        cast("Runs", going),
        "r",
        watcher.show,
        watcher.remark,
        leaves=() if stays else {Cause.STOPPED},
        obstacle=lambda: "The disk is full.",
    )
    following = asyncio.create_task(follower.follow())
    async with asyncio.timeout(PATIENCE_S):
        await until(lambda: watcher.told)
        if stays:
            going.ended.set()
        assert await following == (ENDED if stays else None)
    assert watcher.told == ["The disk is full."]
