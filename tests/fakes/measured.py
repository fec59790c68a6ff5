"""Runs whose workers are measured, and what Prometheus reads of them."""

import asyncio
import re
from contextlib import suppress
from typing import Any
from urllib.request import urlopen

from temporalio.client import Client, WorkflowFailureError
from temporalio.runtime import PrometheusConfig, Runtime, TelemetryConfig
from temporalio.testing import WorkflowEnvironment

from tests.fakes.free_ports import free_port
from tests.fakes.patience import PATIENCE_S
from tests.fakes.ports import World
from tests.fakes.runs import serving, start_run

_LINE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')


class Scrape:
    """What one look found: name, labels and value of each line."""

    def __init__(self, text: str) -> None:
        self.samples = [
            (name, dict(_LABEL.findall(labels or "")), float(value))
            for name, labels, value in _LINE.findall(text)
        ]

    def sum(self, metric: str) -> float:
        return sum(value for name, _, value in self.samples if name == metric)


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
        def read() -> str:
            with urlopen(f"http://{self.address}/metrics", timeout=PATIENCE_S) as answer:
                return str(answer.read().decode())

        return Scrape(await asyncio.to_thread(read))


async def run(client: Client, world: World, queue: str, **asked: Any) -> None:
    """Have a run done, however it ends."""
    async with serving(client, world, queue):
        handle = await start_run(client, queue, **asked)
        with suppress(WorkflowFailureError):
            await handle.result()
