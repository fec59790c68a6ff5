"""Questions about runs, asked of a real server."""

import asyncio
import datetime as dt
import uuid
from collections.abc import AsyncIterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_asyncio
from temporalio.api.common.v1 import Priority as PriorityTold
from temporalio.client import Client
from temporalio.service import RPCError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from caveat.adapters.files.artifacts import build_folder_name
from caveat.clients.following import Follower
from caveat.clients.pruning import Needs, needs
from caveat.clients.run_description import Broken, RunLine, RunStatus
from caveat.clients.runs import Runs
from caveat.clients.schedules import Scheduled, Schedules
from caveat.contracts.message import Priority
from caveat.contracts.outcome import Progress
from caveat.contracts.plan import ResearchRequest
from caveat.problem import BadInput, NoSuchRun
from caveat.workers.connection import connect
from caveat.workers.settings import Settings
from caveat.workflows.names import QUEUE
from caveat.workflows.research.workflow import Research
from tests.fakes.commands import reset_as_told
from tests.fakes.free_ports import free_port
from tests.fakes.patience import PATIENCE_S

pytestmark = pytest.mark.xdist_group("runs")  # one process makes its fixtures


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def runs(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Runs]:
    """A server of this module's own: nobody else's workers may poll its queue."""
    folder = tmp_path_factory.mktemp("server")
    settings = Settings(state_dir=folder, port=free_port())
    async with connect(settings) as connection:
        yield Runs(connection.client, settings)


def worker(client: Client) -> Worker:
    """A worker that orders and waits, and that nobody does the work for."""
    return Worker(
        client, task_queue=QUEUE, workflows=[Research], workflow_runner=UnsandboxedWorkflowRunner()
    )


async def told(runs: Runs, run_id: str) -> PriorityTold:
    """What the server was told of a run's urgency; the run is ended."""
    handle = runs.client.get_workflow_handle(run_id)
    described = (await handle.describe()).raw_description
    await handle.terminate()
    return described.workflow_execution_info.priority


async def of_schedule(schedules: Schedules, name: str) -> Scheduled | None:
    """What is listed of a schedule, which is a moment behind."""
    await asyncio.sleep(0.2)
    return next((each for each in await schedules.list_all() if each.schedule == name), None)


async def by_id(runs: Runs) -> dict[str, RunLine]:
    return {line.run_id: line for line in await runs.list_latest(50)}


def new_id() -> str:
    return f"research-test-{uuid.uuid4().hex[:6]}"


class Watcher:
    def __init__(self) -> None:
        self.seen: list[Progress] = []
        self.shown = asyncio.Event()
        self.remarks: list[str] = []
        self.remarked = asyncio.Event()

    def show(self, progress: Progress) -> None:
        self.seen.append(progress)
        self.shown.set()

    def remark(self, sentence: str) -> None:
        self.remarks.append(sentence)
        self.remarked.set()


async def test_a_run_nobody_takes_up_says_so(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caveat.clients.following.SILENCE_S", 0.5)
    assert not await runs.has_worker()
    run_id, watcher = new_id(), Watcher()
    await runs.start(run_id, ResearchRequest(topic="Why so?"))
    following = asyncio.create_task(Follower(runs, run_id, watcher.show, watcher.remark).follow())
    async with asyncio.timeout(PATIENCE_S):
        await watcher.remarked.wait()
    (remark,) = watcher.remarks
    assert remark.startswith("No worker takes up runs on this server: start one with")
    assert await runs.query_progress(run_id) is None
    async with asyncio.timeout(PATIENCE_S), worker(runs.client):
        await watcher.shown.wait()
        assert await runs.has_worker()
        await runs.client.get_workflow_handle(run_id).terminate(reason="enough")
        ended = await following
    assert isinstance(ended, Broken)
    assert ended.message.startswith("It was terminated: enough.")
    assert watcher.seen[0].topic == "Why so?"
    assert (await runs.fetch_line(run_id)).status is RunStatus.TERMINATED


async def test_servers_know_owner_and_urgency(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "ada" + "é" * 60)  # more than a key may have
    run_id = new_id()
    await runs.start(run_id, ResearchRequest(topic="x", priority=Priority.CRITICAL))
    priority = await told(runs, run_id)
    assert (priority.priority_key, priority.fairness_key) == (1, "ada" + "é" * 30)


async def test_unserved_runs_are_asked_nothing(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server takes a second to answer a query that no worker can."""
    run_id = new_id()
    await runs.start(run_id, ResearchRequest(topic="x"))

    async def query(*_: object, **__: object) -> None:
        raise AssertionError("it was asked")

    monkeypatch.setattr("temporalio.client.WorkflowHandle.query", query)
    progress, standstill = await runs.examine(await runs.fetch_line(run_id))
    assert progress is None
    assert standstill is not None
    assert "No worker takes up runs" in standstill.sentence
    await runs.client.get_workflow_handle(run_id).terminate()


async def test_runs_are_listed_with_what_they_say_of_themselves(runs: Runs) -> None:
    run_id = new_id()
    await runs.client.start_workflow("Other", id=f"other-{run_id}", task_queue=QUEUE)
    await runs.start(run_id, ResearchRequest(topic="x" * 2_000))
    async with asyncio.timeout(PATIENCE_S):
        while run_id not in (listed := await by_id(runs)):  # noqa: ASYNC110  # a server has no event to await
            await asyncio.sleep(0.05)  # visibility follows a start by some milliseconds
    assert listed[run_id].status is RunStatus.RUNNING
    assert f"other-{run_id}" not in listed
    assert len(await runs.list_latest(1)) == 1
    with pytest.raises(BadInput, match="is not a research run"):
        await runs.fetch_line(f"other-{run_id}")
    await runs.client.get_workflow_handle(run_id).cancel()


async def test_a_run_that_was_ended_and_goes_on_is_listed_once(runs: Runs) -> None:
    run_id = new_id()
    async with worker(runs.client):
        await runs.start(run_id, ResearchRequest(topic="ж" * 2_000))
        while await runs.query_progress(run_id) is None:
            pass
        await runs.client.get_workflow_handle(run_id).terminate()
        await reset_as_told(runs.client, run_id)
    async with asyncio.timeout(PATIENCE_S):
        while await executions(runs, run_id) < 2:  # noqa: ASYNC110  # the server tells nobody
            await asyncio.sleep(0.05)
    listed = [line.status for line in await runs.list_latest(50) if line.run_id == run_id]
    # The server takes less of it, and its memo holds it whole.
    assert (await runs.fetch_line(run_id)).topic == "ж" * 2_000
    paged = [line.status for line in (await runs.list_page(run_id, 50))[0]]
    assert listed == paged == [RunStatus.RUNNING]
    await runs.client.get_workflow_handle(run_id).terminate()


async def executions(runs: Runs, run_id: str) -> int:
    return (await runs.client.count_workflows(f"WorkflowId = '{run_id}'")).count


async def test_a_run_that_nobody_knows(runs: Runs) -> None:
    for question in (runs.fetch_line, runs.wait_for_end, runs.query_progress):
        with pytest.raises(NoSuchRun, match="There is no run nope"):
            await question("nope")


@pytest.mark.parametrize("given", [{"topic": "x", "team": "general"}, ResearchRequest(topic="x")])
async def test_what_a_run_was_asked_is_read_from_its_history(runs: Runs, given: object) -> None:
    run_id = new_id()
    await runs.client.start_workflow("Research", given, id=run_id, task_queue=QUEUE)
    assert await runs.read_request(run_id) == ResearchRequest(topic="x")


async def test_what_goes_on_and_its_origin_are_not_pruned(runs: Runs, tmp_path: Path) -> None:
    run_id, earlier, began = new_id(), new_id(), dt.datetime.now(dt.UTC)
    corpus = str(tmp_path)
    request = ResearchRequest(topic="Why so?", follow_up_of=earlier, corpus=(corpus,))
    await runs.start(run_id, request)
    asking, asked = new_id(), new_id()
    await runs.start(asking, ResearchRequest(topic="And why?", asked_of=asked, corpus=(corpus,)))
    unreadable = new_id()
    await runs.client.start_workflow("Research", args=[7], id=unreadable, task_queue=QUEUE)
    needed = await needs_with(runs, began, {run_id, asking, unreadable})
    assert {earlier, asked, tmp_path.name} <= needed.names
    assert needed.since == 0  # nobody knows what the unreadable one searches
    # Other tests leave unreadable ones behind, too.
    others = needed.names - {run_id, earlier, asking, asked, tmp_path.name}
    for each in others:
        with suppress(RPCError):
            await runs.client.get_workflow_handle(each).terminate("enough")
    needed = await needs_with(runs, began, {run_id}, without=others)
    assert 0 < needed.since <= (await runs.fetch_line(run_id)).started.timestamp()


async def needs_with(
    runs: Runs, began: dt.datetime, wanted: set[str], without: AbstractSet[str] = frozenset()
) -> Needs:
    """Ask until the list, which is a moment behind, has what is wanted."""
    while True:
        needed = await needs(runs.client, began + dt.timedelta(days=1))
        if wanted <= needed.names and not without & needed.names:
            return needed
        await asyncio.sleep(0.2)


async def test_a_schedule_is_made_listed_found_and_ended(runs: Runs, tmp_path: Path) -> None:
    schedules = Schedules(runs.client, runs.settings)
    request = ResearchRequest(topic="宇宙 how large?", corpus=(str(tmp_path),))
    began = dt.datetime.now(dt.UTC).replace(microsecond=0)
    made = await schedules.create(request, dt.timedelta(days=1))
    try:
        while not (found := await of_schedule(schedules, made.schedule)) or found.latest is None:
            pass
        assert (found.topic, found.every) == (request.topic, dt.timedelta(days=1))
        assert found.next is not None
        assert dt.timedelta(days=1) <= found.next - began < dt.timedelta(days=1, hours=1)
        asked = await runs.read_request(found.latest)
        assert asked.schedule == made.schedule
        assert asked.grant is not None
        assert found.latest.startswith(asked.grant.run_id + "-20")
        kept = await needs(runs.client, dt.datetime.now(dt.UTC))
        assert build_folder_name(found.latest) in kept.names
    finally:
        await schedules.delete(made.schedule)
    for nope in (made.schedule, "somebody-else's"):
        with pytest.raises(BadInput, match="There is no schedule"):
            await schedules.delete(nope)
