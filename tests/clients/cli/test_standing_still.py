"""A provider that stalls, a worker or a server that is away: it is said, and nobody waits."""

import asyncio
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client, WorkflowFailureError

from caveat.clients.cli import serving
from tests.fakes.claude_cast import Cast
from tests.fakes.claude_corpus import TOPIC, write_corpus
from tests.fakes.home import DEADLINE_S, Home
from tests.fakes.messages_api import KEY, Recorded, Scripted, Stalls, StandIn, stand_in
from tests.fakes.patience import until
from tests.fakes.scholar import role_of
from tests.fakes.server import OwnServer

pytestmark = pytest.mark.system
AT_ONCE_S = 60.0
"""From asking to the end: an activity hears of it with its next heartbeat, within two seconds where
the processor is free; nothing else cuts a stalled call within two minutes."""


@pytest.fixture
async def api() -> AsyncIterator[StandIn]:
    async with stand_in(model=Cast()) as api:
        yield api


@pytest.fixture
def asking(home: Home, api: StandIn) -> Home:
    """A machine whose runs ask Claude."""
    write_corpus(home.folder / "bridge")
    home.environment |= {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": api.url}
    return home


def stalling(*roles: str, after: int | None) -> Cast:
    def gate(request: Recorded) -> Scripted | None:
        return Stalls(after=after) if role_of(request) in roles else None

    return Cast(gate=gate)


async def by_caveat(home: Home, run_id: str) -> None:
    done = await asyncio.to_thread(home.caveat, "cancel", run_id)
    assert done.returncode == 0, done.stderr
    assert "It was cancelled" in done.stdout


async def test_cancelled_run_and_its_stalled_calls_end_at_once(asking: Home, api: StandIn) -> None:
    api.model = stalling("analyst", after=3)
    research = asking.forked("research", TOPIC, "--corpus", "bridge")
    run_id = await asyncio.to_thread(named, research.stderr)
    await all_begun(api, "analyst")
    handle = (await client_of(asking)).get_workflow_handle(run_id)
    cancelling = asyncio.create_task(by_caveat(asking, run_id))
    with pytest.raises(WorkflowFailureError):
        await handle.result()
    times = {each.event_type: moment(each) async for each in handle.fetch_history_events()}
    asked = times[EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED]
    ended = times[EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED]
    # A run may end before its activities have heard of it.
    await until(lambda: len(api.hung_up) >= len(api.requests) - 1)  # each but the planner's
    assert max(api.hung_up) - asked < AT_ONCE_S
    assert ended - asked < AT_ONCE_S
    await cancelling
    out, _ = await asyncio.to_thread(research.communicate, timeout=DEADLINE_S)
    assert out.startswith("It was cancelled.")
    assert len(api.requests) - 1 == len(api.hung_up)


async def all_begun(api: StandIn, asker: str) -> int:
    """Wait until every call is under way; return how many there are."""
    calls = -1
    while calls != len(api.requests) or all(role_of(each) != asker for each in api.requests):
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


async def test_a_server_back_is_two_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "LOOK_S", 0.05)
    said = io.StringIO()
    server = OwnServer(tmp_path, tmp_path / "payloads")

    async def told(words: str) -> None:
        await until(lambda: words in said.getvalue())

    try:
        client = await server.start()
        task = asyncio.create_task(serving.tell_of_server(client, Console(file=said, width=200)))
        server.kill()
        await told("is gone: waiting for it.")
        await server.start()
        await told("is back: the work goes on.")
        await asyncio.sleep(0.3)  # some more looks
        task.cancel()
    finally:
        server.kill()
    assert len(said.getvalue().splitlines()) == 2
