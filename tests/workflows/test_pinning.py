"""A deployment on a server of one's own: runs stay with the build that began them."""

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import pytest
from temporalio.api.workflowservice.v1 import SetWorkerDeploymentCurrentVersionRequest
from temporalio.client import Client
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment

from caveat.workers.settings import Settings
from caveat.workers.version import deployed
from caveat.workers.wiring import registry_of
from caveat.workers.worker import workers
from standins.ports import World, ports_of
from tests.fakes.earlier import Earlier
from tests.fakes.runs import BOTH, Handle, awaiting, report_of, rule, start_run
from tests.fakes.worlds import disagreeing

pytestmark = [pytest.mark.system, pytest.mark.filterwarnings("ignore:.*Workflow class.*")]


def build(
    client: Client, world: World, queue: str, name: str, *research: type
) -> AbstractAsyncContextManager[None]:
    """The workers of one build of the deployment that is called as the queue."""
    settings = Settings(TEMPORAL_DEPLOYMENT_NAME=queue, TEMPORAL_WORKER_BUILD_ID=name)
    registry = replace(registry_of(ports_of(world)), deployment=deployed(settings))
    if research:
        registry = replace(registry, workflows=(*research, *registry.workflows[1:]))
    return workers(client, registry, queue)


async def current(client: Client, deployment: str, name: str) -> None:
    """Let new runs begin with a build, and wait until they do: the server takes a moment."""
    request = SetWorkerDeploymentCurrentVersionRequest(
        namespace=client.namespace, deployment_name=deployment, build_id=name
    )
    while True:
        try:
            await client.workflow_service.set_worker_deployment_current_version(request)
        except RPCError:  # it has not heard of all queues yet
            await asyncio.sleep(0.2)
        else:
            break
    await asyncio.sleep(1)


async def test_each_build_finishes_what_it_began(
    environment: WorkflowEnvironment, world: World, task_queue: str
) -> None:
    """A rainbow upgrade: the earlier build decides differently, and nothing is healed."""
    disagreeing(world, (1, 2))
    client = environment.client
    with environment.with_time_skipping_disabled():
        async with build(client, world, task_queue, "1", Earlier):
            await current(client, task_queue, "1")
            first = await start_run(client, task_queue, f"research-first-{task_queue}")
            await awaiting(first)
            async with build(client, world, task_queue, "2"):
                await current(client, task_queue, "2")
                second = await start_run(client, task_queue, f"research-second-{task_queue}")
                await awaiting(second)
                for handle in (first, second):
                    await rule(client, handle, 1, BOTH)
                    assert (await report_of(handle)).failures == ()
    assert await decided_by(first) == {f"{task_queue}:1"}
    assert await decided_by(second) == {f"{task_queue}:2"}


async def decided_by(handle: Handle) -> set[str]:
    """The versions of the workers that decided a run and did its tasks."""
    versions = set()
    async for event in handle.fetch_history_events():
        if event.HasField("workflow_task_completed_event_attributes"):
            by = event.workflow_task_completed_event_attributes.deployment_version
            versions.add(f"{by.deployment_name}:{by.build_id}")
    return versions
