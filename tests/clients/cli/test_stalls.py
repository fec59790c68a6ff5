"""A provider that stalls: a run that is cancelled ends all the same, and at once."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client, WorkflowFailureError

from caveat.problem import ExitCode
from standins.messages_api import KEY, Recorded, Scripted, Stalls, StandIn, stand_in
from tests.fakes.claude_cast import Cast, role
from tests.fakes.claude_corpus import TOPIC, write_corpus
from tests.fakes.commands import temporal
from tests.fakes.home import DEADLINE_S, Home

pytestmark = pytest.mark.system

AT_ONCE_S = 20.0
"""From asking to the end: an activity hears of it with its next heartbeat, within two seconds where
the processor is free; nothing else cuts a stalled call within two minutes."""


@pytest.fixture
async def api() -> AsyncIterator[StandIn]:
    async with stand_in(model=Cast()) as api:
        yield api


@pytest.fixture
def home(home: Home, api: StandIn) -> Home:
    write_corpus(home.folder / "bridge")
    home.environment |= {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": api.url}
    return home


def stalling(*roles: str, after: int | None) -> Cast:
    def gate(request: Recorded) -> Scripted | None:
        return Stalls(after=after) if role(request) in roles else None

    return Cast(gate=gate)


Cancel = Callable[[Home, str], Coroutine[Any, Any, None]]


async def by_caveat(home: Home, run_id: str) -> None:
    done = await asyncio.to_thread(home.caveat, "cancel", run_id)
    assert done.returncode == 0, done.stderr
    assert "It was cancelled" in done.stdout


async def by_temporal(home: Home, run_id: str) -> None:
    address = f"127.0.0.1:{home.environment['CAVEAT_PORT']}"
    assert (await temporal(address, "workflow", "cancel", "--workflow-id", run_id))[0] == 0


@pytest.mark.parametrize(("cancel", "after"), [(by_caveat, 3), (by_temporal, None)])
async def test_a_cancelled_run_and_its_stalled_calls_end_at_once(
    cancel: Callable[[Home, str], Coroutine[Any, Any, None]],
    after: int | None,
    home: Home,
    api: StandIn,
) -> None:
    api.model = stalling("analyst", after=after)
    research = home.forked("research", TOPIC, "--corpus", "bridge")
    run_id = await asyncio.to_thread(named, research.stderr)
    await all_begun(api, "analyst")
    handle = (await client_of(home)).get_workflow_handle(run_id)
    cancelling = asyncio.create_task(cancel(home, run_id))
    with pytest.raises(WorkflowFailureError):
        await handle.result()
    calls = len(api.requests)
    times = {each.event_type: moment(each) async for each in handle.fetch_history_events()}
    asked = times[EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED]
    ended = times[EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED]
    # A run may end before its activities have heard of it.
    async with asyncio.timeout(DEADLINE_S):
        open_calls = calls
        while open_calls:
            open_calls = calls - 1 - len(api.hung_up)  # each but the planner's
            await asyncio.sleep(0.05)
    assert max(api.hung_up) - asked < AT_ONCE_S
    assert ended - asked < AT_ONCE_S
    await cancelling
    out, _ = await asyncio.to_thread(research.communicate, timeout=DEADLINE_S)
    assert out.startswith("It was cancelled.")
    assert len(api.requests) == calls


async def all_begun(api: StandIn, asker: str) -> int:
    """Wait until every call is under way; return how many there are."""
    calls = -1
    while calls != len(api.requests) or all(role(each) != asker for each in api.requests):
        calls = len(api.requests)
        await asyncio.sleep(0.5)
    return calls


async def client_of(home: Home) -> Client:
    return await Client.connect(f"127.0.0.1:{home.environment['CAVEAT_PORT']}")


def moment(event: HistoryEvent) -> float:
    return event.event_time.ToNanoseconds() / 1e9


def named(stderr: Any) -> str:
    """Read on until the run has a name."""
    while not (line := stderr.readline()).startswith("Run "):
        assert line, "it ended"
    return str(line.strip().removeprefix("Run "))


async def test_nobody_waits_for_a_worker_that_was_killed(home: Home, api: StandIn) -> None:
    """The server lists it for minutes to come, and its run's tasks wait for nobody else."""
    without_key = home.without("ANTHROPIC_API_KEY")
    api.model = stalling("analyst", after=None)
    with without_key.serving():
        research = home.forked("research", TOPIC, "--corpus", "bridge")
        run_id = await asyncio.to_thread(named, research.stderr)
        await all_begun(api, "analyst")
        research.kill()
        await asyncio.to_thread(research.communicate)
        left = await asyncio.to_thread(without_key.caveat, "resume", run_id)
    assert left.returncode == ExitCode.OUT_OF_REACH
    assert f"{run_id} cannot go on here. It waits for a free worker with claude" in left.stderr
