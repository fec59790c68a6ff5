"""A bound of cost: what is spent counts against it, and what nobody knows the price of stops."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.activities import subagent
from caveat.contracts.claim import Analysis
from caveat.contracts.envelope import Usage
from caveat.contracts.outcome import Ending
from caveat.contracts.source import SearchResults, Snapshot
from caveat.contracts.spending import RateCard, Step
from caveat.contracts.tasks import AnalysisTask, SearchTask
from caveat.ports import Answer
from caveat.rules.audit import audit
from caveat.workers.wiring import build_registry
from caveat.workers.worker import serve_runs
from tests.fakes.ports import FakeEngine, FakeReasoner, World, ports_of
from tests.fakes.runs import Handle, Start, end_of, report_of, start_run, texts

UNPRICED = Usage(model_calls=1, input_tokens=900, output_tokens=100, cost_usd=None)


@dataclass(frozen=True)
class Priceless(FakeReasoner):
    """Works with a model of which nobody knows the price, at one of its steps."""

    step: Step
    answered: asyncio.Event = field(default_factory=asyncio.Event)

    async def rate_card(self) -> RateCard:
        known = await super().rate_card()
        if self.step is not Step.PLAN:  # of a plan it is known before it is asked for
            return known
        unknown = {"input_usd": None, "output_usd": None}
        rates = (
            rate.model_copy(update=unknown) if rate.step is Step.PLAN else rate
            for rate in known.rates
        )
        return RateCard(rates=tuple(rates))

    async def analyse(
        self, task: AnalysisTask, snapshot: Snapshot, on_partial: Callable[[Analysis, float], None]
    ) -> Answer[Analysis]:
        answer = await super().analyse(task, snapshot, on_partial)
        self.answered.set()
        return replace(answer, usage=UNPRICED)


@dataclass(frozen=True)
class Patient(FakeEngine):
    """Finds what there is on beta when something was analysed."""

    answered: asyncio.Event

    async def search(self, task: SearchTask) -> SearchResults:
        if task.query == "beta":
            await self.answered.wait()
        return await super().search(task)


@asynccontextmanager
async def begun(client: Client, world: World, queue: str, step: Step) -> AsyncIterator[Handle]:
    """Begin a run with a bound of US dollars and a model without a price."""
    world.uses_model = True
    reasoner = Priceless(world, step)
    ports = replace(ports_of(world), reasoner=reasoner, engine=Patient(world, reasoner.answered))
    async with serve_runs(client, build_registry(ports), queue):
        yield await start_run(client, queue, budget={"cost_usd": 100.0})


async def test_a_model_without_a_price_is_not_called_again(
    environment: WorkflowEnvironment, world: World, task_queue: str
) -> None:
    async with begun(environment.client, world, task_queue, Step.ANALYSE) as run:
        report = await report_of(run)
    # Those that were begun before anybody knew are of alpha, since beta is searched for later.
    pages = {int(call.split()[2]) for call in world.order if call.startswith("analyse ")}
    assert pages <= {1, 2, 3, 4, 5, 6}
    assert [world.calls[kind] for kind in ("detect", "debate")] == [0, 0]
    assert report.metrics.cost_usd is None
    assert any(limit.area == "Budget of 100 US dollars" for limit in report.limitations)
    assert audit(report, texts(world)).passed


async def test_where_not_even_the_plan_has_a_price_nothing_is_gathered(
    environment: WorkflowEnvironment, world: World, task_queue: str
) -> None:
    async with begun(environment.client, world, task_queue, Step.PLAN) as run:
        end = await end_of(run)
    assert end.ending is Ending.BUDGET_TOO_SMALL
    assert "the price of a model is not known" in end.message
    assert [world.calls[kind] for kind in ("plan", "search", "analyse")] == [0, 0, 0]


async def test_a_lost_attempt_counts_with_all_that_it_may_have_spent(
    start: Start, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.uses_model = True
    plain = (await report_of(await start(id="plain", budget={"model_calls": 100}))).metrics
    monkeypatch.setattr(subagent, "INTERVAL_S", 3_600)  # who is killed gives no sign of life
    world.delays["plan"] = 3_600
    handle = await start(budget={"model_calls": 100})
    while world.calls["plan"] == 1:  # noqa: ASYNC110  # the world tells nobody
        await asyncio.sleep(0.05)
    world.delays.clear()
    report = await report_of(handle)
    assert report.failures == ()  # it was made again, as often as any other is
    # A plan may take two calls.
    assert report.metrics.model_calls == plain.model_calls + 2
