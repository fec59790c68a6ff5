"""A deployment on a server of one's own: runs stay with the build that began them."""

import asyncio
import datetime as dt
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from itertools import permutations

import pytest
from temporalio.client import Client
from temporalio.common import WorkerDeploymentVersion
from temporalio.testing import WorkflowEnvironment

from caveat.clients.arbitrations import Arbitrations
from caveat.clients.following import Follower
from caveat.clients.healing import Healed, Healing
from caveat.clients.pollers import gone, make_current, serving
from caveat.clients.problems import OutOfReach
from caveat.clients.runs import Runs
from caveat.contracts.contradiction import Ruling, SettledBy
from caveat.contracts.outcome import Outcome
from caveat.workers.settings import Settings
from caveat.workers.version import deployed
from caveat.workers.wiring import registry_of
from caveat.workers.worker import workers
from caveat.workflows.names import RESEARCH
from standins.ports import World, ports_of
from tests.fakes.earlier import Earlier, Heard
from tests.fakes.runs import BOTH, Handle, awaiting, report_of, rule
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
    await make_current(client, WorkerDeploymentVersion(deployment, name))
    while (await serving(client, deployment)).current != f"{deployment}:{name}":  # noqa: ASYNC110  # the server tells nobody
        await asyncio.sleep(0.05)


async def begun(client: Client, run_id: str, queue: str) -> Handle:
    return await client.start_workflow(
        RESEARCH,
        {"topic": "alpha and beta"},
        id=run_id,
        task_queue=queue,
        result_type=Outcome,
    )


async def test_each_build_finishes_what_it_began(
    environment: WorkflowEnvironment, world: World, task_queue: str
) -> None:
    """A rainbow upgrade: the earlier build decides differently, and nothing is healed."""
    disagreeing(world, (1, 2))
    client = environment.client
    with environment.with_time_skipping_disabled():
        async with build(client, world, task_queue, "1", Earlier):
            await current(client, task_queue, "1")
            first = await begun(client, f"research-first-{task_queue}", task_queue)
            await awaiting(first)
            async with build(client, world, task_queue, "2"):
                await current(client, task_queue, "2")
                second = await begun(client, f"research-second-{task_queue}", task_queue)
                await awaiting(second)
                assert await Healing(client).heal(first.id) == Healed()
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


async def test_a_run_whose_build_is_gone_says_so_and_is_handed_over(
    environment: WorkflowEnvironment,
    world: World,
    task_queue: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    disagreeing(world, (1, 2), (3, 4))
    client, heard = environment.client, Heard()
    run_id = f"research-left-{task_queue}"
    asked = [f"{run_id}/contradiction-{number}" for number in (1, 2)]
    monkeypatch.setattr("caveat.clients.arbitrations.ACCEPTANCE", dt.timedelta(seconds=2))
    with environment.with_time_skipping_disabled():
        async with build(client, world, task_queue, "1", Earlier):
            await current(client, task_queue, "1")
            handle = await begun(client, run_id, task_queue)
            await awaiting(handle)
            assert await gone(client, await handle.describe()) is None
        async with build(client, world, task_queue, "2"):
            await current(client, task_queue, "2")
            later = dt.datetime.now(dt.UTC)
            await asyncio.sleep(2)
            # The server lists a worker that has gone for five minutes, and this is as later on.
            monkeypatch.setattr("caveat.clients.pollers._ALIVE", dt.datetime.now(dt.UTC) - later)
            await told_by_everybody(client, run_id, asked[0], heard)
            healing = await Healing(client).heal(run_id)  # which lists the questions in any order
            assert healing in {Healed((run_id, *each), (run_id,)) for each in permutations(asked)}
            healed: Handle = client.get_workflow_handle(run_id, result_type=Outcome)
            await awaiting(healed)
            await require_pinned(healed, "2")
            async with build(client, world, task_queue, "3"):
                await current(client, task_queue, "3")
                await rule(client, healed, 2, BOTH)  # the first was ruled on as it stood still
                report = await report_of(healed)
                assert await gone(client, await healed.describe()) is None
    assert f"{task_queue}:2" in await decided_by(healed)
    assert f"{task_queue}:3" not in await decided_by(healed)
    assert {each.settled_by for each in report.contradictions} == {SettledBy.PERSON}


async def require_pinned(handle: Handle, name: str) -> None:
    """It is the build's as every run of it is, with nothing that goes before that."""
    info = (await handle.describe()).raw_description.workflow_execution_info.versioning_info
    assert not info.HasField("versioning_override")
    assert info.deployment_version.build_id == name


async def told_by_everybody(client: Client, run_id: str, arbitration: str, heard: Heard) -> None:
    """Who lists runs, looks at one, follows one or rules hears what it is and what heals it."""
    runs = Runs(client)
    (listed,) = [each for each in await runs.latest(1000) if each.run_id == run_id]
    assert await Follower(runs, run_id, heard, stays=False).follow() is None
    with pytest.raises(OutOfReach) as refused:
        await Arbitrations(client).rule(arbitration, Ruling.model_validate(BOTH))
    said = (listed.standstill, (await runs.line(run_id)).standstill, *heard.remarks)
    for sentence in (*said, str(refused.value)):
        assert sentence is not None
        assert sentence.startswith(f"{run_id} stands still because it stays with version ")
        assert f"`caveat heal {run_id}` hands it to the version" in sentence
