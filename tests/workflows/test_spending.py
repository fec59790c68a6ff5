"""A bound of cost: what is spent counts against it, and what nobody knows the price of stops."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.claim import Analysis
from caveat.contracts.envelope import Usage
from caveat.contracts.outcome import Ending
from caveat.contracts.plan import Assignment
from caveat.contracts.source import SearchResults, Snapshot
from caveat.contracts.spending import Step, Tariff
from caveat.contracts.synthesis import Synthesis
from caveat.contracts.tasks import (
    AnalysisTask,
    PlanningTask,
    SearchTask,
    SynthesisTask,
    VerificationTask,
)
from caveat.failures import PortFailure, timed_out
from caveat.ports import Answer
from caveat.rules.audit import audit
from caveat.workers.wiring import registry_of
from caveat.workers.worker import workers
from standins.ports import FakeEngine, FakeReasoner, World, ports_of
from tests.fakes.runs import Handle, end_of, failing, report_of, start_run, texts

CENT = Usage(model_calls=1, input_tokens=900, output_tokens=100, cost_usd=0.01)
UNPRICED = CENT.model_copy(update={"cost_usd": None})


@dataclass(frozen=True)
class Priced(FakeReasoner):
    """Answers at these prices, a cent where none is named."""

    prices: dict[str, Usage] = field(default_factory=dict)
    answered: asyncio.Event = field(default_factory=asyncio.Event)

    async def tariff(self) -> Tariff:
        known = await super().tariff()
        unpriced = {"input_usd": None, "output_usd": None}
        return Tariff(
            rates=tuple(
                rate.model_copy(update=unpriced)
                if rate.step is Step.PLAN and self._price("plan").cost_usd is None
                else rate
                for rate in known.rates
            )
        )

    async def plan(self, task: PlanningTask) -> Answer[tuple[Assignment, ...]]:
        try:
            answer = await super().plan(task)
        except PortFailure as failed:
            raise PortFailure(failed.failure, self._price("plan")) from None
        return replace(answer, usage=self._price("plan"))

    async def analyse(
        self, task: AnalysisTask, snapshot: Snapshot, on_partial: Callable[[Analysis, float], None]
    ) -> Answer[Analysis]:
        answer = await super().analyse(task, snapshot, on_partial)
        self.answered.set()
        return replace(answer, usage=self._price("analyse"))

    async def synthesise(self, task: SynthesisTask) -> Answer[Synthesis]:
        return replace(await super().synthesise(task), usage=self._price("synthesise"))

    async def verify(self, task: VerificationTask) -> Answer[Synthesis]:
        return replace(await super().verify(task), usage=self._price("verify"))

    def _price(self, work: str) -> Usage:
        return self.prices.get(work, CENT)


@dataclass(frozen=True)
class Patient(FakeEngine):
    """Finds what there is on beta when something was analysed."""

    answered: asyncio.Event

    async def search(self, task: SearchTask) -> SearchResults:
        if task.query == "beta":
            await self.answered.wait()
        return await super().search(task)


@pytest.fixture
def prices() -> dict[str, Usage]:
    return {}


Start = Callable[..., Any]


@pytest.fixture
async def start(
    environment: WorkflowEnvironment, world: World, task_queue: str, prices: dict[str, Usage]
) -> AsyncIterator[Start]:
    """Start a run with a model, and a bound of US dollars."""
    world.uses_model = True
    reasoner = Priced(world, prices)
    ports = replace(ports_of(world), reasoner=reasoner, engine=Patient(world, reasoner.answered))
    async with workers(environment.client, registry_of(ports), task_queue):

        async def begin(dollars: float) -> Handle:
            return await start_run(environment.client, task_queue, budget={"cost_usd": dollars})

        yield begin


async def test_a_run_stays_within_its_bound_and_reports(start: Start, world: World) -> None:
    report = await report_of(await start(0.11))
    # A plan and eight analyses pass four fifths of it; the synthesis and its form have the rest.
    assert world.calls["analyse"] == 8
    assert report.metrics.cost_usd == pytest.approx(0.11)
    assert report.metrics.tokens == 11_000
    (limitation,) = [limit for limit in report.limitations if limit.area.startswith("Budget")]
    assert limitation.area == "Budget of 0.11 US dollars"
    assert audit(report, texts(world)).passed


async def test_attempts_that_fail_are_paid_for_from_the_same_bound(
    start: Start, world: World
) -> None:
    slow = timed_out("It is slow.", resource="plan")
    failing(world, "plan", slow, until=lambda: world.calls["plan"] > 3)
    report = await report_of(await start(0.11))
    # Four attempts at a plan, where one would have left room for eight analyses.
    assert (world.calls["plan"], world.calls["analyse"]) == (4, 5)
    assert report.metrics.model_calls == 4 + 5 + 2
    assert report.metrics.cost_usd == pytest.approx(0.11)


async def test_a_model_without_a_price_is_not_called_again(
    start: Start, world: World, prices: dict[str, Usage]
) -> None:
    prices["analyse"] = UNPRICED
    report = await report_of(await start(100.0))
    # Those that were begun before anybody knew are of alpha, since beta is searched for later.
    pages = {int(call.split()[2]) for call in world.order if call.startswith("analyse ")}
    assert pages <= {1, 2, 3, 4, 5, 6}
    assert [world.calls[kind] for kind in ("detect", "debate")] == [0, 0]
    assert report.metrics.cost_usd is None
    assert any(limit.area == "Budget of 100 US dollars" for limit in report.limitations)
    assert audit(report, texts(world)).passed


async def test_where_not_even_the_plan_has_a_price_nothing_is_gathered(
    start: Start, world: World, prices: dict[str, Usage]
) -> None:
    prices["plan"] = UNPRICED
    end = await end_of(await start(100.0))
    assert end.ending is Ending.BUDGET_TOO_SMALL
    assert "the price of a model is not known" in end.message
    assert [world.calls[kind] for kind in ("plan", "search", "analyse")] == [0, 0, 0]
