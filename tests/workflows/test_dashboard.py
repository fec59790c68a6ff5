"""The dashboard for Grafana asks for what is really measured."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.failure import FailureType
from caveat.workers.telemetry import gauges
from tests.fakes.measured import Measured, run
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import failing, fault
from tests.fakes.scraping import Scrape
from tests.fakes.worlds import a_world, disagreeing

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
        await run(client, world, f"{task_queue}-a", greed=1, arbitration_timeout="PT1S")
        broken = a_world()
        failing(broken, "synthesise", fault(FailureType.PERMANENT))
        await run(client, broken, f"{task_queue}-b")
        async with gauges(client, shown=True):
            return await awaited(measured, "caveat_open_arbitrations")


async def awaited(measured: Measured, metric: str) -> Scrape:
    """Read what is exported once there is a metric, or after all patience."""
    for _ in range(int(PATIENCE_S * 10)):
        found = await measured.read()
        if metric in found.names:
            return found
        await asyncio.sleep(0.1)
    return found


def found(query: str, scrape: Scrape) -> list[dict[str, str]]:
    name, _, selector = query.partition("{")
    wanted = dict(_MATCHER.findall(selector)).items()
    return [
        labels for each, labels, _ in scrape.samples if each == name and wanted <= labels.items()
    ]


async def test_every_query_finds_something_and_groups_by_labels_that_it_has(
    measured: Scrape,
) -> None:
    assert len(queries()) > 10
    for query in queries():
        grouped: set[Any] = {label for labels in _BY.findall(query) for label in labels.split(", ")}
        for part in _QUERIED.findall(query):
            samples = found(part, measured)
            assert samples, f"nothing is measured of {part}"
            assert any(grouped <= set(labels) for labels in samples), (query, samples[0])
