"""A scheduled run compares what it found with the schedule's run before."""

import asyncio
import uuid
from dataclasses import replace

import pytest
from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionExecutionStartWorkflow,
    ScheduleActionStartWorkflow,
    ScheduleHandle,
    ScheduleSpec,
)
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from caveat.contracts.tasks import NoticeKind
from tests.fakes.ports import World
from tests.fakes.runs import Start, report_of

REQUEST = {"topic": "alpha and beta", "schedule": "schedule-alpha"}


async def reported(client: Client, schedule: ScheduleHandle, number: int) -> Report:
    """Have a schedule start its next run, and wait for the report."""
    await schedule.trigger()
    while True:  # a schedule starts nothing that could be waited for
        actions = (await schedule.describe()).info.recent_actions
        if len(actions) >= number:
            break
        await asyncio.sleep(0.1)
    started = actions[-1].action
    assert isinstance(started, ScheduleActionExecutionStartWorkflow)
    handle = client.get_workflow_handle(started.workflow_id, result_type=Outcome)
    return await report_of(handle)


def told(world: World) -> list[NoticeKind]:
    return [notice.kind for notice in world.notices]


@pytest.mark.usefixtures("start")
async def test_it_says_what_changed_and_tells_people_when_something_did(
    environment: WorkflowEnvironment, world: World, task_queue: str
) -> None:
    client, name = environment.client, f"schedule-{uuid.uuid4().hex[:8]}"
    action = ScheduleActionStartWorkflow(
        "Research", args=[REQUEST], id=f"research-{task_queue}", task_queue=task_queue
    )
    schedule = await client.create_schedule(name, Schedule(action=action, spec=ScheduleSpec()))
    try:
        first = await reported(client, schedule, 1)
        assert first.revision is None
        assert told(world) == [NoticeKind.DONE]
        same = await reported(client, schedule, 2)
        assert same.revision is not None
        assert (same.revision.of, same.revision.changes) == (first.run_id, ())
        assert told(world) == [NoticeKind.DONE]
        page = world.pages[0]
        world.pages[0] = replace(page, text=page.text.replace("is 1 units", "is 99 units"))
        other = await reported(client, schedule, 3)
        assert other.revision is not None
        assert other.revision.of == same.run_id
        assert "1 text is new." in other.revision.changes
        assert told(world) == [NoticeKind.DONE, NoticeKind.CHANGED]
        assert "1 text is new." in world.notices[-1].message
    finally:
        await schedule.delete()


async def test_a_run_of_its_own_compares_nothing(start: Start) -> None:
    assert (await report_of(await start(schedule="schedule-alpha"))).revision is None
