"""Users of the embedded server; nothing of it outlives a test."""

import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.workers.settings import Settings
from caveat.workers.wiring import build_registry, choose_ports
from caveat.workers.worker import serve_runs
from tests.fakes.patience import PATIENCE_S
from tests.workers.processes import User, ends_within, record


@pytest.fixture
def user() -> Iterator[Callable[[Settings], User]]:
    """Start processes that use the embedded server; none outlives the test."""
    users: list[User] = []

    def start(settings: Settings) -> User:
        users.append(User(settings))
        return users[-1]

    yield start
    for one in users:
        one.end()


@pytest.fixture(autouse=True)
def nothing_left(settings: Settings) -> Iterator[None]:
    """After each test, its embedded server is gone, whatever the test did."""
    yield
    try:
        left = record(settings)
    except (FileNotFoundError, NotADirectoryError):
        return
    if ends_within(PATIENCE_S, left["guard"], left["server"]):
        return
    for pid in (left["guard"], left["server"]):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    pytest.fail("an embedded server was left behind")


@pytest.fixture
async def client(
    environment: WorkflowEnvironment, task_queue: str, settings: Settings
) -> AsyncIterator[Client]:
    """A client of workers as the settings wire them, where no time is skipped."""
    async with serve_runs(environment.client, build_registry(choose_ports(settings)), task_queue):
        with environment.with_time_skipping_disabled():
            yield environment.client
