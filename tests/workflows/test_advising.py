"""Advice: a person tells a run what to look at as well, while it looks for evidence."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from temporalio.client import WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.tasks import AnalysisTask
from caveat.rendering.markdown import render
from caveat.rules.audit import audit
from caveat.workflows.research.advising import FOLLOWED
from standins.ports import FakeReasoner, Page, World
from tests.fakes.runs import BOTH, Handle, Start, awaiting, report_of, rule, texts
from tests.fakes.worlds import disagreeing

ADVICE = {"text": "Gamma  rays", "by": "Ada"}


@dataclass(frozen=True)
class Held:
    """A piece of work that waits until the test lets it go on."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    free: asyncio.Event = field(default_factory=asyncio.Event)


@pytest.fixture
def held(world: World) -> Callable[[str], Held]:
    def hold(work: str) -> Held:
        held, carry_out = Held(), world.work

        async def gated(kind: str, key: str) -> None:
            if f"{kind} {key}" == work:
                held.begun.set()
                await held.free.wait()
            await carry_out(kind, key)

        vars(world)["work"] = gated
        return held

    return hold


async def refusal(handle: Handle, *given: Any) -> str:
    with pytest.raises(WorkflowUpdateFailedError) as caught:
        await handle.execute_update("tell", args=list(given))
    assert isinstance(caught.value.cause, ApplicationError)
    return caught.value.cause.message


@pytest.mark.parametrize("work", ["search alpha", "read page 9", "analyse page 3"])
async def test_it_is_followed_once_minded_by_all_and_disclosed(
    start: Start,
    world: World,
    held: Callable[[str], Held],
    work: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world.pages.append(Page("page 13", "Gamma rays are seen there. Alpha is not."))
    world.answers["Gamma rays"] = ("page 13", "page 1")
    asked: list[AnalysisTask] = []
    analyse = FakeReasoner.analyse

    async def noted(reasoner: FakeReasoner, task: AnalysisTask, *rest: Any) -> Any:
        asked.append(task)
        return await analyse(reasoner, task, *rest)

    monkeypatch.setattr(FakeReasoner, "analyse", noted)
    gate = held(work)
    handle = await start()
    await gate.begun.wait()
    assert await handle.execute_update("tell", ADVICE) == FOLLOWED
    gate.free.set()
    report = await report_of(handle)
    assert world.calls["search Gamma rays"] == 1
    found = [claim for claim in report.claims if "Gamma rays" in claim.quote]
    assert [claim.quote for claim in found] == ["Gamma rays are seen there"]
    (said,) = report.advice
    assert (said.text, said.by) == ("Gamma rays", "Ada")
    assert "Ada told this run: “Gamma rays”" in render(report)
    minded = [
        each for each in asked if "Mind this as well: Gamma rays" in each.assignments[0].question
    ]
    assert minded or work.startswith("analyse")  # behind which nothing else may be left
    assert audit(report, texts(world)).passed
    assert report.sections[0].question == world.evidence[-1].findings[0].assignment.question
    assert "Gamma" not in report.sections[0].question


async def test_a_source_that_was_read_for_an_angle_is_read_again_for_what_is_said(
    start: Start, world: World, held: Callable[[str], Held]
) -> None:
    world.answers["beta"] = (*world.answers["beta"][:5], "page 1")
    world.answers["w1x3"] = ("page 1",)
    work = held("read page 9")
    handle = await start()
    await work.begun.wait()
    await handle.execute_update("tell", args=["w1x3"])
    work.free.set()
    report = await report_of(handle)
    assert world.calls["read page 1"] == 1
    assert any("w1x3" in claim.quote for claim in report.claims)
    assert len({claim.id for claim in report.claims}) == len(report.claims)


NO_ADVICE = (
    *((), ({"text": " "},), ({"text": "x" * 501},)),
    *(({"says": "x"},), ("a", "b", "c"), (7,)),
)


async def test_what_is_no_advice_is_refused(
    start: Start, world: World, held: Callable[[str], Held]
) -> None:
    work = held("search alpha")
    handle = await start()
    for given in NO_ADVICE:
        assert "is no advice: send a text of 1 to 500" in await refusal(handle, *given), given
    work.free.set()
    assert (await report_of(handle)).advice == ()


async def test_what_has_looked_already_says_so(
    start: Start, world: World, environment: WorkflowEnvironment
) -> None:
    disagreeing(world, (1, 2))
    with environment.with_time_skipping_disabled():  # or the six hours pass before anybody looks
        handle = await start()
        await awaiting(handle)
        said = await refusal(handle, ADVICE)
        await rule(environment.client, handle, 1, BOTH)
        assert (await report_of(handle)).advice == ()
    assert "has looked at its sources already and is " in said
