"""Rulings, whoever passes them on: the second of two at once is told of the first."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.testing import WorkflowEnvironment

from caveat.clients.arbitrations import Arbitrations
from caveat.clients.follow_ups import InTime, Rulings
from caveat.clients.healing import Healing
from caveat.clients.naming import RunNames
from caveat.clients.problems import BadInput
from caveat.clients.runs import Runs
from caveat.contracts.contradiction import Ruling, RulingChoice
from caveat.contracts.outcome import Outcome
from caveat.workers.settings import Settings
from standins.ports import World
from tests.fakes.arbitrations import SIX_HOURS, a_case, arbitrate
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import Handle, awaiting, report_of, serving, start_run
from tests.fakes.worlds import a_world, disagreeing

ADA = Ruling(ruling=RulingChoice.A, reason="It is newer.", decided_by="Ada")
BOB = Ruling(ruling=RulingChoice.B, reason="It is older.", decided_by="Bob")


@pytest.fixture
async def arbitration(environment: WorkflowEnvironment, task_queue: str) -> AsyncIterator[str]:
    async with serving(environment.client, a_world(), task_queue):
        with environment.with_time_skipping_disabled():
            yield (await arbitrate(environment.client, task_queue, a_case(SIX_HOURS))).id


async def test_of_two_at_once_one_is_accepted_and_the_other_told_who_was_first(
    environment: WorkflowEnvironment, settings: Settings, arbitration: str
) -> None:
    rulings = Rulings(Runs(environment.client), settings)
    both = await asyncio.gather(
        rulings.rule(arbitration, ADA), rulings.rule(arbitration, BOB), return_exceptions=True
    )
    (accepted,) = [each for each in both if isinstance(each, InTime)]
    (refused,) = [each for each in both if isinstance(each, BadInput)]
    assert f"{accepted.contradiction.decided_by}" in str(refused)


async def test_of_one_that_ended_meanwhile_who_was_first_is_said(
    environment: WorkflowEnvironment,
    settings: Settings,
    arbitration: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is open when it is looked for, and has ended when it is answered."""
    rulings = Rulings(Runs(environment.client), settings)
    await rulings.rule(arbitration, ADA)
    answers = iter((True, False))

    async def is_open(*_: object) -> bool:
        return next(answers)

    monkeypatch.setattr("caveat.clients.follow_ups.Arbitrations.is_open", is_open)
    with pytest.raises(BadInput, match="was ruled on by Ada"):
        await rulings.rule(arbitration, BOB)


async def test_a_letter_that_is_not_offered_is_refused_as_it_was_typed(
    environment: WorkflowEnvironment, settings: Settings, arbitration: str
) -> None:
    wrong = ADA.model_copy(update={"ruling": "z"})
    with pytest.raises(BadInput, match="There is no ruling “z”: choose from a, b, both"):
        await Rulings(Runs(environment.client), settings).rule(arbitration, wrong)


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


async def test_of_a_cancelled_run_what_is_not_offered_begins_no_revision(
    environment: WorkflowEnvironment, settings: Settings, task_queue: str
) -> None:
    async with asking(environment, task_queue, (1, 2)) as (run, _):
        await run.cancel()
        with pytest.raises(WorkflowFailureError):
            await run.result()
        wrong = ADA.model_copy(update={"ruling": "a,c"})
        rulings = Rulings(Runs(environment.client), settings)
        with pytest.raises(BadInput, match="There is no ruling “a,c”"):
            await rulings.rule(f"{run.id}/contradiction-1", wrong)


async def test_what_a_terminated_run_asked_is_asked_on_when_it_goes_on(
    environment: WorkflowEnvironment, settings: Settings, task_queue: str
) -> None:
    client = environment.client
    rulings, arbitrations = Rulings(Runs(client), settings), Arbitrations(client)
    async with asking(environment, task_queue, (1, 2), (3, 4)) as (run, world):
        await rulings.rule(f"{run.id}/contradiction-1", ADA)
        while (await awaiting(run)).contradictions[0].is_open:
            pass
        assert [each.signed for each in world.rulings.values()] == [False]
        await run.terminate()
        while await arbitrations.is_open(f"{run.id}/contradiction-2"):
            pass
        assert await Healing(client).revive(run.id)
        while not await arbitrations.is_open(f"{run.id}/contradiction-2"):
            pass
        await rulings.rule(f"{run.id}/contradiction-2", BOB)
        async with asyncio.timeout(PATIENCE_S):
            report = await report_of(client.get_workflow_handle(run.id, result_type=Outcome))
    assert [each.decided_by for each in report.contradictions] == ["Ada", "Bob"]


async def test_a_dispute_that_nobody_was_asked_about_is_ruled_on_with_a_revision(
    environment: WorkflowEnvironment, settings: Settings, task_queue: str
) -> None:
    world = a_world()
    disagreeing(world, (1, 2), affects_answer=False)
    rulings = Rulings(Runs(environment.client), settings)
    async with serving(environment.client, world, task_queue):
        run = await start_run(environment.client, task_queue)
        (found,) = (await report_of(run)).contradictions
        name = await RunNames(environment.client, settings).arbitration(found.arbitration or "")
        assert name == found.arbitration
        arbitrations = Arbitrations(environment.client)
        about: list[str] = []
        while not about:  # lists lag behind
            listed = await arbitrations.for_review()
            about = [each.about for each in listed if each.arbitration == name]
            await asyncio.sleep(0.1)
        assert about == [found.about]
        with pytest.raises(BadInput, match="was worked on by scripted"):  # it begins a revision
            await rulings.rule(name, ADA)
        with pytest.raises(BadInput, match="choose from a, b, both, neither"):
            await rulings.rule(name, ADA.model_copy(update={"ruling": "z"}))
        with pytest.raises(BadInput, match="no arbitration"):
            await rulings.rule(f"{run.id}/contradiction-7", ADA)
