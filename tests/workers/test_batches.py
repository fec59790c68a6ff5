"""Runs whose model calls wait for batches, wired as production wires them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.claude.messages import batches
from caveat.workers.settings import Settings
from tests.fakes.claude_house import ClaudeHouse, claude_house, wired
from tests.fakes.patience import PATIENCE_S, until

FOREVER = 1_000_000


@dataclass(frozen=True)
class House(ClaudeHouse):
    def serving(self) -> AbstractAsyncContextManager[None]:
        return wired(self.environment.client, self.settings, self.queue)

    def sent(self) -> list[str]:
        """The ids of all calls of all batches."""
        return [name for batch in self.api.sent.values() for name in batch.calls]


@pytest.fixture
async def house(
    environment: WorkflowEnvironment,
    task_queue: str,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[House]:
    monkeypatch.setattr(batches, "GATHERED_S", 0.2)
    monkeypatch.setattr(batches, "POLLED_S", (0.05, 0.1))
    async with claude_house(environment, task_queue, settings, tmp_path) as made:
        yield House(**vars(made))


async def test_every_call_goes_into_a_batch_and_costs_half(house: House) -> None:
    async with house.serving():
        handle = await house.start(batch=True)
        report = await house.report(handle)
    assert house.api.requests == []
    assert len(house.sent()) == len(set(house.sent())), "nothing was sent twice"
    assert len(house.api.sent) < len(house.sent()), "those of a fan-out went together"
    charged = house.cast.charged()
    assert report.metrics.model_calls == charged.model_calls
    assert charged.cost_usd is not None
    assert report.metrics.cost_usd == pytest.approx(charged.cost_usd / 2)
    assert report.failures == ()


async def test_a_worker_that_goes_while_a_batch_is_awaited_leaves_it_to_another(
    house: House,
) -> None:
    house.api.looks = FOREVER
    async with house.serving():
        handle = await house.start(batch=True)
        await until(lambda: bool(house.api.sent))
    assert not any(batch.cancelled for batch in house.api.sent.values()), "the run goes on"
    house.api.looks = 0
    for batch in house.api.sent.values():
        batch.looks = 0
    async with house.serving():
        report = await house.report(handle)
    assert len(house.sent()) == len(set(house.sent())), "nothing was sent twice"
    assert report.metrics.model_calls == house.cast.charged().model_calls


async def test_a_cancelled_run_has_its_batch_cancelled(house: House) -> None:
    house.api.looks = FOREVER
    async with house.serving():
        handle = await house.start(batch=True)
        await until(lambda: bool(house.api.sent))
        await asyncio.sleep(1)  # until somebody waits for it
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await asyncio.wait_for(handle.result(), PATIENCE_S)
        (batch,) = house.api.sent.values()
        await until(lambda: batch.cancelled)
