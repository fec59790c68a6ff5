"""Rulings, whoever passes them on: the second of two at once is told of the first."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.clients.problems import BadInput
from caveat.clients.ruling import InTime, Rulings
from caveat.clients.runs import Runs
from caveat.contracts.contradiction import Ruling, RulingChoice
from caveat.workers.settings import Settings
from tests.fakes.arbitrations import SIX_HOURS, a_case, arbitrate
from tests.fakes.runs import serving
from tests.fakes.worlds import a_world

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


async def test_who_comes_second_is_told_who_was_first(
    environment: WorkflowEnvironment, settings: Settings, arbitration: str
) -> None:
    rulings = Rulings(Runs(environment.client), settings)
    await rulings.rule(arbitration, ADA)
    with pytest.raises(BadInput, match="Ada"):
        await rulings.rule(arbitration, BOB)


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

    monkeypatch.setattr("caveat.clients.ruling.Arbitrations.is_open", is_open)
    with pytest.raises(BadInput, match="was ruled on by Ada"):
        await rulings.rule(arbitration, BOB)
