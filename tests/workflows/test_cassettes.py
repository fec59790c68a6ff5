"""A whole run of Claude, recorded as the setting says, and replayed with no key and no server."""

import asyncio
import json
import random
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.claude.cassettes.transports import Replaying
from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.contracts.inventory import Inventory
from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from caveat.contracts.source import SearchResults, SourceRef
from caveat.contracts.tasks import SearchTask
from caveat.failures import not_found
from caveat.ports import Document, Library, SearchEngine
from caveat.workers.settings import Settings
from caveat.workers.wiring import Ports, ports, registry_of
from caveat.workers.worker import workers
from standins.messages_api import KEY, Fails, Recorded, Says, Scripted, stand_in
from standins.scholar import scholar

EXAMPLES = Path(__file__).parents[2] / "examples" / "hubble-constant"
DOCUMENTS = ("planck-2018", "shoes-2022", "trgb-2021", "gw170817-2017", "h0licow-2020")


def mishaps() -> Iterator[Scripted | None]:
    yield None
    yield Says("This is no JSON.")
    yield Fails(529, "overloaded_error", headers={"retry-after": "1"})
    while True:
        yield None


async def researched(
    client: Client,
    folder: Path,
    queue: str,
    changed: Callable[[Ports], Ports] = lambda wired: wired,
    documents: Iterable[str] = DOCUMENTS,
    **settings: Any,
) -> Report:
    """Run once in a folder of its own, with the documents in it."""
    corpus = folder / "corpus"
    corpus.mkdir(parents=True)
    for name in documents:
        shutil.copy(EXAMPLES / f"{name}.md", corpus)
    chosen = Settings(
        state_dir=folder / "state", cache_dir=folder / "cache", corpus=(corpus,), **settings
    )
    wired = changed(ports(chosen))
    assert isinstance(wired.reasoner, ClaudeReasoner)
    api = wired.reasoner.dialogue.connection.client
    async with api, workers(client, registry_of(wired), queue):
        outcome: Outcome = await client.execute_workflow(
            "Research",
            {
                "topic": "The Hubble constant of the universe",
                "formats": ["json"],
                "arbitration_timeout": 1,  # nobody comes
            },
            id=f"research-{queue}",
            task_queue=queue,
            result_type=Outcome,
        )
    return outcome.report


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


async def test_a_whole_run_is_replayed(
    environment: WorkflowEnvironment, task_queue: str, tmp_path: Path
) -> None:
    happens = mishaps()
    tape = tmp_path / "tape"

    def model(request: Recorded) -> Scripted:
        return next(happens) or scholar(request)

    async with stand_in(model=model) as api:
        first = await researched(
            environment.client,
            tmp_path / "live",
            f"{task_queue}-live",
            cassette=f"record:{tape}",
            structured_outputs=True,
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=api.url,
        )
        calls = len(api.requests)
    again = await researched(
        environment.client,
        tmp_path / "elsewhere",
        f"{task_queue}-again",
        cassette=f"replay:{tape}",
    )
    assert len(list(tape.glob("*-*.json"))) == calls
    assert first.metrics.model_calls == calls - 1  # the one that was turned away
    assert all(section.claims for section in first.sections)
    assert again.claims == first.claims
    assert again.sections == first.sections
    assert again.summary == first.summary
    assert again.debate == first.debate
    assert again.failures == first.failures
    # Two angles may ask the same: at once when it was recorded, in turn when answers come at once.
    assert 0 < again.metrics.model_calls <= first.metrics.model_calls
    assert again.metrics.cost_usd


LOST = ("Planck", "Megamaser", "lensed", "Fluctuation")
"""Words of the titles of the sources that cannot be read."""


@dataclass(frozen=True)
class Unhurried:
    """Searches and reads after any time, and cannot read everything."""

    engine: SearchEngine
    library: Library
    chance: random.Random

    async def search(self, task: SearchTask) -> SearchResults:
        await self._wait()
        return await self.engine.search(task)

    async def take_stock(
        self,
        corpus: tuple[str, ...],
        on_progress: Callable[[int], None],
        exclude: tuple[str, ...] = (),
    ) -> Inventory:
        return await self.library.take_stock(corpus, on_progress, exclude)

    async def read(self, source: SourceRef) -> Document:
        await self._wait()
        if any(word in source.title for word in LOST):
            raise not_found(f"“{source.title}” is not there.", resource=source.title)
        return await self.library.read(source)

    async def _wait(self) -> None:
        await asyncio.sleep(self.chance.uniform(0, 0.1))


def unhurried(chance: random.Random) -> Callable[[Ports], Ports]:
    def changed(wired: Ports) -> Ports:
        slow = Unhurried(wired.engine, wired.library, chance)
        return replace(wired, engine=slow, library=slow)

    return changed


def without_times(report: Report) -> dict[str, Any]:
    """What a report says, but for when, and for which run."""
    # Who reasoned differs: a replay says that it is one.
    written = report.model_dump_json(exclude={"created", "reasoner"})
    timeless = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:[\d.]+Z)?", "then", written)
    said: dict[str, Any] = json.loads(timeless.replace(report.run_id, "run"))
    for name in ("pipeline_seconds", "waiting_seconds"):
        del said["metrics"][name]
    return said


REPLAYS = 3
"""In the first, of two answers that are awaited together the one that was asked for later comes
sooner, so that every pair changes places; in the others they come in any order."""

AT_ONCE = 12
"""Answers that are awaited together, at most: an angle's analyses."""


def waits(chance: random.Random, replay: int) -> Callable[[], float]:
    """Seconds that each next answer takes, in one replay."""
    if replay:
        return lambda: chance.uniform(0, 0.1)
    asked = count()
    return lambda: 0.02 * (AT_ONCE - next(asked) % AT_ONCE)


async def test_in_whatever_order_answers_come_a_replay_is_the_same_run(
    environment: WorkflowEnvironment,
    task_queue: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(18)
    tape = tmp_path / "tape"
    every = sorted(file.stem for file in EXAMPLES.glob("*.md"))
    at_once = Replaying.handle_async_request

    async def later(self: Replaying, request: Any) -> Any:
        await asyncio.sleep(wait())
        return await at_once(self, request)

    async with stand_in(model=scholar, latency=lambda _: chance.uniform(0, 0.1)) as api:
        recorded = await researched(
            environment.client,
            tmp_path / "live",
            f"{task_queue}-live",
            unhurried(chance),
            every,
            cassette=f"record:{tape}",
            structured_outputs=True,
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=api.url,
        )
    monkeypatch.setattr(Replaying, "handle_async_request", later)
    assert len(recorded.failures) > 1
    first = without_times(recorded)
    for number in range(REPLAYS):
        wait = waits(chance, number)
        again = await researched(
            environment.client,
            tmp_path / f"replay-{number}",
            f"{task_queue}-{number}",
            unhurried(chance),
            every,
            cassette=f"replay:{tape}",
        )
        assert without_times(again) == first, number
        assert "replayed from a recording" in again.reasoner.disclosure
    assert "replayed" not in recorded.reasoner.disclosure
