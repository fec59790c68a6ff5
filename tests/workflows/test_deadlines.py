"""Deadlines: who is late is left behind by name, and a follow-up finishes what was under way."""

from dataclasses import replace

import pytest

from caveat.contracts.envelope import AgentType, FailureType
from caveat.contracts.outcome import Findings
from caveat.contracts.report import Report
from caveat.rules.audit.checks import audit
from caveat.workflows.research.angle import AGENTS
from tests.fakes.ports import World
from tests.fakes.runs import Start, report_of, texts
from tests.fakes.worlds import page_text

FOR_EVER = 300.0
"""Seconds of real time: an activity that is waited for fails the test by its length."""


def kept(world: World) -> tuple[Findings, ...]:
    """What the assignments brought, as it is kept for a follow-up."""
    return world.evidence[-1].findings


async def followed_up(start: Start, world: World, first: Report) -> Report:
    world.delays.clear()
    return await report_of(await start(follow_up_of=first.run_id, id="follow-up"))


async def test_stragglers_are_left_at_the_deadline_and_named(start: Start, world: World) -> None:
    world.delays["read page 9"] = FOR_EVER
    report = await report_of(await start(deadline="PT4S"))
    assert report.metrics.pipeline_seconds < 60
    late, left = report.limitations
    assert late.area == "“Beta cases” is late"
    assert left.task_ids == tuple(failed.task_id for failed in report.failures)
    assert len(report.sections[0].claims) == 6
    assert len(report.sections[1].claims) == 5


async def test_nobody_is_left_behind_before_the_quorum_holds(start: Start, world: World) -> None:
    world.delays["read"] = 2.0
    report = await report_of(await start(deadline="PT1S"))
    assert report.metrics.pipeline_seconds > 1.9


@pytest.mark.parametrize(
    ("held", "agent", "counts", "found"),
    [
        # Of twelve tasks eleven are done; of six sources one is not read, so not analysed. A search
        # counts only where it fails.
        ("analyse page 9", AgentType.ANALYST, (12, 1), 5),
        ("read page 9", AgentType.READER, (11, 1), 5),
        ("search beta", AgentType.SEARCHER, (1, 1), 0),
    ],
)
async def test_a_follow_up_finishes_what_was_late(
    start: Start, world: World, held: str, agent: AgentType, counts: tuple[int, int], found: int
) -> None:
    world.delays[held] = FOR_EVER
    first = await report_of(await start(deadline="PT2S"))
    assert len(first.sections[1].claims) == found
    (failed,) = first.failures
    assert (failed.agent_type, failed.attempts, failed.recovered) == (agent, 1, False)
    assert failed.failure.failure_type is FailureType.TIMEOUT
    assert failed.failure.retry_recommended
    _, late = kept(world)
    assert (late.late, late.attempted, late.failed) == (True, *counts)
    assert [(AGENTS[left.work], left.retry_recommended) for left in late.open_work] == [
        (agent, True)
    ]

    before = world.calls.copy()
    second = await followed_up(start, world, first)
    assert [len(section.claims) for section in second.sections] == [6, 6]
    assert second.limitations[0].area.endswith("1 failed and made good")
    assert [failed.recovered for failed in second.failures] == [True]
    _, whole = kept(world)
    assert (whole.late, whole.attempted, whole.failed) == (False, 12, 0)
    assert second.revision is not None
    assert "1 of 1 failed tasks were made good." in second.revision.changes
    assert world.calls["plan"] == before["plan"]
    assert world.calls["read page 7"] == 1  # by whichever of the two came to it
    assert audit(second, texts(world)).passed


async def test_a_hanging_document_of_all_angles_holds_nobody(start: Start, world: World) -> None:
    world.uses_model = True
    world.pages = [replace(page, text=page_text(n)) for n, page in enumerate(world.pages, 1)]
    world.answers["beta"] = world.answers["alpha"]
    world.delays["analyse page 1"] = FOR_EVER
    first = await report_of(await start(deadline="PT2S"))
    assert first.metrics.pipeline_seconds < 30
    assert [found.late for found in kept(world)] == [True, True]
    assert [len(section.claims) for section in first.sections] == [5, 5]
    (failed,) = first.failures
    assert failed.failure.failure_type is FailureType.TIMEOUT
