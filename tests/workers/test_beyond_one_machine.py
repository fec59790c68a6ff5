"""Workers with nothing in common but a server and a bucket, and commands of yet another machine."""

import asyncio
import json
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client

from caveat.adapters.buckets import open_bucket
from caveat.contracts.outcome import Outcome
from caveat.workers.data import build_data_converter
from tests.fakes.buckets import KEY_ID, SECRET, Bucket
from tests.fakes.commands import Command
from tests.fakes.home import IN_A_SECOND, TOPIC, Home
from tests.fakes.patience import PATIENCE_S
from tests.fakes.server import OwnServer

pytestmark = pytest.mark.system


class Machines:
    """Machines that reach the same server and the same bucket."""

    def __init__(self, folder: Path, bucket: Bucket, address: str) -> None:
        self.folder = folder
        self.bucket = bucket
        self._address = address
        self._workers: list[Command] = []

    def machine(self, name: str) -> Home:
        """One with folders of its own; its documents are the same."""
        (self.folder / name).mkdir()
        home = Home(self.folder / name)
        home.environment |= {
            **self.bucket.environment,
            "TEMPORAL_ADDRESS": self._address,
            "CAVEAT_BLOBS": self.bucket.url,
            "CAVEAT_CORPUS": str(self.folder / "papers"),
        }
        if not (self.folder / "papers").exists():
            shutil.copytree(home.corpus, self.folder / "papers")
        return home

    def start_worker(self, name: str) -> None:
        """Start one on a machine of its own, and wait until it serves."""
        self._workers.append(self.machine(name).forked("worker"))
        while "Serving" not in (line := self._workers[-1].stderr.readline()):
            assert line, "it ended"

    def said(self) -> str:
        """End every worker, and return what they said."""
        ended, self._workers = self._workers, []
        for process in ended:
            process.send_signal(signal.SIGKILL)
        return "".join(part for each in ended for part in each.communicate())


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[OwnServer]:
    made = OwnServer(tmp_path, tmp_path / "unused")
    await made.start()
    yield made
    made.kill()


@pytest.fixture
def machines(tmp_path: Path, bucket: Bucket, server: OwnServer) -> Iterator[Machines]:
    made = Machines(tmp_path, bucket, server.address)
    yield made
    made.said()


@pytest.fixture
async def client(server: OwnServer, bucket: Bucket) -> Client:
    converter = build_data_converter(open_bucket(f"{bucket.url}/payloads"))
    return await Client.connect(server.address, data_converter=converter)


async def ended(client: Client, run_id: str) -> Outcome:
    handle = client.get_workflow_handle(run_id, result_type=Outcome)
    return await asyncio.wait_for(handle.result(), PATIENCE_S * 3)


def report_in(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return found


async def workers_of(client: Client, run_id: str) -> set[str]:
    handle = client.get_workflow_handle(run_id)
    return {
        event.activity_task_completed_event_attributes.identity
        async for event in handle.fetch_history_events()
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED
    }


async def test_two_workers_on_two_folders_carry_out_one_run(
    machines: Machines, client: Client, bucket: Bucket, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        await asyncio.to_thread(machines.start_worker, name)
    third = machines.machine("three")
    done = await asyncio.to_thread(third.caveat, "research", TOPIC, *IN_A_SECOND, "--wait")
    assert done.returncode == 0, done.stderr
    run_id = json.loads((await asyncio.to_thread(third.caveat, "runs", "--json")).stdout)[0][
        "run_id"
    ]
    assert len(await workers_of(client, run_id)) == 2
    outcome = await ended(client, run_id)
    assert all(each.path.startswith(f"{bucket.url}/reports/") for each in outcome.artifacts)
    for name in ("one", "two", "three"):
        state = tmp_path / name / "state"
        assert not any((state / kind).exists() for kind in ("payloads", "snapshots", "reports"))

    fourth = machines.machine("four")
    reported = await asyncio.to_thread(fourth.caveat, "report", run_id, "--out", "here")
    assert reported.returncode == 0, reported.stderr
    written = report_in(tmp_path / "four" / "here")
    assert written["run_id"] == run_id
    checked = await asyncio.to_thread(fourth.caveat, "audit", "here/report.json")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "Seal: it is as its run published it." in checked.stdout

    await require_left_alone(fourth, bucket)
    said = machines.said() + done.stdout + done.stderr + reported.stderr
    await require_no_secrets(client, run_id, bucket, said)


async def require_left_alone(home: Home, bucket: Bucket) -> None:
    there = bucket.names()
    pruned = await asyncio.to_thread(home.caveat, "admin", "prune", "--days", "1")
    assert pruned.stdout.startswith("Nothing from before ")
    assert bucket.names() == there


async def require_no_secrets(client: Client, run_id: str, bucket: Bucket, said: str) -> None:
    history = await client.get_workflow_handle(run_id).fetch_history()
    read = (bytes(bucket.store.get(name).bytes()) for name in bucket.names())
    kept = "".join(content.decode(errors="replace") for content in read)
    for secret in (KEY_ID, SECRET):
        assert secret not in said + kept + history.to_json()
