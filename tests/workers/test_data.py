"""What leaves the history, and results that are kept before the server has them."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from temporalio import activity, workflow
from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from caveat.adapters.files.blobs import FolderBlobs
from caveat.workers.data import BlobStorage, PayloadProblem

KEEP = StorageDriverStoreContext()
FETCH = StorageDriverRetrieveContext()


def blobs(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@given(st.binary(max_size=2_000), st.dictionaries(st.text(max_size=9), st.binary(max_size=9)))
async def test_what_is_kept_comes_back(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, metadata: dict[str, bytes]
) -> None:
    storage = BlobStorage(FolderBlobs(tmp_path_factory.getbasetemp() / "property"))
    payload = Payload(data=data, metadata=metadata)
    claims = await storage.store(KEEP, [payload, payload])
    assert claims[0] == claims[1]
    assert await storage.retrieve(FETCH, claims) == [payload, payload]


async def test_a_damaged_payload_is_refused_and_healed_by_storing_it_again(tmp_path: Path) -> None:
    storage = BlobStorage(FolderBlobs(tmp_path))
    payload = Payload(data=b"the same length")
    claims = await storage.store(KEEP, [payload])
    (blob,) = blobs(tmp_path)
    blob.write_bytes(blob.read_bytes().replace(b"same", b"sane"))
    with pytest.raises(PayloadProblem, match="damaged"):
        await storage.retrieve(FETCH, claims)
    await storage.store(KEEP, [payload])
    assert await storage.retrieve(FETCH, claims) == [payload]


@pytest.mark.parametrize("address", ["", "../../etc/passwd", "0" * 63, "A" * 64, "0" * 64 + "\n"])
async def test_an_address_that_is_none_is_refused(tmp_path: Path, address: str) -> None:
    with pytest.raises(PayloadProblem, match="no valid address"):
        await BlobStorage(FolderBlobs(tmp_path)).retrieve(
            FETCH, [StorageDriverClaim({"sha256": address})]
        )


@activity.defn
async def large(kilobytes: int) -> str:
    return "x" * (kilobytes * 1024)


@workflow.defn
class Passing:
    @workflow.run
    async def run(self, kilobytes: int) -> str:
        return await workflow.execute_activity(
            large, kilobytes, start_to_close_timeout=timedelta(seconds=20)
        )


async def test_a_large_payload_is_a_small_reference_in_the_history(
    environment: WorkflowEnvironment, task_queue: str, payloads_folder: Path
) -> None:
    others = set(blobs(payloads_folder))
    async with Worker(
        environment.client,
        task_queue=task_queue,
        workflows=[Passing],
        activities=[large],
        workflow_runner=UnsandboxedWorkflowRunner(),
    ):
        handle = await environment.client.start_workflow(
            Passing.run, 300, id=task_queue, task_queue=task_queue
        )
        result = await handle.result()
    assert result == "x" * 300 * 1024
    history = await handle.fetch_history()
    assert sum(event.ByteSize() for event in history.events) < 10_000
    (blob,) = set(blobs(payloads_folder)) - others
    reference = json.dumps(history.to_json_dict())
    assert "xxxxxxxx" not in reference
    blob.unlink()
    with pytest.raises(PayloadProblem, match=str(payloads_folder)):
        await handle.result()
