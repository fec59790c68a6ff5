"""What is no failure is counted as none by the SDK, so that rates of failures mean something."""

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError
from temporalio.runtime import PrometheusConfig, Runtime, TelemetryConfig
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.failure import FailureType
from caveat.contracts.outcome import Ending
from caveat.workers.wiring import registry_of
from caveat.workers.worker import workers
from standins.free_ports import free_port
from standins.ports import World, ports_of
from tests.fakes.runs import end_of, failing, fault
from tests.fakes.scraping import Scrape, scrape
from tests.fakes.worlds import a_world
from tests.workflows.test_turns import Stubborn


class Measured:
    """Workers whose metrics are read."""

    def __init__(self, environment: WorkflowEnvironment) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self.environment = environment

    async def client(self) -> Client:
        own = self.environment.client
        metrics = PrometheusConfig(bind_address=self.address)
        return await Client.connect(
            own.service_client.config.target_host,
            data_converter=own.data_converter,
            runtime=Runtime(telemetry=TelemetryConfig(metrics=metrics)),
        )

    async def read(self) -> Scrape:
        return await scrape(self.address)


@pytest.fixture
def measured(environment: WorkflowEnvironment) -> Measured:
    return Measured(environment)


async def run(client: Client, world: World, queue: str, *, turns: int = 0, **asked: Any) -> Any:
    """Have a run done, and return its handle."""
    reasoner = Stubborn(world, flaws=turns)
    registry = registry_of(replace(ports_of(world), reasoner=reasoner))
    async with workers(client, registry, queue):
        handle = await client.start_workflow(
            "Research",
            {"topic": "alpha and beta", **asked},
            id=f"research-{queue}",
            task_queue=queue,
            run_timeout=timedelta(minutes=5),
        )
        with suppress(WorkflowFailureError):
            await handle.result()
    return handle


async def test_another_turn_is_no_failed_activity(measured: Measured, task_queue: str) -> None:
    await run(await measured.client(), a_world(), task_queue, turns=1)
    found = await measured.read()
    assert found.sum("temporal_workflow_completed", workflow_type="Research") == 1
    assert found.sum("temporal_activity_execution_failed") == 0


async def test_a_task_that_fails_is_a_failed_activity(measured: Measured, task_queue: str) -> None:
    world = a_world()
    failing(world, "synthesise", fault(FailureType.PERMANENT))
    handle = await run(await measured.client(), world, task_queue)
    await end_of(handle, Ending.SYNTHESIS_FAILED)
    found = await measured.read()
    assert found.sum("temporal_activity_execution_failed", activity_type="synthesise") > 0
    assert found.sum("temporal_workflow_failed", workflow_type="Research") == 1


@pytest.mark.parametrize(
    ("asked", "ending"),
    [({"topic": ""}, Ending.INVALID_REQUEST), ({"follow_up_of": "nobody"}, None)],
)
async def test_what_a_user_did_is_no_failed_run(
    measured: Measured, task_queue: str, asked: dict[str, Any], ending: Ending | None
) -> None:
    handle = await run(await measured.client(), a_world(), task_queue, **asked)
    await end_of(handle, ending or Ending.NOTHING_TO_FOLLOW_UP)
    found = await measured.read()
    assert found.sum("temporal_workflow_failed", workflow_type="Research") == 0
