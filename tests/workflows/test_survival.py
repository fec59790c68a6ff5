"""kill -9 in the middle of a run: nothing completed runs again, and the report is whole."""

import asyncio
import json
import time
from collections import Counter

import pytest
from temporalio.api.enums.v1 import EventType

from caveat.adapters.files.blobs import FolderBlobs
from caveat.adapters.files.snapshots import KeptSnapshots
from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from caveat.rules.audit import audit
from caveat.workflows.names import QUEUE
from tests.fakes.machine import Machine
from tests.fakes.mortal_worker import GO, HELD
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import Handle, start_run

pytestmark = pytest.mark.system

BEFORE = 2 + 2 + 11 + 10
"""Stock and plan, searches, readings, analyses: all but the two held and what follows of them."""


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
    snapshots = KeptSnapshots(FolderBlobs(machine.folder / "snapshots"))
    addresses = [source.snapshot_sha256 for source in report.sources if source.snapshot_sha256]
    texts = {address: (await snapshots.open(address)).text for address in addresses}
    assert audit(report, dict(texts)).passed
    assert [len(section.claims) for section in report.sections] == [6, 6]
    assert report.failures == ()


@pytest.mark.parametrize("killed", [("worker",), ("server", "worker")], ids=" and ".join)
async def test_a_killed_run_goes_on_where_it_was(machine: Machine, killed: tuple[str, ...]) -> None:
    client = await machine.start_server()
    machine.start_worker()
    handle = await start_run(client, QUEUE, "research-survivor")
    before = await middle(handle, machine)
    calls_before = machine.calls()
    machine.kill(*killed)

    if "server" in killed:
        handle = (await machine.start_server()).get_workflow_handle(handle.id, result_type=Outcome)
    (machine.folder / GO).touch()
    machine.start_worker()
    since = time.monotonic()
    report = (await asyncio.wait_for(handle.result(), PATIENCE_S)).report
    assert time.monotonic() - since < 60

    await whole(report, machine)
    after = await completed(handle)
    assert after >= before
    assert set(after.values()) == {1}
    again = {call for call, times in machine.calls().items() if times > calls_before[call] > 0}
    assert again == HELD
