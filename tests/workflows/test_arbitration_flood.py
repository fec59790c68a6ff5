"""Junk signals, as many as the server takes: counted, few kept, none in the way of an answer."""

import asyncio
from collections.abc import Iterable

import pytest
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.contradiction import Contradiction, Hearing
from caveat.workflows.arbitration.state import LATEST
from standins.ports import World
from tests.fakes.arbitrations import SIGNAL_LIMIT, Arbitrated, a_case, arbitrate
from tests.fakes.runs import serving

JUNK = 2_000

BURST = 900
"""Signals that wait for the worker's first task: on a busy machine still far from the two seconds
that the SDK gives a task."""

WAVE = 90
"""Signals sent before the next ones wait for them. The server holds back a hundred events during a
workflow task; more fail the task, and each failed one costs a replay."""

AT_ONCE = 50  # requests under way: more would only wait at the server

HANGS_S = 150.0
"""Seconds after which a step hangs: all of them take ten on a machine with little else to do."""

RULING = {"ruling": "both", "reason": "Early and late universe.", "decided_by": "Ada"}


async def send(handle: Arbitrated, numbers: Iterable[int]) -> None:
    """Send junk, many signals at once."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> None:
        async with turn:
            await handle.signal("resolve", {"ruling": "maybe", "reason": f"junk {number}"})

    async with asyncio.timeout(HANGS_S):
        await asyncio.gather(*map(one, numbers))


async def heard(handle: Arbitrated, count: int) -> Hearing:
    """Wait until the arbitration has taken in all signals."""
    async with asyncio.timeout(HANGS_S):
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

        await flood(handle, JUNK, SIGNAL_LIMIT)
        with pytest.raises(RPCError) as caught:
            await handle.signal("resolve", RULING)
        assert caught.value.status is RPCStatusCode.INVALID_ARGUMENT
        settled = await handle.execute_update("rule", RULING, result_type=Contradiction)
        assert settled.ruling == "both"
        assert settled.signed is None  # whose it is, is checked afterwards
        kept = (await asyncio.wait_for(handle.result(), HANGS_S)).contradiction
        assert kept == settled.checked(signed=False)
        assert (await heard(handle, SIGNAL_LIMIT)).rejected == SIGNAL_LIMIT
        described = await handle.describe()
        assert "TemporalReportedProblems" not in described.search_attributes
