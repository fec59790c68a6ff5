"""kill -9 in the middle of a run: nothing completed runs again, and the report is whole."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client
from temporalio.service import RPCError

from caveat.adapters.files.snapshots import FileSnapshots
from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from caveat.rules.audit import audit
from tests.fakes.mortal_worker import GO, HELD
from tests.workflows.conftest import Handle
from workers.binary import temporal_binary
from workers.data import data_converter
from workers.tuning import server_command
from workflows.options import QUEUE

BEFORE = 2 + 2 + 11 + 10
"""Stock and plan, searches, readings, analyses: all but the two held and what follows of them."""


class Machine:
    """A server and a worker, each a process that can be killed and started again."""

    def __init__(self, folder: Path, port: int, ui_port: int) -> None:
        self.folder = folder
        self.address = f"127.0.0.1:{port}"
        self._ports = (port, ui_port)
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    async def start_server(self) -> Client:
        port, ui_port = self._ports
        database = self.folder / "temporal.db"
        self._start(
            "server", *server_command(temporal_binary(), database, port=port, ui_port=ui_port)
        )
        for _ in range(100):
            with suppress(RuntimeError, RPCError):
                converter = data_converter(self.folder / "payloads")
                return await Client.connect(self.address, data_converter=converter)
            await asyncio.sleep(0.1)
        raise AssertionError("the server does not answer")

    def start_worker(self) -> None:
        module = "tests.fakes.mortal_worker"
        self._start("worker", sys.executable, "-m", module, self.address, str(self.folder))

    def kill(self, *names: str) -> None:
        for name in names:
            self._running[name].send_signal(signal.SIGKILL)
        for name in names:
            self._running.pop(name).wait(10)

    def end(self) -> None:
        self.kill(*self._running)

    def calls(self) -> Counter[str]:
        log = self.folder / "calls.log"
        return Counter(log.read_text(encoding="utf-8").splitlines() if log.exists() else [])

    def _start(self, name: str, *command: str) -> None:
        self._running[name] = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )


@pytest.fixture
async def machine(tmp_path: Path, free_port: Callable[[], int]) -> AsyncIterator[Machine]:
    machine = Machine(tmp_path, free_port(), free_port())
    try:
        yield machine
    finally:
        machine.end()


async def begin(client: Client) -> Handle:
    return await client.start_workflow(
        "Research",
        {"topic": "alpha and beta"},
        id="research-survivor",
        task_queue=QUEUE,
        result_type=Outcome,
    )


async def completed(handle: Handle) -> Counter[str]:
    """How often each activity completed, by its summary in the event history."""
    names: dict[int, str] = {}
    done: Counter[str] = Counter()
    async for event in handle.fetch_history_events():
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
            names[event.event_id] = json.loads(event.user_metadata.summary.data)
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
            done[names[event.activity_task_completed_event_attributes.scheduled_event_id]] += 1
    return done


async def middle(handle: Handle, machine: Machine) -> Counter[str]:
    """Wait until everything is done but what is held in flight."""
    for _ in range(600):
        done = await completed(handle)
        if sum(done.values()) == BEFORE and machine.calls().keys() >= HELD:
            return done
        await asyncio.sleep(0.05)
    raise AssertionError("the run never came to its middle")


async def whole(report: Report, machine: Machine) -> None:
    snapshots = FileSnapshots(machine.folder / "snapshots")
    addresses = [source.snapshot_sha256 for source in report.sources if source.snapshot_sha256]
    texts = {address: (await snapshots.open(address)).text for address in addresses}
    assert audit(report, dict(texts)).passed
    assert [len(section.claims) for section in report.sections] == [6, 6]
    assert report.failures == ()


@pytest.mark.parametrize("killed", [("worker",), ("server", "worker")], ids=" and ".join)
async def test_a_killed_run_goes_on_where_it_was(machine: Machine, killed: tuple[str, ...]) -> None:
    client = await machine.start_server()
    machine.start_worker()
    handle = await begin(client)
    before = await middle(handle, machine)
    calls_before = machine.calls()
    machine.kill(*killed)

    if "server" in killed:
        handle = (await machine.start_server()).get_workflow_handle(handle.id, result_type=Outcome)
    (machine.folder / GO).touch()
    machine.start_worker()
    since = time.monotonic()
    report = (await asyncio.wait_for(handle.result(), 60)).report
    assert time.monotonic() - since < 30

    await whole(report, machine)
    after = await completed(handle)
    assert after >= before
    assert set(after.values()) == {1}
    again = {call for call, times in machine.calls().items() if times > calls_before[call] > 0}
    assert again == HELD
