"""Arbitrations and rulings on a real server: who comes second is told who was first."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.clients.arbitrations import Arbitrations
from caveat.clients.run_description import Unsettled, group_disputes
from caveat.clients.runs import Runs
from caveat.clients.service import RulingOutcome, Service
from caveat.contracts.contradiction import LateRuling, Ruling
from caveat.problem import BadInput, NoSuchRun, OutOfReach
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings
from tests.fakes.arbitrations import SIX_HOURS, Arbitrated, a_case, arbitrate
from tests.fakes.ports import World
from tests.fakes.runs import Handle, awaiting, report_of, serving, start_run
from tests.fakes.worlds import a_world, disagreeing

ADA = Ruling(ruling="a", reason="It is newer.", decided_by="Ada")
BOB = Ruling(ruling="b", reason="It is older.", decided_by="Bob")


def a_service(client: Client, settings: Settings) -> Service:
    """One that signs nothing: what it sends is anybody's."""
    service = Service(Connection(client, None), settings)
    vars(service).update(runs=Runs(client), arbitrations=Arbitrations(client))
    return service


@pytest.fixture
async def arbitration(environment: WorkflowEnvironment, task_queue: str) -> AsyncIterator[str]:
    async with serving(environment.client, a_world(), task_queue):
        with environment.with_time_skipping_disabled():
            yield (await arbitrate(environment.client, task_queue, a_case(SIX_HOURS))).id


async def test_of_two_at_once_one_is_accepted_and_the_other_told_who_was_first(
    environment: WorkflowEnvironment, settings: Settings, arbitration: str
) -> None:
    rulings = a_service(environment.client, settings)
    both = await asyncio.gather(
        rulings.rule(arbitration, ADA), rulings.rule(arbitration, BOB), return_exceptions=True
    )
    (accepted,) = [each for each in both if isinstance(each, RulingOutcome)]
    (refused,) = [each for each in both if isinstance(each, BadInput)]
    assert accepted.contradiction is not None
    assert f"{accepted.contradiction.decided_by}" in str(refused)


@asynccontextmanager
async def asking(
    environment: WorkflowEnvironment, queue: str, *pairs: tuple[int, int]
) -> AsyncIterator[tuple[Handle, World]]:
    """A run that waits for people, on a clock that does not skip, and its world."""
    world = a_world()
    disagreeing(world, *pairs)
    with environment.with_time_skipping_disabled():
        async with serving(environment.client, world, queue):
            run = await start_run(environment.client, queue)
            await awaiting(run)
            yield run, world


async def test_one_ruling_holds_for_every_run_that_waits_on_the_same_statements(
    environment: WorkflowEnvironment, settings: Settings, task_queue: str
) -> None:
    client = environment.client
    rulings, arbitrations = a_service(client, settings), Arbitrations(client)
    async with asking(environment, task_queue, (1, 2), (3, 4)) as (run, _):
        again = await start_run(client, task_queue, f"research-{task_queue}-again")
        await awaiting(again)
        names = [f"{each.id}/contradiction-{at}" for at in (1, 2) for each in (run, again)]
        waiting: set[str] = set()
        while not waiting.issuperset(names):  # lists lag behind
            waiting = {each.arbitration for each in await arbitrations.list_waiting()}
            await asyncio.sleep(0.1)
        done = await rulings.give_ruling(names[0], ADA, replaces=False)
        alone = await rulings.give_ruling(names[2], BOB, replaces=False, everywhere=False)
        assert done.contradiction is not None
        assert alone.contradiction is not None
        assert (done.others, alone.others) == ((names[1],), ())
        settled = await arbitrations.wait_for_outcome(names[1])
        assert settled is not None
        assert settled.decided_by == "Ada"
        assert await arbitrations.is_open(names[3])


async def test_a_dispute_that_nobody_was_asked_about_is_ruled_on_with_a_revision(
    environment: WorkflowEnvironment, settings: Settings, task_queue: str
) -> None:
    world = a_world()
    disagreeing(world, (1, 2), affects_answer=False)
    rulings = a_service(environment.client, settings)
    async with serving(environment.client, world, task_queue):
        run = await start_run(environment.client, task_queue)
        (found,) = (await report_of(run)).contradictions
        name = await rulings.find_arbitration(found.arbitration or "")
        assert name == found.arbitration
        arbitrations = Arbitrations(environment.client)
        left: list[Unsettled] = []
        while not left:  # lists lag behind
            left = [
                each for each in await arbitrations.list_for_review() if each.arbitration == name
            ]
            await asyncio.sleep(0.1)
        assert left[0].about == found.about
        swapped = left[0].statements[::-1]
        other = left[0].model_copy(update={"arbitration": "another", "statements": swapped})
        assert group_disputes([*left, other]) == [left, [other]]  # by what each side says
        with pytest.raises(BadInput, match="was worked on by scripted"):  # it begins a revision
            await rulings.rule(name, ADA)
        with pytest.raises(BadInput, match=r"choose from a\|b\|both\|neither"):
            await rulings.rule(name, ADA.model_copy(update={"ruling": "z"}))
        with pytest.raises(BadInput, match="no arbitration"):
            await rulings.rule(f"{run.id}/contradiction-7", ADA)


BOTH = Ruling(ruling="both", reason="They differ in date.", decided_by="Ada")


@pytest.fixture
def arbitrations(environment: WorkflowEnvironment) -> Arbitrations:
    return Arbitrations(environment.client)


async def asked(environment: WorkflowEnvironment, queue: str) -> Arbitrated:
    """An arbitration whose clock does not skip, and whose worker is the test's to give."""
    with environment.with_time_skipping_disabled():
        return await arbitrate(environment.client, queue, a_case(SIX_HOURS))


async def test_without_a_worker_nobody_is_left_to_wait(
    arbitrations: Arbitrations,
    environment: WorkflowEnvironment,
    task_queue: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("caveat.clients.translation.ANSWER", dt.timedelta(seconds=0.3))
    monkeypatch.setattr("caveat.clients.translation.ACCEPTANCE", dt.timedelta(seconds=0.3))
    handle = await asked(environment, task_queue)
    assert await arbitrations.query_hearing(handle.id) is None
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
        await arbitrations.wait_for_outcome("nothing")
    late = LateRuling(contradiction_id="contradiction-1", ruling=BOTH)
    with pytest.raises(NoSuchRun):
        await arbitrations.rule_late("nothing", late)
    await run.terminate()
