"""One more question to what a run has kept: no search, the same checks, nothing lost by a kill."""

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.outcome import Ending
from caveat.rules.audit import audit
from tests.fakes.ports import World
from tests.fakes.runs import Start, end_of, report_of, serving, start_run, texts


@pytest.fixture(autouse=True)
def with_model(world: World) -> None:
    world.uses_model = True


def searched(world: World) -> int:
    """How often something was searched or read."""
    return world.calls["search"] + world.calls["fetch"]


async def test_a_question_is_answered_from_what_is_kept(start: Start, world: World) -> None:
    first = await start()
    before = await report_of(first)
    looked, planned = searched(world), world.calls["plan"]
    assert looked
    asked = await start(id="asked", topic="Alpha is how wide, and why?", asked_of=first.id)
    report = await report_of(asked)
    assert (searched(world), world.calls["plan"]) == (looked, planned), "nothing new is read"
    (section,) = report.sections
    assert "Alpha is how wide, and why?" in section.question
    assert report.claims
    kept = {each.snapshot_sha256 for each in before.sources}
    assert {each.snapshot_sha256 for each in report.sources} == kept
    assert audit(report, texts(world)).passed
    assert report.revision is None


async def test_new_sources_are_searched_only_if_asked(start: Start, world: World) -> None:
    first = await start()
    await first.result()
    looked = searched(world)
    question = "Alpha is how wide now?"
    world.answers[question] = ("page 7",)
    await report_of(await start(id="more", topic=question, asked_of=first.id, searches=True))
    assert searched(world) > looked


async def test_of_a_run_that_nobody_knows_nothing_can_be_asked(start: Start) -> None:
    end = await end_of(await start(id="asked", asked_of="research-nothing-000000"))
    assert end.ending is Ending.NOTHING_TO_FOLLOW_UP


async def test_a_question_goes_on_after_its_worker_died(
    environment: WorkflowEnvironment, task_queue: str, world: World
) -> None:
    client = environment.client
    with environment.with_time_skipping_disabled():
        async with serving(client, world, task_queue):
            first = await start_run(client, task_queue)  # fmt: skip
            await first.result()
        asked = await start_run(
            client,
            task_queue,
            f"research-{task_queue}-ask-000001",
            topic="Alpha is how wide, and why?",
            asked_of=first.id,
        )
        async with serving(client, world, task_queue):
            pass  # it dies at once
        async with serving(client, world, task_queue):
            found = await asked.result()
    assert found.report.claims
