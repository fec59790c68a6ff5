"""What somebody pauses with Temporal's own command: it is named, hides nothing, and goes on."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.files.artifacts import build_folder_name
from caveat.clients.arbitrations import Arbitrations
from caveat.clients.following import Follower
from caveat.clients.pruning import needs
from caveat.clients.run_description import Cause, RunDescription, RunLine, RunStatus
from caveat.clients.runs import Runs
from caveat.clients.service import Service
from caveat.contracts.plan import Approval
from caveat.problem import OutOfReach
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings
from tests.fakes.commands import temporal
from tests.fakes.runs import Handle, Heard, awaiting, serving, start_run
from tests.fakes.worlds import a_world, disagreeing


async def change(environment: WorkflowEnvironment, what: str, name: str) -> None:
    address = environment.client.service_client.config.target_host
    code, said = await temporal(address, "workflow", what, "--workflow-id", name)
    assert code == 0, said


@pytest.fixture
async def waiting(environment: WorkflowEnvironment, task_queue: str) -> AsyncIterator[Handle]:
    """A run that waits for a person."""
    world = a_world()
    disagreeing(world, (1, 2))
    with environment.with_time_skipping_disabled():
        async with serving(environment.client, world, task_queue):
            handle: Handle = await start_run(
                environment.client, task_queue, f"research-paused-{task_queue}"
            )
            await awaiting(handle)
            yield handle


@pytest.fixture
async def paused(environment: WorkflowEnvironment, waiting: Handle) -> Handle:
    """The same, paused by somebody."""
    await change(environment, "pause", waiting.id)
    return waiting


async def test_a_paused_run_is_listed_as_one_that_goes_on_and_keeps_what_it_needs(
    environment: WorkflowEnvironment, paused: Handle
) -> None:
    runs = Runs(environment.client)
    while not (line := await _listed(runs, paused.id)).paused:  # noqa: ASYNC110  # lists are a moment late
        await asyncio.sleep(0.05)
    assert line.status is RunStatus.RUNNING
    needed = await needs(environment.client, dt.datetime.now(dt.UTC))
    assert build_folder_name(paused.id) in needed.names
    waiting = await Arbitrations(environment.client).list_waiting()
    assert f"{paused.id}/contradiction-1" in [each.arbitration for each in waiting]


async def _listed(runs: Runs, run_id: str) -> RunLine:
    return next(each for each in await runs.list_latest(1000) if each.run_id == run_id)


async def test_whoever_asks_a_paused_run_hears_how_it_goes_on(
    environment: WorkflowEnvironment, settings: Settings, paused: Handle
) -> None:
    runs, heard = Runs(environment.client), Heard()
    remedy = f"`temporal workflow unpause --workflow-id {paused.id}` lets it go on"
    stands = await Service(Connection(environment.client, None), settings).find_detailed_state(
        paused.id
    )
    assert isinstance(stands, RunDescription)
    assert remedy in str(stands.waits)
    assert await runs.query_report(paused.id) is None
    with pytest.raises(OutOfReach, match=remedy):
        await runs.approve(paused.id, Approval())
    leaves = {Cause.STOPPED}
    follower = Follower(runs, paused.id, heard.show, heard.remark, leaves=leaves)
    assert await follower.follow() is None
    assert [remedy in each for each in heard.remarks] == [True]
