"""The real workers on the real server, with scripted ports behind the activities."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.outcome import Outcome
from tests.fakes.ports import World
from tests.fakes.runs import Asking, Handle, Start, serving
from tests.fakes.server import Machine
from tests.fakes.worlds import a_world


@pytest.fixture
def world() -> World:
    """The world of a test, which changes what it needs."""
    return a_world()


@pytest.fixture
async def start(
    environment: WorkflowEnvironment, world: World, task_queue: str
) -> AsyncIterator[Start]:
    """Start a run of the test's world: `await start(topic="...")`, or `await start(raw)`."""
    async with serving(environment.client, world, task_queue):

        async def begin(*raw: Any, id: str = "first", **request: Any) -> Handle:  # noqa: A002  # Temporal's word
            given = list(raw) or [{"topic": "alpha and beta", **request}]
            return await environment.client.start_workflow(
                "Research",
                args=given,
                id=f"research-{id}-{task_queue}",
                task_queue=task_queue,
                result_type=Outcome,
            )

        yield begin


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[Machine]:
    """A server and a worker that the test kills."""
    machine = Machine(tmp_path)
    try:
        yield machine
    finally:
        machine.kill("server", "worker")


@pytest.fixture
def asking(start: Start, environment: WorkflowEnvironment) -> Iterator[Asking]:
    with environment.with_time_skipping_disabled():
        yield Asking(start, environment.client)
