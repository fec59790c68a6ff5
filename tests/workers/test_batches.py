"""Runs whose model calls wait for batches, wired as production wires them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from temporalio.client import WorkflowFailureError, WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.claude.messages import batches
from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.contracts.outcome import Outcome
from caveat.workers.settings import Settings
from caveat.workers.wiring import ports, registry_of
from caveat.workers.worker import workers
from standins.messages_api import KEY, StandIn, stand_in
from tests.fakes.claude_cast import Cast
from tests.fakes.claude_corpus import TOPIC, write_corpus
from tests.fakes.patience import PATIENCE_S

FOREVER = 1_000_000


@dataclass(frozen=True)
class House:
    """Where a run is started."""

    environment: WorkflowEnvironment  # the server
    queue: str  # of the workers
    api: StandIn  # what stands in for the Messages API
    cast: Cast  # the model behind it
    corpus: Path  # the documents
    settings: Settings  # what a user sets who has a key

    async def start(self) -> WorkflowHandle[Any, Outcome]:
        return await self.environment.client.start_workflow(
            "Research",
            {
                "topic": TOPIC,
                "corpus": [str(self.corpus)],
                "depth": "overview",
                "arbitration_timeout": 2,  # nobody comes
                "batch": True,
            },
            id=f"research-{self.queue}",
            task_queue=self.queue,
            result_type=Outcome,
        )

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        wired = ports(self.settings)
        assert isinstance(wired.reasoner, ClaudeReasoner)
        client = self.environment.client
        async with (
            wired.reasoner.dialogue.connection.client,
            workers(client, registry_of(wired), self.queue),
        ):
            yield

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
    cast = Cast()
    async with stand_in(model=cast) as api:
        yield House(
            environment=environment,
            queue=task_queue,
            api=api,
            cast=cast,
            corpus=write_corpus(tmp_path / "corpus"),
            settings=Settings(
                state_dir=settings.state_dir,
                cache_dir=settings.cache_dir,
                ANTHROPIC_API_KEY=SecretStr(KEY),
                ANTHROPIC_BASE_URL=api.url,
                structured_outputs=True,
            ),
        )


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not happened():  # noqa: ASYNC110  # the stand-in tells nobody
            await asyncio.sleep(0.05)


async def test_every_call_goes_into_a_batch_and_costs_half(house: House) -> None:
    async with house.serving():
        handle = await house.start()
        report = (await asyncio.wait_for(handle.result(), PATIENCE_S)).report
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
        handle = await house.start()
        await until(lambda: bool(house.api.sent))
    assert not any(batch.cancelled for batch in house.api.sent.values()), "the run goes on"
    house.api.looks = 0
    for batch in house.api.sent.values():
        batch.looks = 0
    async with house.serving():
        report = (await asyncio.wait_for(handle.result(), PATIENCE_S)).report
    assert len(house.sent()) == len(set(house.sent())), "nothing was sent twice"
    assert report.metrics.model_calls == house.cast.charged().model_calls


async def test_a_cancelled_run_has_its_batch_cancelled(house: House) -> None:
    house.api.looks = FOREVER
    async with house.serving():
        handle = await house.start()
        await until(lambda: bool(house.api.sent))
        await asyncio.sleep(1)  # until somebody waits for it
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await asyncio.wait_for(handle.result(), PATIENCE_S)
        (batch,) = house.api.sent.values()
        await until(lambda: batch.cancelled)
