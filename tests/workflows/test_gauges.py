"""How many questions wait for people is asked of the server, whoever opened them."""

import asyncio
from contextlib import suppress

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.testing import WorkflowEnvironment

from caveat.clients.runs import Runs
from caveat.workers import telemetry
from standins.ports import World
from tests.fakes.measured import Measured
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import Start, there
from tests.fakes.worlds import disagreeing


async def shown(measured: Measured, expected: int) -> int:
    """What a process shows that has counted nothing itself, once it is what is expected."""
    async with telemetry.gauges(await measured.client(), shown=True):
        found = -1
        for _ in range(int(PATIENCE_S * 10)):
            found = round((await measured.read()).sum("caveat_open_arbitrations"))
            if found == expected:
                break
            await asyncio.sleep(0.1)
    return found


async def test_a_worker_that_opened_none_shows_those_that_wait(
    start: Start, world: World, environment: WorkflowEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telemetry, "_EVERY_S", 0.1)
    disagreeing(world, (1, 2))
    with environment.with_time_skipping_disabled():  # nobody's six hours may pass
        query = (
            "WorkflowType = 'Arbitration' AND ExecutionStatus = 'Running'"  # also of other tests
        )
        before = (await environment.client.count_workflows(query)).count
        handle = await start()
        await there(environment.client.get_workflow_handle(f"{handle.id}/contradiction-1"))
        assert await shown(Measured(environment), before + 1) == before + 1
        await Runs(environment.client).cancel(handle.id)
        with suppress(WorkflowFailureError):
            await handle.result()
        assert await shown(Measured(environment), before) == before
