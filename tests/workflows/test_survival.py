"""kill -9 in the middle of a run and while a person thinks: nothing is lost or done twice."""

import asyncio
import json
import time
from collections import Counter
from datetime import timedelta

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client

from caveat.adapters.files.blobs import FolderBlobs
from caveat.adapters.files.snapshots import KeptSnapshots
from caveat.contracts.contradiction import Contradiction, ContradictionState
from caveat.contracts.outcome import Outcome, Settlement
from caveat.contracts.report import Report
from caveat.rules.audit.checks import audit
from caveat.workflows.names import QUEUE
from tests.fakes.arbitrations import Arbitrated, a_case, arbitrate
from tests.fakes.mortal_worker import GO, HELD
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import Handle, start_run
from tests.fakes.server import Machine

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
    while True:
        done = await completed(handle)
        if sum(done.values()) == BEFORE and machine.calls().keys() >= HELD:
            return done
        await asyncio.sleep(0.05)


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
    # Several activities read as many documents of a folder.
    assert {times for what, times in after.items() if not what.startswith("Read ")} == {1}
    again = {call for call, times in machine.calls().items() if times > calls_before[call] > 0}
    assert again == HELD


RULING = {"ruling": "both", "reason": "Early and late universe.", "decided_by": "Ada"}


async def opened(client: Client, machine: Machine, limit: timedelta) -> Arbitrated:
    """Start an arbitration and wait until it waits: people are told, the timer is set."""
    machine.start_worker()
    handle = await arbitrate(client, QUEUE, a_case(limit), run="research-survivor")
    async with asyncio.timeout(PATIENCE_S):
        while EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED not in await history(handle):  # noqa: ASYNC110  # the server tells nobody
            await asyncio.sleep(0.05)
    return handle


async def history(handle: Arbitrated) -> list[EventType.ValueType]:
    return [event.event_type async for event in handle.fetch_history_events()]


def again(client: Client, handle: Arbitrated) -> Arbitrated:
    return client.get_workflow_handle(handle.id, result_type=Settlement)


async def ended(handle: Arbitrated) -> Contradiction:
    return (await asyncio.wait_for(handle.result(), PATIENCE_S)).contradiction


async def test_a_ruling_sent_while_no_worker_lives_arrives(machine: Machine) -> None:
    client = await machine.start_server()
    handle = await opened(client, machine, timedelta(hours=6))
    machine.kill("worker")
    await handle.signal("resolve", RULING)
    machine.start_worker()
    settled = await ended(handle)
    assert (settled.ruling, settled.decided_by) == ("both", "Ada")
    events = await history(handle)
    assert events.count(EventType.EVENT_TYPE_TIMER_STARTED) == 2  # the deadline, half-time
    assert machine.calls()["notify person_needed"] == 1
    assert machine.calls()["record_ruling contradiction-1"] == 1


async def test_a_ruling_after_the_server_was_killed_arrives(machine: Machine) -> None:
    client = await machine.start_server()
    handle = await opened(client, machine, timedelta(hours=6))
    machine.kill("server", "worker")
    handle = again(await machine.start_server(), handle)
    machine.start_worker()
    answer = await handle.execute_update("rule", RULING, result_type=Contradiction)
    assert (answer.ruling, answer.signed) == ("both", None)  # whose it is, is checked afterwards
    assert await ended(handle) == answer.mark_signature(signed=False)
    events = await history(handle)
    assert events.count(EventType.EVENT_TYPE_TIMER_STARTED) == 2  # the deadline, half-time
    assert machine.calls()["notify person_needed"] == 1


async def test_a_deadline_that_passes_while_everything_is_down_is_kept(machine: Machine) -> None:
    client = await machine.start_server()
    handle = await opened(client, machine, timedelta(seconds=5))
    machine.kill("server", "worker")
    await asyncio.sleep(5)
    handle = again(await machine.start_server(), handle)
    machine.start_worker()
    settled = await ended(handle)
    assert settled.state is ContradictionState.PROVISIONAL
    assert settled.decided is not None
    assert settled.deadline is not None
    assert settled.decided >= settled.deadline
