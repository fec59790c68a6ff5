"""Runs whose workers are measured."""

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

from temporalio.client import Client, WorkflowFailureError
from temporalio.runtime import PrometheusConfig, Runtime, TelemetryConfig
from temporalio.testing import WorkflowEnvironment

from caveat.workers.wiring import registry_of
from caveat.workers.worker import workers
from standins.free_ports import free_port
from standins.ports import World, ports_of
from tests.fakes.greed import Greedy
from tests.fakes.scraping import Scrape, scrape


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


async def run(client: Client, world: World, queue: str, *, greed: int = 0, **asked: Any) -> Any:
    """Have a run done, and return its handle."""
    reasoner = Greedy(world, times=greed)
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
