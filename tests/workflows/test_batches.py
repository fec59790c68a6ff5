"""A large run gives its studies out in workflows of their own, and is otherwise like any other."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import WorkflowFailureError
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.envelope import AgentType
from caveat.failures import invalid
from standins.ports import World
from tests.fakes.runs import Handle, Start, failing, report_of
from tests.fakes.worlds import page_text
from workers.registry import FEW
from workflows.research.batches import BATCH, LARGE

FOR_EVER = 3_600.0


@pytest.fixture
def world(world: World) -> World:
    """Pages in a folder, of which one angle finds more than a batch."""
    page = world.pages[0]
    names = [f"page {number}" for number in range(1, BATCH + 8)]
    world.pages = [
        replace(page, name=name, text=page_text(number), in_corpus=True)
        for number, name in enumerate(names, start=1)
    ]
    world.angles = {"Alpha width": ("alpha",)}
    world.answers = {"alpha": tuple(names)}
    world.uses_model = True
    return world


LARGE_RUN = {"depth": "exhaustive", "max_sources": LARGE + 1}


async def until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110  # a world has no event for it
        await asyncio.sleep(0.05)


async def children(handle: Handle) -> list[str]:
    return [
        event.start_child_workflow_execution_initiated_event_attributes.workflow_id
        async for event in handle.fetch_history_events()
        if event.event_type == EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED
    ]


async def test_studies_of_a_large_run_are_in_histories_of_their_own(
    start: Start, world: World
) -> None:
    failing(world, "read page 3", invalid("It is broken.", resource="page 3"))
    handle = await start(**LARGE_RUN)
    report = await report_of(handle)
    assert await children(handle) == [f"{handle.id}/studies-1", f"{handle.id}/studies-2"]
    assert len({claim.source_id for claim in report.claims}) == len(world.pages) - 1
    (failed,) = report.failures
    assert (failed.agent_type, failed.attempts) == (AgentType.READER, 1)


async def test_a_part_that_is_terminated_fails_as_so_many_readings(
    start: Start, world: World, environment: WorkflowEnvironment
) -> None:
    world.delays["analyse a1 page 1"] = FOR_EVER
    handle = await start(**LARGE_RUN)
    await until(lambda: world.calls["analyse"] >= BATCH)
    part = environment.client.get_workflow_handle(f"{handle.id}/studies-1")
    await part.terminate()
    del world.delays["analyse a1 page 1"]
    report = await report_of(handle)
    lost = [each for each in report.failures if each.agent_type is AgentType.READER]
    assert len(lost) == BATCH
    assert "part of the run ended" in lost[0].failure.message


async def test_what_is_under_way_ends_with_a_run_that_is_cancelled(
    start: Start, world: World, environment: WorkflowEnvironment
) -> None:
    world.delays["analyse"] = FOR_EVER
    handle = await start(**LARGE_RUN)
    await until(lambda: world.calls["analyse"] >= FEW)
    await handle.cancel()
    with pytest.raises(WorkflowFailureError):
        await handle.result()
    for name in await children(handle):
        part = environment.client.get_workflow_handle(name)
        with pytest.raises(WorkflowFailureError):
            await part.result()
