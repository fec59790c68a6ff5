"""`caveat follow-up` as people use it: a real process on a real server, a library that breaks."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from temporalio.client import Client, WorkflowFailureError
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.outcome import Outcome
from caveat.failures import invalid, unavailable
from caveat.workflows.names import QUEUE
from standins.ports import World
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import awaiting, failing, serving, start_run
from tests.fakes.template import Template
from tests.fakes.worlds import a_world, disagreeing

pytestmark = pytest.mark.system

BUSY = unavailable("The archive is busy.", resource="page 1")


@dataclass(frozen=True)
class Said:
    """What a command said and how it left."""

    code: int
    out: str
    err: str


Caveat = Callable[..., Awaitable[Said]]


@pytest.fixture
async def world(environment: WorkflowEnvironment) -> AsyncIterator[World]:
    """A library that a worker of ours serves on the queue where people's runs are started."""
    world = a_world()
    async with serving(environment.client, world, QUEUE):
        yield world


@pytest.fixture
def caveat(environment: WorkflowEnvironment, tmp_path: Path, template: Template) -> Caveat:
    """The command, on a server of one's own."""
    kept = {name: value for name, value in os.environ.items() if "TEMPORAL" not in name}
    variables = kept | {
        "TEMPORAL_ADDRESS": environment.client.service_client.config.target_host,
        "TEMPORAL_CONFIG_FILE": str(tmp_path / "no-profile.toml"),
        "CAVEAT_STATE_DIR": str(tmp_path / "state"),
    }

    async def run(*arguments: str) -> Said:
        process = template.command(arguments, tmp_path, variables)
        out, err = await asyncio.to_thread(process.communicate, PATIENCE_S)
        assert process.returncode is not None
        return Said(process.returncode, out, err)

    return run


async def ended(client: Client, name: str, **request: object) -> str:
    """Have a run done, however it ends, and return its id."""
    run_id = f"research-{name}-{os.urandom(3).hex()}"
    asked = {"topic": "alpha and beta", "formats": ["md"], **request}
    handle = await start_run(client, QUEUE, run_id, **asked)
    await handle.result()
    return run_id


def busy(world: World, error: Exception = BUSY) -> None:
    failing(world, "read page 1", error)


async def test_of_a_run_in_which_nothing_failed_no_number_of_failures_is_said(
    world: World, environment: WorkflowEnvironment, caveat: Caveat
) -> None:
    disagreeing(world, (1, 2))
    with environment.with_time_skipping_disabled():
        run = await start_run(environment.client, QUEUE, "research-stopped")
        await awaiting(run)
        await run.cancel()
        with pytest.raises(WorkflowFailureError):
            await run.result()
        said = await caveat("follow-up", run.id)
    assert said.err.splitlines()[:2] == [
        "A follow-up of research-stopped goes on with what that found.",
        "  The report that it lacks is written.",
    ]


async def test_what_failed_is_tried_again_and_the_revision_says_what_changed(
    world: World, environment: WorkflowEnvironment, caveat: Caveat, tmp_path: Path
) -> None:
    busy(world)
    first = await ended(environment.client, "busy")
    advice = (await caveat("failures", first)).out.splitlines()[-1]
    assert advice == f"`caveat follow-up {first}` tries again what is worth it."
    world.faults = lambda kind, key: None
    plans = world.calls["plan"]
    said = await caveat("follow-up", first)
    assert (said.code, world.calls["plan"]) == (0, plans), said.err
    tries, again, *_, announced = said.err.splitlines()[:3]
    assert tries == f"A follow-up of {first} tries 1 of 1 failed task again."
    assert again == "  Again: 1 task of the reader. The archive is busy."
    new_id = announced.removeprefix("Run ")
    assert new_id.startswith("research-alpha-and-beta-")
    assert "\nConfidence " in said.out
    lines = said.out[said.out.index("A revision of ") :].splitlines()
    assert lines[0] == f"A revision of {first}; what has changed:"
    assert any("new" in line for line in lines[1:-1])
    # The earlier run wanted Markdown alone.
    assert lines[-1] == f"reports/{new_id}/report.md"
    assert first in (tmp_path / lines[-1]).read_text(encoding="utf-8")
    facts = json.loads((await caveat("failures", new_id, "--json")).out)
    assert [failed["recovered"] for failed in facts] == [True]
    assert "follow-up" not in (await caveat("failures", new_id)).out


async def test_a_terminated_run_goes_on_from_what_its_history_keeps(
    world: World, environment: WorkflowEnvironment, caveat: Caveat
) -> None:
    world.uses_model = True  # without one all is read before anything is analysed
    busy(world)  # for a time: the run waits for its retry, with all but one page read
    run_id = f"research-ended-{os.urandom(3).hex()}"
    handle = await start_run(environment.client, QUEUE, run_id)
    async with asyncio.timeout(PATIENCE_S):
        while not world.calls["analyse"]:  # noqa: ASYNC110  # another process is waited for
            await asyncio.sleep(0.02)
    await handle.terminate("enough")
    world.faults = lambda kind, key: None
    said = await caveat("status", run_id)
    assert "`caveat follow-up` lets it go on" in said.out + said.err
    said = await caveat("follow-up", run_id)
    assert said.code == 0, said.err
    assert f"{run_id} was ended from outside; it goes on from what its history keeps." in said.err
    assert world.calls["plan"] == 1
    again = environment.client.get_workflow_handle(run_id, result_type=Outcome)
    assert (await again.result()).report.failures == ()


async def test_a_failure_that_will_never_work_is_not_followed_up(
    world: World, environment: WorkflowEnvironment, caveat: Caveat
) -> None:
    busy(world, invalid("The page is broken.", resource="page 1"))
    first = await ended(environment.client, "broken")
    said = await caveat("follow-up", first)
    assert (said.code, said.out) == (1, "")
    assert said.err == (
        f"Nothing that failed in {first} is worth trying again: "
        f"`caveat failures {first}` says what failed and why, and `caveat follow-up {first} --all` "
        "tries it all the same.\n"
    )
    assert "follow-up" not in (await caveat("failures", first)).out


async def test_a_run_that_goes_on_is_not_followed_up(
    environment: WorkflowEnvironment, caveat: Caveat, task_queue: str
) -> None:
    # Nobody works on this queue.
    handle = await start_run(environment.client, task_queue, topic="x")
    said = await caveat("follow-up", handle.id)
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith(f"{handle.id} still goes on: ")
    await handle.terminate("done with it")
    said = await caveat("follow-up", handle.id)
    assert (said.code, said.out) == (1, "")
    assert "left no evidence to go on with" in said.err
