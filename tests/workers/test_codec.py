"""The codec on the wire: what is encrypted of failures and heartbeats, and what is forged."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio import activity, workflow
from temporalio.api.common.v1 import Payload
from temporalio.api.failure.v1 import Failure
from temporalio.client import Client
from temporalio.common import RawValue, RetryPolicy
from temporalio.converter import DataConverter
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.outcome import Outcome
from caveat.contracts.plan import ResearchRequest
from caveat.workers.codec import MissingKey, find_key_id
from caveat.workers.data import PayloadProblem, build_data_converter
from tests.fakes.encryption import a_key
from tests.fakes.patience import PATIENCE_S, until
from tests.fakes.runs import report_of, serving, start_run
from tests.fakes.worlds import a_world

pytestmark = pytest.mark.system
WORD = b"quillomar"


def locked(folder: Path, seed: int = 0) -> DataConverter:
    return build_data_converter(FolderBlobs(folder / "payloads"), a_key(seed))


def connected(client: Client, converter: DataConverter) -> Client:
    config = client.config()
    config["data_converter"] = converter
    return Client(**config)


async def test_a_message_of_a_failure_is_encrypted_with_its_trace(tmp_path: Path) -> None:
    failure = Failure()
    error = ApplicationError(WORD.decode(), {"said": WORD.decode()})
    error.__cause__ = ValueError(WORD.decode())
    await locked(tmp_path).encode_failure(error, failure)
    assert WORD not in failure.SerializeToString()
    told = await locked(tmp_path).decode_failure(failure)
    assert isinstance(told, ApplicationError)
    assert (told.message, told.details) == (WORD.decode(), ({"said": WORD.decode()},))


async def test_what_was_tampered_with_arrives_as_the_reason(tmp_path: Path) -> None:
    converter = locked(tmp_path)
    (sealed,) = await converter.encode([ResearchRequest(topic="x")])
    forged = Payload(metadata=sealed.metadata, data=sealed.data[:-1] + b"\0")
    with pytest.raises(PayloadProblem, match="is damaged"):
        await converter.decode([forged], [ResearchRequest])
    (lost,) = await converter.decode([forged], [SubagentResult[ResearchRequest]])
    assert "is damaged" in lost.failure.message
    (raw,) = await converter.decode([forged])
    assert b"is damaged" in raw


async def test_ciphertext_is_never_taken_for_a_value(tmp_path: Path) -> None:
    (sealed,) = await locked(tmp_path).encode(["x"])
    plain = build_data_converter(FolderBlobs(tmp_path / "payloads"))
    for lacking in (plain, locked(tmp_path, 1)):
        with pytest.raises(MissingKey, match=str(find_key_id(sealed))):
            await lacking.decode([sealed])


@activity.defn
async def tell() -> None:
    activity.heartbeat(WORD.decode())
    if activity.info().attempt == 1:
        raise ApplicationError(WORD.decode())
    await asyncio.Event().wait()


@workflow.defn
class Telling:
    @workflow.run
    async def run(self) -> None:
        await workflow.execute_activity(
            tell,
            start_to_close_timeout=timedelta(seconds=PATIENCE_S),
            heartbeat_timeout=timedelta(seconds=PATIENCE_S),
            retry_policy=RetryPolicy(maximum_attempts=5),
            summary=WORD.decode(),
        )


async def test_what_a_subagent_told_last_is_encrypted(
    environment: WorkflowEnvironment, tmp_path: Path, task_queue: str
) -> None:
    client = connected(environment.client, locked(tmp_path))
    async with Worker(
        client,
        task_queue=task_queue,
        workflows=[Telling],
        activities=[tell],
        workflow_runner=UnsandboxedWorkflowRunner(),
    ):
        handle = await client.start_workflow(
            Telling.run, id=task_queue, task_queue=task_queue, static_summary=WORD.decode()
        )
        async with asyncio.timeout(PATIENCE_S):
            while True:
                described = (await handle.describe()).raw_description
                told = [each for each in described.pending_activities if each.attempt > 1]
                if told and told[0].HasField("heartbeat_details"):
                    break
                await asyncio.sleep(0.1)
        assert told[0].HasField("last_failure")
        assert WORD not in described.SerializeToString()
        assert WORD not in (await handle.fetch_history()).to_json().encode()
        await handle.terminate()


async def test_a_forged_message_is_refused_and_the_run_goes_on(
    environment: WorkflowEnvironment, tmp_path: Path, task_queue: str
) -> None:
    client = connected(environment.client, locked(tmp_path))
    (genuine,) = await client.data_converter.encode(["x"])
    async with serving(client, a_world(), task_queue):
        handle = await start_run(client, task_queue)
        for data in (b"", b"forged", genuine.data[::-1]):
            forged = Payload(metadata=genuine.metadata, data=data)
            await environment.client.get_workflow_handle(handle.id).signal(
                "resolve_contradiction", RawValue(forged)
            )
        assert (await report_of(handle)).claims


async def test_a_run_waits_for_a_worker_with_its_key(
    environment: WorkflowEnvironment,
    tmp_path: Path,
    task_queue: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    client = connected(environment.client, locked(tmp_path))
    lacking = connected(environment.client, locked(tmp_path, 1))
    async with serving(lacking, a_world(), task_queue):
        handle = await start_run(client, task_queue)
        await until(lambda: a_key().id in caplog.text)
    async with serving(client, a_world(), task_queue):
        there = client.get_workflow_handle(handle.id, result_type=Outcome)
        assert (await report_of(there)).claims
