"""What runs that go on do when what was kept for them is gone, or is not what it was."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.buckets import open_bucket
from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.envelope import AgentType
from caveat.contracts.outcome import Ending
from caveat.ports import Blobs
from caveat.workers import data
from caveat.workers.data import build_data_converter
from tests.fakes.buckets import Bucket
from tests.fakes.ports import World
from tests.fakes.runs import Handle, end_of, report_of, serving, start_run

LIMIT = 200  # bytes from which payloads leave the history here: almost all do
SAYS_WHERE = "The stored payload"


@dataclass(frozen=True)
class Losing:
    """Blobs that are gone, or other ones, as soon as they are kept, if their content is such."""

    blobs: Blobs
    harm: Callable[[str], None]
    is_such: Callable[[bytes], bool]

    def keep(self, name: str, content: bytes, is_sound: Callable[[bytes], bool]) -> None:
        self.blobs.keep(name, content, is_sound)
        if self.is_such(content):
            self.harm(name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.blobs, name)


def folder_damaged(request: pytest.FixtureRequest) -> tuple[Blobs, Callable[[str], None]]:
    folder: Path = request.getfixturevalue("tmp_path") / "payloads"

    def damage(name: str) -> None:
        (folder / name).write_bytes(b"whatever")

    return FolderBlobs(folder), damage


def bucket_missing(request: pytest.FixtureRequest) -> tuple[Blobs, Callable[[str], None]]:
    bucket: Bucket = request.getfixturevalue("bucket")
    return open_bucket(bucket.url), bucket.store.delete


@asynccontextmanager
async def run(
    environment: WorkflowEnvironment, world: World, queue: str, blobs: Blobs, **asked: Any
) -> AsyncIterator[Handle]:
    config = environment.client.config()
    config["data_converter"] = build_data_converter(blobs)
    client = Client(**config)
    async with serving(client, world, queue):
        yield await start_run(client, queue, f"research-lost-{queue}", **asked)


@pytest.fixture(autouse=True)
def _all_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "THRESHOLD", LIMIT)


@pytest.mark.parametrize(
    "place",
    [folder_damaged, pytest.param(bucket_missing, marks=pytest.mark.xdist_group("buckets"))],
)
async def test_a_result_that_is_lost_fails_its_task_by_name(
    environment: WorkflowEnvironment,
    world: World,
    task_queue: str,
    request: pytest.FixtureRequest,
    place: Callable[[pytest.FixtureRequest], tuple[Blobs, Callable[[str], None]]],
) -> None:
    blobs, harm = place(request)
    lost: list[str] = []

    def once(content: bytes) -> bool:
        if b'"agent_type":"analyst"' not in content or lost:
            return False
        lost.append("it")
        return True

    async with run(environment, world, task_queue, Losing(blobs, harm, once)) as handle:
        report = await report_of(handle)
    assert lost
    (failed,) = report.failures
    assert failed.agent_type == AgentType.ANALYST
    assert failed.failure.message.startswith(f"What the subagent returned is lost: {SAYS_WHERE}")
    assert report.claims


async def test_a_request_that_is_lost_ends_its_run_by_name(
    environment: WorkflowEnvironment, world: World, task_queue: str, tmp_path: Path
) -> None:
    def is_such(content: bytes) -> bool:
        return b'"topic":"alpha' in content and b"lasting words" in content

    folder = tmp_path
    blobs = Losing(FolderBlobs(folder), lambda name: (folder / name).unlink(), is_such)
    asked = {"topic": f"alpha and {'lasting words ' * 20}"}
    async with run(environment, world, task_queue, blobs, **asked) as handle:
        end = await end_of(handle)
    assert end.ending is Ending.INVALID_REQUEST
