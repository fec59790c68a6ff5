"""Turns: one model call an activity, and the coordinator gives a task out again for another."""

from dataclasses import dataclass, field, replace

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.envelope import Usage
from caveat.contracts.synthesis import Synthesis, SynthesisInput
from caveat.ports import Answer
from caveat.turns import CURRENT, AnotherTurn, Turns
from tests.fakes.ports import FakeReasoner, World, ports_of
from tests.workflows.conftest import a_world
from workers.wiring import crew_of
from workers.worker import workers

CALL = Usage(model_calls=1, input_tokens=10, output_tokens=1, cost_usd=0.5)


@dataclass(frozen=True)
class Stubborn(FakeReasoner):
    """Writes a report that must be mended `flaws` times."""

    flaws: int = 1
    turns: list[Turns] = field(default_factory=list)

    async def synthesise(self, evidence: SynthesisInput) -> Answer[Synthesis]:
        turn = CURRENT.get()
        assert turn is not None
        self.turns.append(turn)
        if turn.number <= self.flaws and not turn.last:
            raise AnotherTurn(CALL)
        answer = await super().synthesise(evidence)
        return Answer(answer.value, CALL)


@pytest.mark.parametrize(
    ("flaws", "budget", "turns"), [(0, None, 1), (1, None, 2), (9, None, 2), (9, 1, 1), (9, 4, 4)]
)
async def test_a_task_takes_as_many_turns_as_it_may_and_needs(
    environment: WorkflowEnvironment, task_queue: str, flaws: int, budget: int | None, turns: int
) -> None:
    world: World = a_world()
    reasoner = Stubborn(world, flaws=flaws)
    request = {"topic": "alpha and beta", "budget": {"turns": budget}}
    crew = crew_of(replace(ports_of(world), reasoner=reasoner))
    async with workers(environment.client, crew, task_queue):
        handle = await environment.client.start_workflow(
            "Research", request, id=f"research-{task_queue}", task_queue=task_queue
        )
        await handle.result()
        history = await handle.fetch_history()
    assert [turn.number for turn in reasoner.turns] == list(range(1, turns + 1))
    assert [turn.last for turn in reasoner.turns][-1] == (turns == (budget or 2))
    assert world.reports[-1].metrics.model_calls == turns + 1  # the plan is one
    scheduled = [
        event.activity_task_scheduled_event_attributes.activity_type.name
        for event in history.events
        if event.HasField("activity_task_scheduled_event_attributes")
    ]
    assert scheduled.count("synthesise") == turns
