import datetime as dt

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.rulings import Clerk
from caveat.contracts.contradiction import Claimant, RulingChoice, RulingRecord
from caveat.contracts.envelope import AgentType
from caveat.contracts.tasks import RulingsTask, RulingTask
from caveat.failures import unavailable
from tests.fakes.ports import FakeMemory
from tests.workflows.conftest import a_world

RECORD = RulingRecord(
    run_id="research-h0",
    contradiction_id="contradiction-1",
    claimants=(Claimant(id="planck.org"), Claimant(id="shoes.org")),
    choice=RulingChoice.BOTH,
    reason="They differ in scope.",
    decided_by="Ada",
    decided=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
)
KEEP = RulingTask(task_id="keep", description="Keep a ruling", record=RECORD)


def recall(*claimants: str) -> RulingsTask:
    return RulingsTask(task_id="recall", description="Recall rulings", claimants=claimants)


async def test_a_ruling_is_kept_and_recalled() -> None:
    clerk = Clerk(FakeMemory(a_world()))
    kept = await ActivityEnvironment().run(clerk.record_ruling, KEEP)
    assert (kept.result, kept.agent_type) == (RECORD, AgentType.CLERK)
    recalled = await ActivityEnvironment().run(clerk.recall_rulings, recall("x", "shoes.org"))
    assert (recalled.result, recalled.agent_type) == ((RECORD,), AgentType.CLERK)


async def test_that_nobody_ruled_is_a_success() -> None:
    clerk = Clerk(FakeMemory(a_world()))
    recalled = await ActivityEnvironment().run(clerk.recall_rulings, recall("planck.org"))
    assert (recalled.result, recalled.failure) == ((), None)


async def test_a_memory_that_is_away_is_a_failure() -> None:
    world = a_world()

    def away(kind: str, key: str) -> None:
        raise unavailable("The database is away.", resource=key)

    world.faults = away
    with pytest.raises(ApplicationError) as caught:
        await ActivityEnvironment().run(Clerk(FakeMemory(world)).record_ruling, KEEP)
    assert (caught.value.type, caught.value.non_retryable) == ("unavailable", False)
