"""Arbitrations as people ask about them, on the real server."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.clients.arbitrations import Arbitrations
from caveat.clients.problems import BadInput, NoSuchRun, OutOfReach
from caveat.contracts.contradiction import (
    ContradictionState,
    Hearing,
    LateRuling,
    Ruling,
    RulingChoice,
)
from standins.ports import World
from tests.fakes.arbitrations import SIX_HOURS, Arbitrated, a_case, arbitrate
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import serving, start_run
from tests.fakes.worlds import a_world, disagreeing

BOTH = Ruling(ruling=RulingChoice.BOTH, reason="They differ in date.", decided_by="Ada")
A = Ruling(ruling=RulingChoice.A, reason="It is newer.", decided_by="Bo")


@pytest.fixture
def arbitrations(environment: WorkflowEnvironment) -> Arbitrations:
    return Arbitrations(environment.client)


async def asked(environment: WorkflowEnvironment, queue: str) -> Arbitrated:
    """An arbitration whose clock does not skip, and whose worker is the test's to give."""
    with environment.with_time_skipping_disabled():
        return await arbitrate(environment.client, queue, a_case(SIX_HOURS))


@pytest.fixture
async def served(environment: WorkflowEnvironment, task_queue: str) -> AsyncIterator[None]:
    async with serving(environment.client, a_world(), task_queue):
        yield


@pytest.mark.usefixtures("served")
async def test_an_arbitration_is_heard_ruled_on_and_closed(
    arbitrations: Arbitrations, environment: WorkflowEnvironment, task_queue: str
) -> None:
    handle = await asked(environment, task_queue)
    heard = await arbitrations.hearing(handle.id)
    assert isinstance(heard, Hearing)
    assert heard.case == a_case(SIX_HOURS)
    assert await arbitrations.is_open(handle.id)
    await arbitrations.rule(handle.id, BOTH)
    settled = await arbitrations.outcome(handle.id)
    assert settled is not None
    assert (settled.state, settled.decided_by) == (ContradictionState.RESOLVED, "Ada")
    assert not await arbitrations.is_open(handle.id)
    with pytest.raises(BadInput):
        await arbitrations.rule(handle.id, A)


async def test_without_a_worker_nobody_is_left_to_wait(
    arbitrations: Arbitrations,
    environment: WorkflowEnvironment,
    task_queue: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("caveat.clients.translation.ANSWER", dt.timedelta(seconds=0.3))
    monkeypatch.setattr("caveat.clients.translation.ACCEPTANCE", dt.timedelta(seconds=0.3))
    handle = await asked(environment, task_queue)
    assert await arbitrations.hearing(handle.id) is None
    with pytest.raises(OutOfReach):
        await arbitrations.rule(handle.id, BOTH)
    await handle.terminate()


async def test_what_is_no_arbitration_is_said(
    arbitrations: Arbitrations, environment: WorkflowEnvironment, task_queue: str
) -> None:
    run = await environment.client.start_workflow("Research", id=task_queue, task_queue=task_queue)
    for name in (run.id, "nothing"):
        with pytest.raises(BadInput, match=f"There is no arbitration {name}: `caveat inbox`"):
            await arbitrations.is_open(name)
    with pytest.raises(BadInput, match="There is no arbitration nothing"):
        await arbitrations.rule("nothing", BOTH)
    with pytest.raises(BadInput, match="There is no arbitration nothing"):
        await arbitrations.outcome("nothing")
    late = LateRuling(contradiction_id="contradiction-1", ruling=BOTH)
    with pytest.raises(NoSuchRun):
        await arbitrations.rule_late("nothing", late)
    await run.terminate()


async def test_the_inbox_names_what_a_run_asks_and_a_late_ruling_needs_a_late_hour(
    arbitrations: Arbitrations, environment: WorkflowEnvironment, task_queue: str
) -> None:
    world: World = a_world()
    disagreeing(world, (1, 2))
    async with serving(environment.client, world, task_queue):
        with environment.with_time_skipping_disabled():
            run = await start_run(environment.client, task_queue, task_queue)
        name = f"{run.id}/contradiction-1"
        async with asyncio.timeout(PATIENCE_S):
            waiting = None
            while waiting is None:
                found = {each.arbitration: each for each in await arbitrations.waiting()}
                waiting = found.get(name)
                await asyncio.sleep(0.05)
        assert waiting.topic == "alpha and beta"
        assert waiting.about == "Width: 1 units in one, 2 units in the other."
        assert abs(waiting.deadline - waiting.opened - SIX_HOURS) < dt.timedelta(seconds=30)
        late = LateRuling(contradiction_id="contradiction-1", ruling=BOTH)
        with pytest.raises(BadInput, match="no ruling on it can be late"):
            await arbitrations.rule_late(run.id, late)
        await arbitrations.rule(name, BOTH)
        await run.result()
