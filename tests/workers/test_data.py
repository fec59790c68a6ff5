"""What leaves the history, and results that are kept before the server has them."""

import datetime as dt
import json
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from temporalio import activity, workflow
from temporalio.api.common.v1 import Payload
from temporalio.client import Client
from temporalio.common import RetryPolicy
from temporalio.converter import (
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    Interceptor,
    UnsandboxedWorkflowRunner,
    Worker,
)

from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.source import SourceRef
from caveat.failures import unavailable
from caveat.workers.data import BlobStorage, PayloadProblem, build_data_converter
from caveat.workers.results import KeptResults
from tests.fakes.encryption import a_key

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


FOUND = SourceRef(id="s-1", title="Ganymede")


@dataclass
class Lost(Interceptor):
    """Loses what the first attempt at an activity returned, as a worker that is killed does."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002  # the SDK names it
        return _Losing(next)


class _Losing(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002  # the SDK names it
        result = await super().execute_activity(input)
        if activity.info().attempt == 1:
            raise ApplicationError("The worker is gone.")
        return result


@dataclass
class Work:
    """An activity that counts how often it is done, and fails the first times where it should."""

    fails: int = 0
    done: list[str] = field(default_factory=list)

    @activity.defn(name="find")
    async def find(self, query: str) -> SourceRef:
        self.done.append(query)
        if len(self.done) <= self.fails:
            raise ApplicationError("Not yet.")
        return FOUND


async def found(client: Client, work: Work, folder: Path, queue: str) -> SourceRef:
    kept = KeptResults(FolderBlobs(folder), client.data_converter)
    standing = [Lost(), kept]
    async with Worker(client, task_queue=queue, activities=[work.find], interceptors=standing):
        result: SourceRef = await client.execute_activity(
            "find",
            "moons",
            result_type=SourceRef,
            id=queue,
            task_queue=queue,
            start_to_close_timeout=dt.timedelta(seconds=60),
            retry_policy=RetryPolicy(initial_interval=dt.timedelta(milliseconds=10)),
        )
        return result


async def test_a_result_that_was_lost_on_its_way_is_found_and_not_worked_for_again(
    environment: WorkflowEnvironment, task_queue: str, tmp_path: Path
) -> None:
    work = Work()
    assert await found(environment.client, work, tmp_path, task_queue) == FOUND
    assert work.done == ["moons"]


async def test_what_failed_is_done_again(
    environment: WorkflowEnvironment, task_queue: str, tmp_path: Path
) -> None:
    work = Work(fails=2)
    assert await found(environment.client, work, tmp_path, task_queue) == FOUND
    assert work.done == ["moons"] * 3


@pytest.mark.parametrize("broken", [b"", b"\xff\xff", b"{}"])
async def test_a_result_that_cannot_be_read_or_kept_costs_the_work_alone(
    environment: WorkflowEnvironment, task_queue: str, tmp_path: Path, broken: bytes
) -> None:
    class Broken(FolderBlobs):
        def put(self, name: str, content: bytes, *, lasting: bool = True) -> None:
            super().put(name, broken, lasting=lasting)
            raise unavailable("The disk is full.", resource=name)

    work = Work()
    kept = KeptResults(Broken(tmp_path), environment.client.data_converter)
    await kept.keep("ab/abc.result", FOUND)
    assert await kept.recall("ab/abc.result") == []
    (tmp_path / "file").touch()
    assert await found(environment.client, work, tmp_path / "file", task_queue) == FOUND
    assert work.done == ["moons"] * 2


async def test_what_is_encrypted_for_the_server_is_encrypted_here(tmp_path: Path) -> None:
    converter = build_data_converter(FolderBlobs(tmp_path / "payloads"), a_key())
    kept = KeptResults(FolderBlobs(tmp_path / "results"), converter)
    await kept.keep("ab/abc.result", FOUND)
    assert b"Ganymede" not in (tmp_path / "results" / "ab" / "abc.result").read_bytes()
    assert await kept.recall("ab/abc.result") == [FOUND.model_dump(mode="json")]
