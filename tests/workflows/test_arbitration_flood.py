"""Thousands of junk signals: all counted, few kept, and none in the way of an answer."""

import asyncio
from collections.abc import Iterable

import pytest
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.contradiction import Contradiction, Hearing
from tests.fakes.arbitrations import Arbitrated, a_case, arbitrate
from tests.fakes.ports import World
from tests.workflows.conftest import serving
from workflows.bench import LATEST

JUNK = 9_000

LIMIT = 10_000
"""Signals that the server takes for one workflow."""

BURST = 900
"""Signals that wait for the worker's first task: on a busy machine still far from the two seconds
that the SDK gives a task."""

WAVE = 90
"""Signals sent before the next ones wait for them. The server holds back a hundred events during a
workflow task; more fail the task, and each failed one costs a replay."""

AT_ONCE = 50
"""Requests under way: more would only wait at the server."""

RULING = {"ruling": "both", "reason": "Early and late universe.", "decided_by": "Ada"}


async def send(handle: Arbitrated, numbers: Iterable[int]) -> None:
    """Send junk, many signals at once."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> None:
        async with turn:
            await handle.signal("resolve", {"ruling": "maybe", "reason": f"junk {number}"})

    await asyncio.gather(*map(one, numbers))


async def heard(handle: Arbitrated, count: int) -> Hearing:
    """Wait until the arbitration has taken in all signals."""
    async with asyncio.timeout(60):
        while True:
            now: Hearing = await handle.query("hearing", result_type=Hearing)
            if now.rejected >= count:
                return now
            await asyncio.sleep(0.05)


async def flood(handle: Arbitrated, first: int, last: int) -> Hearing:
    """Send junk in waves until there is so much of it, and wait until it is counted."""
    for sent in range(first, last, WAVE):
        upto = min(sent + WAVE, last)
        await send(handle, range(sent, upto))
        await heard(handle, upto)
    return await heard(handle, last)


async def test_junk_is_counted_and_an_answer_gets_through(
    environment: WorkflowEnvironment, world: World, task_queue: str
) -> None:
    with environment.with_time_skipping_disabled():
        handle = await arbitrate(environment.client, task_queue, a_case())
    await send(handle, range(BURST))
    async with serving(environment.client, world, task_queue):
        now = await flood(handle, BURST, JUNK)
        assert (now.rejected, len(now.rejections)) == (JUNK, LATEST)
        assert now.contradiction.is_open

        await flood(handle, JUNK, LIMIT)
        with pytest.raises(RPCError) as caught:
            await handle.signal("resolve", RULING)
        assert caught.value.status is RPCStatusCode.INVALID_ARGUMENT
        settled = await handle.execute_update("rule", RULING, result_type=Contradiction)
        assert settled.ruling == "both"
        assert settled.signed is None  # whose it is, is checked afterwards
        kept = (await handle.result()).contradiction
        assert kept == settled.model_copy(update={"signed": False})
        assert (await heard(handle, LIMIT)).rejected == LIMIT
        described = await handle.describe()
        assert "TemporalReportedProblems" not in described.search_attributes
