"""A large run gives its studies out in workflows of their own, and is otherwise like any other."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionStatus,
    WorkflowFailureError,
)
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.envelope import AgentType
from caveat.contracts.plan import MOST_SOURCES
from caveat.failures import invalid
from caveat.workers.worker import FEW
from caveat.workflows.names import IS_RUN, LARGE, PATIENCE
from caveat.workflows.research.studies import BATCH
from standins.ports import World
from tests.fakes.runs import Handle, Start, failing, report_of
from tests.fakes.worlds import page_text

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


async def test_the_largest_run_that_can_be_asked_for_goes_on(start: Start, world: World) -> None:
    report = await report_of(await start(depth="exhaustive", max_sources=MOST_SOURCES))
    assert len(report.sources) == len(world.pages)


async def test_what_angles_share_is_read_once_and_found_in_parts(
    start: Start, world: World
) -> None:
    world.angles = {"Alpha width": ("alpha",), "Alpha length": ("alpha",)}
    world.uses_model = False
    handle = await start(**LARGE_RUN)
    report = await report_of(handle)
    scheduled = Counter(
        [
            event.activity_task_scheduled_event_attributes.activity_type.name
            async for event in handle.fetch_history_events()
        ]
    )
    assert scheduled["analyse"] == scheduled["study"] == scheduled["read"] == 0
    assert (world.calls["read"], world.calls["analyse"]) == (len(world.pages), 2 * len(world.pages))
    assert not report.failures
    (evidence,) = world.evidence
    found = [{claim.source_id for claim in each.claims} for each in evidence.findings]
    assert [len(sources) for sources in found] == [len(world.pages)] * 2


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


async def test_what_a_large_run_found_travels_once(start: Start, world: World) -> None:
    handle = await start(**LARGE_RUN)
    report = await report_of(handle)
    given: dict[str, str] = {}
    async for event in handle.fetch_history_events():
        scheduled = event.activity_task_scheduled_event_attributes
        if scheduled.activity_type.name:
            given[scheduled.activity_type.name] = scheduled.input.payloads[0].data.decode()
    # What is large is stored beside the history, and what holds a claim its relevance.
    stored, claims = "driverName", '"relevance"'
    assert stored in given["hold"] or claims in given["hold"]
    for kind in ("detect", "debate", "synthesise", "write", "audit"):
        assert stored not in given[kind], kind
        assert claims not in given[kind], kind
    (evidence,) = world.evidence
    assert {claim.id for found in evidence.findings for claim in found.claims} >= {
        claim.id for claim in report.claims
    }
    assert len(evidence.shelf) == len(report.sources) == len(world.pages)


async def test_a_large_run_has_long_workflow_tasks_however_it_was_started(
    start: Start, environment: WorkflowEnvironment
) -> None:
    handle = await start(**LARGE_RUN)
    await report_of(handle)
    (begun,) = [
        event.workflow_execution_started_event_attributes
        async for event in handle.fetch_history_events()
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED
    ]
    assert begun.workflow_task_timeout.ToTimedelta() == PATIENCE
    assert begun.continued_execution_run_id
    listed = await eventually(handle.id, environment.client)
    assert [each.status for each in listed] == [WorkflowExecutionStatus.COMPLETED]


async def eventually(run_id: str, client: Client) -> list[WorkflowExecution]:
    """What a list of runs shows of a run that has ended, once the server's list knows of that."""
    for _ in range(100):
        query = f"{IS_RUN} AND WorkflowId = '{run_id}' AND ExecutionStatus != 'Running'"
        if listed := [each async for each in client.list_workflows(query)]:
            return listed
        await asyncio.sleep(0.1)
    return []
