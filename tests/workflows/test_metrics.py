"""What is measured: all that the dashboard for Grafana asks for."""

import asyncio
import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from temporalio.client import Client, WorkflowFailureError
from temporalio.runtime import PrometheusConfig, Runtime, TelemetryConfig
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.envelope import FailureType
from tests.fakes.free_ports import free_port
from tests.fakes.patience import PATIENCE_S
from tests.fakes.ports import World
from tests.fakes.runs import failing, fault, serving, start_run
from tests.fakes.worlds import a_world, disagreeing

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
    async with serving(client, world, queue):
        handle = await start_run(client, queue, **asked)
        with suppress(WorkflowFailureError):
            await handle.result()


ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "docker" / "grafana.json"
_QUERIED = re.compile(r"\b(?:caveat|temporal)_\w+(?:\{[^}]*\})?")
_MATCHER = re.compile(r'(\w+)="([^"]*)"')
_BY = re.compile(r"by \(([^)]*)\)")


def queries() -> list[str]:
    """Every query of every panel, and every metric that people are told to watch."""
    board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    watched = re.findall(
        r"`((?:caveat|temporal)_\w+)`", page.split("## What to watch")[1].split("\n## ")[0]
    )
    assert watched
    return watched + [target["expr"] for panel in board["panels"] for target in panel["targets"]]


@pytest.fixture
async def measured(environment: WorkflowEnvironment, task_queue: str) -> Scrape:
    """What workers export that had one run done and another fail."""
    measured = Measured(environment)
    client = await measured.client()
    world = a_world()
    disagreeing(world, (1, 2))
    with environment.with_time_skipping_disabled():
        await run(client, world, f"{task_queue}-a", arbitration_timeout="PT1S")
        broken = a_world()
        failing(broken, "analyse", fault(FailureType.PERMANENT))
        await run(client, broken, f"{task_queue}-b")
        return await measured.read()


def found(query: str, scrape: Scrape) -> list[dict[str, str]]:
    name, _, selector = query.partition("{")
    wanted = dict(_MATCHER.findall(selector)).items()
    return [
        labels for each, labels, _ in scrape.samples if each == name and wanted <= labels.items()
    ]


async def test_every_query_finds_something_and_groups_by_its_labels(measured: Scrape) -> None:
    assert len(queries()) > 10
    for query in queries():
        grouped: set[Any] = {label for labels in _BY.findall(query) for label in labels.split(", ")}
        for part in _QUERIED.findall(query):
            samples = found(part, measured)
            assert samples, f"nothing is measured of {part}"
            assert any(grouped <= set(labels) for labels in samples), (query, samples[0])
