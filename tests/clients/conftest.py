"""A world on the server of all tests, for whoever starts and reads runs."""

from collections.abc import AsyncIterator

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.workflows.names import QUEUE
from tests.fakes.ports import World
from tests.fakes.runs import serving
from tests.fakes.worlds import a_world


@pytest.fixture
async def world(environment: WorkflowEnvironment) -> AsyncIterator[World]:
    """A library that a worker of ours serves on the queue where people's runs are started."""
    world = a_world()
    async with serving(environment.client, world, QUEUE):
        yield world
