"""Workers that lack a key which the others have: none begins, and none goes on."""

import asyncio
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio import workflow
from temporalio.client import Client, WorkflowHandle
from temporalio.common import RawValue
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.plan import ResearchRequest
from caveat.workers import keys
from caveat.workers.codec import require_keys
from caveat.workers.data import data_converter
from caveat.workers.keys import Keyring, MissingKey
from caveat.workers.wiring import registry_of
from caveat.workers.worker import beside, orchestrating
from caveat.workflows.names import RESEARCH
from standins.ports import ports_of
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import report_of, start_run
from tests.fakes.worlds import a_world


def with_keys(environment: WorkflowEnvironment, file: Path) -> Client:
    config = environment.client.config()
    config["data_converter"] = data_converter(FolderBlobs(file.parent / "payloads"), Keyring(file))
    return Client(**config)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    file = tmp_path / "old.json"
    keys.new(file)
    return file


@pytest.fixture
def rotated(old: Path) -> Path:
    """The same keys and one more, which encrypts."""
    file = old.with_name("rotated.json")
    shutil.copy(old, file)
    keys.rotated(file, is_staged=False)
    return file


def encrypts(file: Path) -> str:
    return Keyring(file).seal(b"x", b"")[0]


@workflow.defn(name=RESEARCH)
class Working:
    """A run whose first task has been given out."""

    @workflow.run
    async def run(self, _: RawValue) -> None:
        await workflow.execute_activity(
            "nobody_does_it", "x", start_to_close_timeout=timedelta(minutes=1)
        )


async def listed(client: Client, handle: WorkflowHandle[object, object]) -> None:
    query = f"WorkflowId = '{handle.id}'"
    async with asyncio.timeout(PATIENCE_S):
        while not (await client.count_workflows(query)).count:  # noqa: ASYNC110  # the server's list is late
            await asyncio.sleep(0.1)


async def test_no_worker_begins_that_lacks_what_workers_encrypt_with_now(
    environment: WorkflowEnvironment, old: Path, rotated: Path, tmp_path: Path, task_queue: str
) -> None:
    before, now = with_keys(environment, old), with_keys(environment, rotated)
    handle = await before.start_workflow(
        RESEARCH,
        ResearchRequest(topic="x"),
        id=f"research-{task_queue}",
        task_queue=task_queue,
        memo={"topic": "x"},
    )
    try:
        await listed(before, handle)
        await require_keys(before, task_queue)
        runner = UnsandboxedWorkflowRunner()
        async with Worker(now, task_queue=task_queue, workflows=[Working], workflow_runner=runner):
            async with asyncio.timeout(PATIENCE_S):
                while not (  # noqa: ASYNC110  # a history is asked for
                    await handle.describe()
                ).raw_description.pending_activities:
                    await asyncio.sleep(0.1)
        with pytest.raises(MissingKey, match=f"run {handle.id} .* '{encrypts(rotated)}'"):
            await require_keys(before, task_queue)

        # Whoever may signal a run stops no worker by it.
        keys.new(tmp_path / "strange.json")
        stranger = with_keys(environment, tmp_path / "strange.json")
        await stranger.get_workflow_handle(handle.id).signal("told", "x")
        await require_keys(now, task_queue)
    finally:
        await handle.terminate()


async def test_a_worker_that_is_given_what_it_cannot_decrypt_ends(
    environment: WorkflowEnvironment, old: Path, rotated: Path, task_queue: str
) -> None:
    lacking, client = with_keys(environment, old), with_keys(environment, rotated)
    registry = registry_of(ports_of(a_world()))
    async with orchestrating(client, registry, task_queue):
        handle = await start_run(client, task_queue)
        with pytest.raises(MissingKey, match=f"'{encrypts(rotated)}'. {old} lacks it"):
            async with asyncio.timeout(PATIENCE_S), beside(lacking, registry, task_queue):
                await asyncio.Event().wait()
        # One that has the key finds every attempt but one.
        async with beside(client, registry, task_queue):
            report = await report_of(handle)
    assert report.claims
    assert not report.failures
