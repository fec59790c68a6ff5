"""`caveat follow-up` as people use it: a real process on a real server, a library that breaks."""

import asyncio
import os
import subprocess
from collections.abc import Awaitable, Callable

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.clients.run_description import format_reset
from caveat.contracts.outcome import Outcome
from caveat.failures import unavailable
from caveat.workflows.names import QUEUE
from tests.fakes.commands import reset_as_told
from tests.fakes.home import Home
from tests.fakes.patience import until
from tests.fakes.ports import World
from tests.fakes.runs import awaiting, failing, start_run
from tests.fakes.worlds import disagreeing

pytestmark = pytest.mark.system
BUSY = unavailable("The archive is busy.", resource="page 1")
Caveat = Callable[..., Awaitable[subprocess.CompletedProcess[str]]]


@pytest.fixture
def caveat(environment: WorkflowEnvironment, home: Home) -> Caveat:
    """The command, on a server of one's own."""
    home.environment["TEMPORAL_ADDRESS"] = environment.client.service_client.config.target_host

    async def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return await asyncio.to_thread(home.caveat, *arguments)

    return run


async def ended(client: Client, name: str, **request: object) -> str:
    """Have a run done, however it ends, and return its id."""
    run_id = f"research-{name}-{os.urandom(3).hex()}"
    asked = {"topic": "alpha and beta", "formats": ["md"], **request}
    handle = await start_run(client, QUEUE, run_id, **asked)
    await handle.result()
    return run_id


def busy(world: World, error: Exception = BUSY) -> None:
    failing(world, "read page 1", error)


async def test_a_signal_that_is_refused_stands_in_status_and_in_the_web_ui(
    world: World, environment: WorkflowEnvironment, caveat: Caveat
) -> None:
    disagreeing(world, (1, 2))
    with environment.with_time_skipping_disabled():
        run = await start_run(environment.client, QUEUE, "research-misread")
        await awaiting(run)
        await run.signal("resolve_contradiction", {"contradiction_id": "contradiction-1"})
        arbitration = environment.client.get_workflow_handle(f"{run.id}/contradiction-1")
        await arbitration.signal("resolve", {"rule": "a"})
        shown = (await caveat("status", arbitration.id)).stdout
        details = str(await run.query("__temporal_workflow_metadata"))
        await run.terminate()
    assert "Not accepted: `ruling` must be" in shown
    assert "Not accepted: A ruling has no field `rule`" in shown
    assert "Answers that were not accepted: 1" in details


async def test_a_terminated_run_goes_on_by_the_reset_that_its_status_shows(
    world: World, environment: WorkflowEnvironment, caveat: Caveat
) -> None:
    world.uses_model = True  # without one all is read before anything is analysed
    busy(world)  # for a time: the run waits for its retry, with all but one page read
    run_id = f"research-ended-{os.urandom(3).hex()}"
    handle = await start_run(environment.client, QUEUE, run_id)
    await until(lambda: world.calls["analyse"])
    await handle.terminate("enough")
    world.faults = lambda kind, key: None
    said = await caveat("status", run_id)
    assert f"`{format_reset(run_id)}` lets it go on" in said.stdout + said.stderr
    said = await caveat("follow-up", run_id)
    assert (said.returncode, said.stdout) == (1, "")
    assert f"`{format_reset(run_id)}` lets it go on" in said.stderr
    await reset_as_told(environment.client, run_id)
    again = environment.client.get_workflow_handle(run_id, result_type=Outcome)
    assert (await again.result()).report.failures == ()
