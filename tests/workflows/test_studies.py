"""Sources of this machine: each is read and analysed in one step, each half recovered apart."""

from dataclasses import replace

import pytest
from temporalio.api.enums.v1 import EventType

from caveat.contracts.envelope import AgentType
from caveat.contracts.failure import FailureType
from caveat.failures import invalid, timed_out, unavailable
from standins.ports import World
from tests.fakes.runs import Handle, Start, failing, fault, report_of


@pytest.fixture
def world(world: World) -> World:
    """The same pages, in a folder."""
    world.pages = [replace(page, in_corpus=True) for page in world.pages]
    return world


async def scheduled(handle: Handle) -> list[str]:
    return [
        event.activity_task_scheduled_event_attributes.activity_type.name
        async for event in handle.fetch_history_events()
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
    ]


async def test_a_source_of_this_machine_is_one_activity(start: Start, world: World) -> None:
    handle = await start()
    report = await report_of(handle)
    names = await scheduled(handle)
    assert names.count("study") == 12
    assert not {"read", "analyse"} & set(names)
    assert [len(section.claims) for section in report.sections] == [6, 6]
    assert report.failures == ()


async def test_a_retry_goes_on_behind_the_reading(start: Start, world: World) -> None:
    def faults(kind: str, key: str) -> None:
        if kind == "analyse" and key == "a1 page 2" and world.calls[f"{kind} {key}"] == 1:
            raise unavailable("It is restarting.", resource=key)

    world.faults = faults
    report = await report_of(await start())
    assert (world.calls["read page 2"], world.calls["analyse a1 page 2"]) == (1, 2)
    assert report.failures == ()


async def test_a_source_that_cannot_be_read_fails_as_its_reading(
    start: Start, world: World
) -> None:
    failing(world, "read page 1", invalid("It is broken.", resource="page 1"))
    report = await report_of(await start())
    (failed,) = report.failures
    assert (failed.agent_type, failed.attempts) == (AgentType.READER, 1)
    assert failed.task_description == "Read “page 1”"
    assert world.calls["analyse a1 page 1"] == 0


async def test_what_cannot_be_analysed_was_read_all_the_same(start: Start, world: World) -> None:
    failing(world, "analyse a1 page 1", invalid("It is declined.", resource="page 1"))
    report = await report_of(await start())
    (failed,) = report.failures
    assert (failed.agent_type, failed.attempts) == (AgentType.ANALYST, 1)
    (source,) = [each for each in report.sources if each.title == "page 1"]
    assert source.snapshot_sha256


async def test_a_retry_goes_on_in_the_middle_of_an_analysis(start: Start, world: World) -> None:
    world.partial["a1 page 3"] = 0.5
    handle = await start()
    report = await report_of(handle)
    assert "analyse" not in await scheduled(handle)
    assert world.resumed == ["a1 page 3"]
    assert world.calls["read page 3"] == 1
    assert len(report.sections[0].claims) == 6


async def test_a_reading_that_times_out_is_tried_again_alone(start: Start, world: World) -> None:
    def faults(kind: str, key: str) -> None:
        if (kind, key) == ("read", "page 1") and world.calls["read page 1"] <= 4:
            raise timed_out("The disk is slow.", resource=key)

    world.faults = faults
    report = await report_of(await start())
    assert world.calls["read page 1"] in {4, 5}
    assert all(failed.agent_type is AgentType.READER for failed in report.failures)


async def test_where_an_analyst_fails_the_rest_is_not_started(start: Start, world: World) -> None:
    failing(world, "analyse", fault(FailureType.UNAVAILABLE))
    handle = await start()
    with pytest.raises(Exception, match="Workflow execution failed"):
        await handle.result()
    assert world.calls["analyse"] == 2 * 3 * 4  # three scouts, once more for the quorum


async def test_a_budget_keeps_the_two_steps_apart(start: Start, world: World) -> None:
    handle = await start(budget={"model_calls": 500})
    await report_of(handle)
    assert "study" not in await scheduled(handle)


async def test_a_model_that_answered_the_plan_sends_no_scouts_ahead(
    start: Start, world: World
) -> None:
    world.uses_model = True
    world.delays["analyse"] = 0.5
    await report_of(await start())
    begun = [each for each in world.order if each.startswith(("analyse", "contradict"))]
    assert len(begun[: begun.index("contradict alpha and beta")]) == 12


async def test_a_copy_is_not_kept_twice(start: Start, world: World) -> None:
    world.pages[1] = replace(world.pages[0], name="page 2")
    report = await report_of(await start())
    (original,) = [each for each in report.sources if each.copies]
    assert original.copies
    assert len(report.sections[0].claims) == 5
