"""kill -9 while a person thinks: the clock goes on, nothing is asked twice, the ruling arrives."""

import asyncio
from datetime import timedelta

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client

from caveat.contracts.contradiction import Contradiction, ContradictionState
from caveat.contracts.outcome import Settlement
from caveat.workflows.names import QUEUE
from tests.fakes.arbitrations import Arbitrated, a_case, arbitrate
from tests.fakes.machine import Machine
from tests.fakes.patience import PATIENCE_S

pytestmark = pytest.mark.system

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
    assert await ended(handle) == answer.checked(signed=False)
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
