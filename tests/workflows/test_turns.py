"""Turns: one model call an activity, and the coordinator gives a task out again for another."""

from dataclasses import replace

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.workers.wiring import registry_of
from caveat.workers.worker import workers
from standins.ports import World, ports_of
from tests.fakes.turns import Stubborn
from tests.fakes.worlds import a_world


@pytest.mark.parametrize(
    ("flaws", "budget", "turns"), [(0, None, 1), (1, None, 2), (9, None, 2), (9, 1, 1), (9, 4, 4)]
)
async def test_a_task_takes_as_many_turns_as_it_may_and_needs(
    environment: WorkflowEnvironment, task_queue: str, flaws: int, budget: int | None, turns: int
) -> None:
    world: World = a_world()
    reasoner = Stubborn(world, flaws=flaws)
    request = {"topic": "alpha and beta", "budget": {"turns": budget}}
    registry = registry_of(replace(ports_of(world), reasoner=reasoner))
    async with workers(environment.client, registry, task_queue):
        handle = await environment.client.start_workflow(
            "Research", request, id=f"research-{task_queue}", task_queue=task_queue
        )
        await handle.result()
        history = await handle.fetch_history()
    assert [task.turn for task in reasoner.turns] == list(range(1, turns + 1))
    assert (turns == reasoner.turns[-1].max_turns) == (turns == (budget or 2))
    assert world.reports[-1].metrics.model_calls == turns + 1  # the plan is one
    scheduled = [
        event.activity_task_scheduled_event_attributes.activity_type.name
        for event in history.events
        if event.HasField("activity_task_scheduled_event_attributes")
    ]
    assert scheduled.count("synthesise") == turns
