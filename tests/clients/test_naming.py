"""What people type for a run or an arbitration, against the real server."""

import uuid

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.files.artifacts import build_folder_name
from caveat.clients.service import Service
from caveat.problem import BadInput, NoSuchRun
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings

NOBODY = "a-queue-that-nobody-serves"


@pytest.fixture
def stem() -> str:
    """The beginning that the runs of one test share, and no others."""
    return f"research-{uuid.uuid4().hex[:8]}"


async def start(client: Client, *ids: str, kind: str = "Research") -> None:
    for each in ids:
        await client.start_workflow(kind, id=each, task_queue=NOBODY)


@pytest.fixture
def names(environment: WorkflowEnvironment, settings: Settings) -> Service:
    return Service(Connection(environment.client, None), settings)


async def listed(names: Service, count: int, stem: str) -> None:
    """Wait until the server lists what was started; it does so a moment later."""
    query = f"WorkflowId STARTS_WITH '{stem}'"
    while (await names.connection.client.count_workflows(query)).count < count:
        pass


async def test_a_run_by_its_id_or_its_beginning(names: Service, stem: str) -> None:
    await start(names.connection.client, f"{stem}-red", f"{stem}-red-and-blue", f"{stem}-green")
    await listed(names, 3, stem)
    assert await names.find_run(f"{stem}-green") == f"{stem}-green"
    assert await names.find_run(f"{stem}-g\n") == f"{stem}-green"
    # A whole id is one run, whatever other ids begin with it.
    assert await names.find_run(f"{stem}-red") == f"{stem}-red"
    with pytest.raises(BadInput, match=f"{stem}-re means 2 runs, .*{stem}-red-and-blue"):
        await names.find_run(f"{stem}-re")
    with pytest.raises(NoSuchRun):
        await names.find_run(f"{stem}-yellow")


@pytest.mark.parametrize("typed", ["", "  ", "\n"])
async def test_nothing_is_no_name(typed: str, names: Service) -> None:
    with pytest.raises(BadInput, match="Name a run"):
        await names.find_run(typed)
    with pytest.raises(BadInput, match="Name an arbitration"):
        await names.find_arbitration(typed)


@pytest.mark.parametrize("sign", ["'", '"', "%", "\\", "é"])
async def test_signs_of_queries_mean_themselves(sign: str, names: Service, stem: str) -> None:
    await start(names.connection.client, f"{stem}{sign}a", f"{stem}-b")
    await listed(names, 2, stem)
    assert await names.find_run(f"{stem}{sign}") == f"{stem}{sign}a"


async def test_the_latest_is_the_one_that_was_started_last(names: Service, stem: str) -> None:
    await start(names.connection.client, f"{stem}-first", f"{stem}-second")
    await listed(names, 2, stem)
    assert await names.find_run("latest") == f"{stem}-second"
    assert await names.is_latest(f"{stem}-second")
    assert not await names.is_latest(f"{stem}-first")
    await names.connection.client.get_workflow_handle(f"{stem}-second").terminate()
    assert await names.find_run("latest") == f"{stem}-second"


async def test_a_run_and_the_folder_of_its_files_are_one(names: Service, stem: str) -> None:
    scheduled = f"{stem}-2026-11-24T00:20:20Z"
    await start(names.connection.client, scheduled)
    await listed(names, 1, stem)
    folder = names.settings.reports_folder / build_folder_name(scheduled)
    assert folder.name != scheduled
    folder.mkdir(parents=True)
    (folder / "evidence.json").write_text(f'{{"run_id": "{scheduled}"}}', encoding="utf-8")
    assert await names.find_run(stem) == scheduled
    assert await names.find_run(f"{stem}-2026-11-24T00:") == scheduled


async def test_an_only_arbitration_is_named_by_its_run(names: Service, stem: str) -> None:
    await start(names.connection.client, f"{stem}-x")
    await start(names.connection.client, f"{stem}-x/contradiction-1", kind="Arbitration")
    await listed(names, 2, stem)
    for typed in (f"{stem}-x/contradiction-1", f"{stem}-x/", f"{stem}-x", stem):
        assert await names.find_arbitration(typed) == f"{stem}-x/contradiction-1"
    with pytest.raises(BadInput, match="caveat inbox"):
        await names.find_arbitration(f"{stem}-x/other")
    waiting = f"WorkflowId STARTS_WITH '{stem}' AND ExecutionStatus = 'Running'"
    await names.connection.client.get_workflow_handle(f"{stem}-x/contradiction-1").terminate()
    while (await names.connection.client.count_workflows(waiting)).count > 1:
        pass
    assert (
        await names.find_arbitration(f"{stem}-x") == f"{stem}-x/contradiction-1"
    )  # who ruled is said


async def test_another_contradiction_is_never_meant(names: Service, stem: str) -> None:
    ids = [f"{stem}/contradiction-{number}" for number in (1, 2, 10)]
    await start(names.connection.client, stem)
    await start(names.connection.client, *ids, kind="Arbitration")
    await listed(names, 4, stem)
    await names.connection.client.get_workflow_handle(ids[0]).terminate()
    # It is over, and the tenth begins with its name.
    assert await names.find_arbitration(f"{stem[:-1]}/contradiction-1") == ids[0]
    waiting = f"WorkflowId STARTS_WITH '{stem}/' AND ExecutionStatus = 'Running'"
    while (await names.connection.client.count_workflows(waiting)).count > 2:
        pass  # lists lag behind
    with pytest.raises(BadInput, match="means 2 open arbitrations, name one"):
        await names.find_arbitration(stem)
