"""Workers that lack a key which the others have: none goes on."""

import asyncio
import shutil
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.files.blobs import FolderBlobs
from caveat.workers import keys
from caveat.workers.data import build_data_converter
from caveat.workers.keys import Keyring, MissingKey
from caveat.workers.wiring import build_registry
from caveat.workers.worker import run_activity_workers, run_workflow_worker
from standins.ports import ports_of
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import report_of, start_run
from tests.fakes.worlds import a_world


def with_keys(environment: WorkflowEnvironment, file: Path) -> Client:
    config = environment.client.config()
    config["data_converter"] = build_data_converter(
        FolderBlobs(file.parent / "payloads"), Keyring(file)
    )
    return Client(**config)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    file = tmp_path / "old.json"
    keys.create_key_file(file)
    return file


@pytest.fixture
def rotated(old: Path) -> Path:
    """The same keys and one more, which encrypts."""
    file = old.with_name("rotated.json")
    shutil.copy(old, file)
    keys.rotate_key(file)
    return file


def encrypts(file: Path) -> str:
    return Keyring(file).seal(b"x", b"")[0]


async def test_a_worker_that_is_given_what_it_cannot_decrypt_ends(
    environment: WorkflowEnvironment, old: Path, rotated: Path, task_queue: str
) -> None:
    lacking, client = with_keys(environment, old), with_keys(environment, rotated)
    registry = build_registry(ports_of(a_world()))
    async with run_workflow_worker(client, registry, task_queue):
        handle = await start_run(client, task_queue)
        with pytest.raises(MissingKey, match=f"'{encrypts(rotated)}'. {old} lacks it"):
            async with (
                asyncio.timeout(PATIENCE_S),
                run_activity_workers(lacking, registry, task_queue),
            ):
                await asyncio.Event().wait()
        # One that has the key finds every attempt but one.
        async with run_activity_workers(client, registry, task_queue):
            report = await report_of(handle)
    assert report.claims
    assert not report.failures
