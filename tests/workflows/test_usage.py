"""What is spent on attempts that fail is counted, whatever becomes of the attempts after them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.common import RetryPolicy
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from caveat.activities import subagent
from caveat.activities.subagent import Attempt, declare_subagent
from caveat.contracts.backend import Route
from caveat.contracts.envelope import AgentType, FailureType, Status, SubagentResult, Usage
from caveat.contracts.outcome import Ending
from caveat.contracts.phase import RateCard, Step
from caveat.contracts.source import Analysis, SearchResults, Snapshot
from caveat.contracts.tasks import AnalysisTask, SearchTask
from caveat.failures import PortFailure, invalid, unavailable
from caveat.ports import Answer
from caveat.rules.audit.checks import audit
from caveat.workers.wiring import build_registry
from caveat.workers.worker import serve_runs
from caveat.workflows.delegation import delegate
from caveat.workflows.names import QueueKind
from caveat.workflows.options import RETRY, Policy
from tests.fakes.ports import FakeEngine, FakeReasoner, World, ports_of
from tests.fakes.runs import Handle, Start, end_of, failing, report_of, start_run, texts

SPENT = Usage(model_calls=1, input_tokens=100, output_tokens=10, cost_usd=0.25)
FREE = Usage()
FOUND = SearchResults(query="what was found")
HEARTBEAT = timedelta(seconds=0.5)  # between two that are sent
PATIENCE = 4  # attempts, as production makes them


def times(count: int) -> Usage:
    return sum((SPENT for _ in range(count)), Usage())


Scene = Callable[[Attempt], Awaitable[Usage]]


def fails(
    usage: Usage = SPENT, how: Callable[..., PortFailure] = unavailable, *, found: bool = False
) -> Scene:
    """An attempt that fails at once, as its port says it does."""

    async def scene(attempt: Attempt) -> Usage:
        if found:
            attempt.report(FOUND, 0.5)
        raise PortFailure(how("It rests.", resource="x").failure, usage)

    return scene


def answers(usage: Usage = SPENT) -> Scene:
    async def scene(_: Attempt) -> Usage:
        return usage

    return scene


def breaks(error: Exception) -> Scene:
    async def scene(_: Attempt) -> Usage:
        raise error

    return scene


async def stalls(_: Attempt) -> Usage:
    """An attempt that is lost: it never ends by itself."""
    await asyncio.Event().wait()
    return FREE


@dataclass
class Scripted:
    """An activity whose attempts are scripted, the last of them for all that follow."""

    script: list[Scene] = field(default_factory=list)

    @declare_subagent(AgentType.SEARCHER, name="scripted")
    async def search(self, task: SearchTask, attempt: Attempt) -> SubagentResult[SearchResults]:
        number = min(activity.info().attempt, len(self.script))
        usage = await self.script[number - 1](attempt)
        return attempt.wrap_result(SearchResults(query=task.query), usage=usage)


POLICY = Policy(
    Scripted.search,
    QueueKind.FETCH,
    start_to_close=timedelta(seconds=2),  # an attempt that does not stall takes milliseconds
    retry=RetryPolicy(
        initial_interval=timedelta(milliseconds=10),
        backoff_coefficient=1.0,
        maximum_attempts=PATIENCE,
        non_retryable_error_types=["permanent"],
    ),
)


@workflow.defn(sandboxed=False)
class Purpose:
    @workflow.run
    async def run(self, task: SearchTask) -> SubagentResult[SearchResults]:
        return await delegate(POLICY, task, Route())


@workflow.defn(sandboxed=False)
class Usual:
    @workflow.run
    async def run(self, task: SearchTask) -> SubagentResult[SearchResults]:
        return await delegate(replace(POLICY, retry=RETRY), task, Route())


@asynccontextmanager
async def at_work(client: Client, scripted: Scripted, queue: str) -> AsyncIterator[None]:
    """A worker that throttles heartbeats as production does."""
    fetching = Worker(
        client,
        task_queue=queue + QueueKind.FETCH,
        activities=[scripted.search],
        max_heartbeat_throttle_interval=HEARTBEAT,
        default_heartbeat_throttle_interval=HEARTBEAT,
    )
    async with Worker(client, task_queue=queue, workflows=[Purpose, Usual]), fetching:
        yield


Envelope = SubagentResult[SearchResults]
Attempted = Callable[..., Awaitable[Envelope]]


@pytest.fixture
def attempted(environment: WorkflowEnvironment, task_queue: str) -> Attempted:
    async def run(*script: Scene, under: type[Purpose | Usual] = Purpose) -> Envelope:
        client = environment.client
        async with at_work(client, Scripted(list(script)), task_queue):
            return await client.execute_workflow(
                under.run,
                SearchTask(task_id="t1", description="Do it", query="x", corpus=(), limit=1),
                id=task_queue,
                task_queue=task_queue,
            )

    return run


UNKNOWN = SPENT.model_copy(update={"cost_usd": None})
ATTEMPTS: dict[str, tuple[tuple[Scene, ...], Status, int, Usage]] = {
    # What becomes of its attempts, and of the task: how it ends, after how many, at what cost.
    "a success at once": ((answers(),), Status.SUCCESS, 1, times(1)),
    "a success after failures": ((fails(),) * 3 + (answers(),), Status.SUCCESS, 4, times(4)),
    "a failure": ((fails(),), Status.FAILED, PATIENCE, times(PATIENCE)),
    "a failure for good": ((fails(how=invalid),), Status.FAILED, 1, SPENT),
    "a partial result": ((fails(found=True),), Status.PARTIAL, PATIENCE, times(PATIENCE)),
    "a bug": ((fails(), fails(), breaks(KeyError("x"))), Status.FAILED, 3, times(2)),
    "a lost attempt": ((fails(found=True), stalls), Status.PARTIAL, PATIENCE, SPENT),
    "one after a lost one": ((fails(), stalls, fails(), answers()), Status.SUCCESS, 4, times(3)),
    "no known price": ((fails(UNKNOWN), answers()), Status.SUCCESS, 2, SPENT + UNKNOWN),
}


@pytest.mark.parametrize(("script", "status", "count", "usage"), ATTEMPTS.values(), ids=ATTEMPTS)
async def test_a_task_costs_what_all_its_attempts_cost(
    attempted: Attempted, script: tuple[Scene, ...], status: Status, count: int, usage: Usage
) -> None:
    envelope = await attempted(*script)
    assert (envelope.status, envelope.attempts, envelope.usage) == (status, count, usage)
    if status is Status.PARTIAL:
        assert (envelope.partial_result, envelope.completeness) == (FOUND, 0.5)


async def test_an_attempt_that_hangs_is_not_repeated_as_it_was(attempted: Attempted) -> None:
    envelope = await attempted(stalls, answers(), under=Usual)
    assert envelope.failure is not None
    assert (envelope.failure.failure_type, envelope.attempts) == (FailureType.TIMEOUT, 1)


async def test_a_report_names_what_failed_attempts_cost(start: Start, world: World) -> None:
    plain = (await report_of(await start(id="plain"))).metrics

    # One was the plain run's.
    failing(
        world,
        "synthesise",
        PortFailure(unavailable("It rests.", resource="x").failure, SPENT),
        lambda: world.calls["synthesise"] > 1 + 2,
    )
    metrics = (await report_of(await start())).metrics
    assert metrics.model_calls == plain.model_calls + 2
    assert metrics.tokens == plain.tokens + 2 * 110
    assert metrics.cost_usd == pytest.approx((plain.cost_usd or 0) + 0.5)


# A bound of cost: what is spent counts against it, and what nobody knows the price of stops.


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
