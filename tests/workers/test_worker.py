import asyncio
import time
from dataclasses import replace
from datetime import timedelta

import pytest
from temporalio import activity, workflow
from temporalio.api.enums.v1 import TimeoutType
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.backend import Backend, Route
from caveat.workers.polling import WORKFLOWS, is_polled
from caveat.workers.worker import Registry, serve_runs
from caveat.workflows.names import QueueKind, name_queue
from tests.fakes.patience import PATIENCE_S

pytestmark = pytest.mark.system
BACKEND = Backend(reasoner="scripted")
ROUTE = Route(backend=BACKEND)


@activity.defn
async def think() -> str:
    return activity.info().task_queue


@activity.defn
async def fetch() -> str:
    return activity.info().task_queue


@activity.defn
async def slow() -> str:
    activity.heartbeat("begun")
    await asyncio.sleep(1.5)
    return f"attempt {activity.info().attempt}"


@workflow.defn
class Slow:
    @workflow.run
    async def run(self) -> str:
        return await workflow.execute_activity(
            slow,
            task_queue=name_queue(workflow.info().task_queue, QueueKind.FETCH, ROUTE),
            start_to_close_timeout=timedelta(seconds=PATIENCE_S),
        )


@workflow.defn
class Many:
    @workflow.run
    async def run(self, calls: int) -> None:
        own = workflow.info().task_queue
        limit = timedelta(seconds=30)
        await asyncio.gather(
            *(
                workflow.execute_activity(
                    think,
                    task_queue=name_queue(own, QueueKind.REASON, ROUTE),
                    start_to_close_timeout=limit,
                )
                for _ in range(calls)
            )
        )


REGISTRY = Registry(
    workflows=(Slow, Many), reasoning=(think,), fetching=(fetch, slow), backend=BACKEND
)


async def test_the_server_gives_out_no_more_model_calls_than_it_is_told(
    environment: WorkflowEnvironment, task_queue: str
) -> None:
    client = environment.client
    async with serve_runs(client, replace(REGISTRY, reasoned_per_second=8), task_queue):
        began = time.monotonic()
        await client.execute_workflow(Many.run, 24, id=task_queue, task_queue=task_queue)
        took_s = time.monotonic() - began
    # A second's worth may go at once.
    assert took_s >= (24 - 8) / 8 * 0.9


async def test_a_stopping_worker_lets_its_activities_finish(
    environment: WorkflowEnvironment, task_queue: str
) -> None:
    client = environment.client
    async with serve_runs(client, REGISTRY, task_queue):
        handle = await client.start_workflow(Slow.run, id=task_queue, task_queue=task_queue)
        async with asyncio.timeout(PATIENCE_S):
            while not (await handle.describe()).raw_description.pending_activities:  # noqa: ASYNC110  # a server has no event
                await asyncio.sleep(0.05)
        await asyncio.sleep(0.3)
    async with serve_runs(client, REGISTRY, task_queue):
        assert await handle.result() == "attempt 1"
    async for event in handle.fetch_history_events():
        late = event.workflow_task_timed_out_event_attributes.timeout_type
        assert late != TimeoutType.TIMEOUT_TYPE_START_TO_CLOSE, "it took a decision with it"


async def test_a_worker_that_starts_again_is_seen_before_it_beats(
    environment: WorkflowEnvironment, task_queue: str
) -> None:
    """A wait of 45 seconds fails where it is seen late, or after its end."""
    client = environment.client
    async with serve_runs(client, REGISTRY, task_queue):
        await _wait_until_polled(client, task_queue, expected=True)
    await _wait_until_polled(client, task_queue, expected=False)
    async with serve_runs(client, REGISTRY, task_queue):
        await _wait_until_polled(client, task_queue, expected=True)
    await _wait_until_polled(client, task_queue, expected=False)


async def _wait_until_polled(client: Client, task_queue: str, *, expected: bool) -> None:
    async with asyncio.timeout(45):  # a worker first beats after a minute
        while await is_polled(client, task_queue, WORKFLOWS) is not expected:  # noqa: ASYNC110  # a server has no event
            await asyncio.sleep(0.05)
