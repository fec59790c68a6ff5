"""What Temporal shows of a run: policies and summaries in history, attributes, details, queries."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.backend import Backend, Route
from caveat.contracts.outcome import AssignmentState, Progress
from caveat.contracts.phase import Phase
from caveat.rendering.details import GAP
from caveat.workflows import options
from caveat.workflows.names import CONFIDENCE, OPEN_CONTRADICTIONS, PHASE, TOPIC, name_queue
from caveat.workflows.options import OVERTIME, Policy
from tests.fakes.patience import PATIENCE_S
from tests.fakes.ports import World
from tests.fakes.runs import BOTH, Handle, Start, awaiting, rule
from tests.fakes.worlds import disagreeing

POLICIES: dict[str, Policy[Any, Any]] = {
    **{
        each.declared.name: each
        for each in vars(options).values()
        if isinstance(each, Policy) and each.step is not None
    },
    "take_stock": options.TAKE_STOCK,
    "read": options.READ,
    "recall_rulings": options.RULINGS,
    "record_ruling": options.RECORD_RULING,
    "notify": options.NOTIFY,
    "audit": options.AUDIT,
    "publish": options.PUBLISH,
    "keep_evidence": options.PUBLISH,
}


BULKY = {"audit", "publish", "keep_evidence"}  # they hold all that was found at once


async def events(handle: Handle, kind: EventType.ValueType) -> list[HistoryEvent]:
    return [event async for event in handle.fetch_history_events() if event.event_type == kind]


async def scheduled(handle: Handle) -> list[HistoryEvent]:
    return await events(handle, EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED)


async def arbitrated(start: Start, world: World, environment: WorkflowEnvironment) -> list[Handle]:
    """A run that a person rules in and its arbitration, both at their end."""
    disagreeing(world, (7, 8))
    with environment.with_time_skipping_disabled():
        run = await start()
        await awaiting(run)
        await rule(environment.client, run, 1, BOTH)
        await run.result()
    return [run, environment.client.get_workflow_handle(f"{run.id}/contradiction-1")]


async def test_every_activity_is_scheduled_with_its_policy(
    start: Start, world: World, task_queue: str, environment: WorkflowEnvironment
) -> None:
    world.answers["alpha"] = ()
    world.uses_model = world.doubts = world.debates = True
    seen = set()
    handles = await arbitrated(start, world, environment)
    for event in [each for handle in handles for each in await scheduled(handle)]:
        found = event.activity_task_scheduled_event_attributes
        policy = POLICIES[found.activity_type.name]
        seen.add(found.activity_type.name)
        decided = Route(backend=Backend(reasoner="scripted"))
        route = Route() if found.activity_type.name == "take_stock" else decided
        assert found.task_queue.name == name_queue(task_queue, policy.queue, route)
        assert found.start_to_close_timeout.ToTimedelta() == policy.start_to_close
        assert found.schedule_to_close_timeout.ToTimedelta() == policy.schedule_to_close
        silence = 20 if found.activity_type.name in BULKY else 5
        assert found.heartbeat_timeout.ToTimedelta() == timedelta(seconds=silence)
        retry = found.retry_policy
        assert retry.initial_interval.ToTimedelta() == timedelta(seconds=1)
        assert (retry.backoff_coefficient, retry.maximum_attempts) == (2.0, 4)
        assert list(retry.non_retryable_error_types) == [
            *("auth_error", "not_found", "permanent"),
            OVERTIME,
        ]
    assert seen == set(POLICIES)


async def summaries_of(environment: WorkflowEnvironment, found: list[HistoryEvent]) -> list[str]:
    decode = environment.client.data_converter.decode
    return [(await decode([event.user_metadata.summary]))[0] for event in found]


async def test_an_arbitration_and_all_that_it_does_has_a_summary(
    start: Start, world: World, environment: WorkflowEnvironment
) -> None:
    run, arbitration = await arbitrated(start, world, environment)
    about = (await run.result()).report.contradictions[0].about
    initiated = EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED
    assert await summaries_of(environment, await events(run, initiated)) == [about]
    assert await (await arbitration.describe()).static_summary() == about
    timers = await events(arbitration, EventType.EVENT_TYPE_TIMER_STARTED)
    assert sorted(await summaries_of(environment, timers)) == [
        f"6 h for a person to rule: {about}",
        "Remind people: half-time",
    ]
    assert await summaries_of(environment, await scheduled(arbitration)) == [
        "Tell people: a contradiction waits for them (opened)",
        "Keep the ruling on contradiction-1",
    ]


@pytest.mark.parametrize("uses_model", [True, False])
async def test_search_attributes_follow_the_run(
    start: Start, world: World, environment: WorkflowEnvironment, task_queue: str, uses_model: bool
) -> None:
    world.uses_model = uses_model
    handle = await start()
    report = (await handle.result()).report
    attributes = (await handle.describe()).typed_search_attributes
    assert attributes.get(TOPIC) == "alpha and beta"
    assert attributes.get(PHASE) == Phase.DONE
    assert attributes.get(OPEN_CONTRADICTIONS) == 0
    assert attributes.get(CONFIDENCE) == (report.confidence.value if uses_model else None)
    query = f"CaveatTopic = 'beta' AND CaveatPhase = 'done' AND TaskQueue = '{task_queue}'"
    found: list[str] = []
    async with asyncio.timeout(PATIENCE_S):
        while not found:  # visibility is written a moment after the run has ended
            await asyncio.sleep(0.05)
            found = [run.id async for run in environment.client.list_workflows(query)]
    assert found == [handle.id]


async def test_progress_and_details_show_a_run_that_goes_on(start: Start, world: World) -> None:
    world.delays["read page 8"] = 6.0

    def all_but_one(seen: Progress) -> bool:
        alpha, beta = seen.assignments or (None, None)
        return bool(alpha and beta and (alpha.claims, beta.claims, beta.read) == (6, 5, 5))

    world.uses_model = True  # without a model all is read before anything is analysed
    handle = await start()
    progress = await until(handle, all_but_one)
    alpha, beta = progress.assignments
    assert (alpha.state, alpha.claims) == (AssignmentState.DONE, 6)
    assert (beta.state, beta.found, beta.to_read, beta.read) == (AssignmentState.READING, 6, 6, 5)
    assert progress.phase is Phase.INVESTIGATING
    details = (await handle.query("__temporal_workflow_metadata")).current_details
    assert "| Beta cases | reading | 6 | 5/6 | 5 | 0 |" in details.replace(GAP, "")
    assert await handle.query("report") is None
    report = (await handle.result()).report
    assert (await handle.query("report"))["run_id"] == report.run_id
    details = (await handle.query("__temporal_workflow_metadata")).current_details
    assert f"confidence {report.confidence.value:.2f}" in details


async def until(handle: Handle, holds: Any) -> Progress:
    for _ in range(100):
        progress: Progress = await handle.query("progress", result_type=Progress)
        if holds(progress):
            return progress
        await asyncio.sleep(0.05)
    raise AssertionError(f"never seen: {progress}")
