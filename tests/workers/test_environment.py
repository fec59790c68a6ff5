import asyncio
import time
from datetime import timedelta

from temporalio import workflow
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker


@workflow.defn
class Sleeper:
    @workflow.run
    async def run(self) -> str:
        await asyncio.sleep(timedelta(hours=6).total_seconds())
        return "awake"


async def test_six_hours_pass_in_seconds(environment: WorkflowEnvironment, task_queue: str) -> None:
    began = time.monotonic()
    async with Worker(environment.client, task_queue=task_queue, workflows=[Sleeper]):
        handle = await environment.client.start_workflow(
            Sleeper.run, id=task_queue, task_queue=task_queue
        )
        await environment.fast_forward(handle, timedelta(hours=6))
        assert await handle.result() == "awake"
    assert time.monotonic() - began < 20


async def test_time_is_skipped_again_after_blocks_that_overlapped(
    environment: WorkflowEnvironment, task_queue: str
) -> None:
    entered = asyncio.Event()

    async def block(until: float) -> None:
        with environment.with_time_skipping_disabled():
            entered.set()
            await asyncio.sleep(until)

    async with asyncio.TaskGroup() as both:
        both.create_task(block(0.05))
        await entered.wait()
        both.create_task(block(0.1))
    async with Worker(environment.client, task_queue=task_queue, workflows=[Sleeper]):
        awake = await environment.client.execute_workflow(
            Sleeper.run, id=task_queue, task_queue=task_queue
        )
    assert awake == "awake"
