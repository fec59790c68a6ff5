"""What is done about runs on the page, on a real server: stopped, and tried again."""

import asyncio
import datetime as dt
import os
import re
from pathlib import Path

import httpx2
import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.clients.run_description import RunLine, RunStatus
from caveat.clients.runs import Runs
from caveat.clients.service import Service
from caveat.clients.web.runs import group_runs
from caveat.contracts.outcome import Outcome
from caveat.failures import unavailable
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings
from caveat.workflows.names import QUEUE
from tests.clients.web.conftest import ORIGIN, Browser, let_in
from tests.fakes.kept import keep
from tests.fakes.ports import World

AGAIN = "Try again what failed, and revise"
NOBODY = "nobody-polls-this-queue"


@pytest.fixture
def service(
    environment: WorkflowEnvironment, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Service:
    host = environment.client.service_client.config.target_host
    monkeypatch.setenv("TEMPORAL_ADDRESS", host)
    return Service(Connection(environment.client, None), settings)


async def begun(client: Client, queue: str) -> str:
    run_id = f"research-page-{os.urandom(3).hex()}"
    asked = {"topic": "alpha and beta", "formats": ["md"]}
    await client.start_workflow("Research", asked, id=run_id, task_queue=queue)
    return run_id


async def done(client: Client, run_id: str) -> Outcome:
    outcome: Outcome = await client.get_workflow_handle(run_id, result_type=Outcome).result()
    return outcome


async def pressed(visitor: httpx2.AsyncClient, path: str, **typed: str) -> httpx2.Response:
    return await visitor.post(path, data=typed, headers={"origin": ORIGIN})


async def confirmed(visitor: httpx2.AsyncClient, path: str) -> httpx2.Response:
    """Press without a script, be asked whether that is meant, and say yes."""
    asked = await pressed(visitor, path)
    assert asked.status_code == 200
    assert "Are you sure?" in asked.text
    ((name, value),) = re.findall('name="(sure)" value="([^"]+)"', asked.text)
    return await pressed(visitor, path, **{name: value})


async def test_what_failed_is_retried(browser: Browser, service: Service, world: World) -> None:
    client, visitor = service.connection.client, browser(service=service)
    await let_in(visitor)
    world.faults = busy_archive
    first = await begun(client, QUEUE)
    await done(client, first)
    opened = await visitor.get(f"/runs/{first}")
    assert opened.headers["location"] == f"/runs/{first}/report"
    assert AGAIN in (await visitor.get(f"/runs/{first}?show=run")).text
    world.faults = lambda kind, key: None

    answer = await pressed(visitor, f"/runs/{first}/follow-up")
    assert answer.status_code == 303, answer.text
    again = answer.headers["location"].removeprefix("/runs/")
    revision = (await done(client, again)).report.revision
    assert revision is not None
    assert revision.of == first
    assert AGAIN not in (await visitor.get(f"/runs/{again}?show=run")).text
    forward = f'<a href="/runs/{again}/report">see the revision</a>'
    await appears(visitor, forward, f"/runs/{first}/report")
    assert "see the revision" not in (await visitor.get(f"/runs/{again}/report")).text

    nothing = await pressed(visitor, f"/runs/{again}/follow-up")
    assert nothing.status_code != 303
    assert "a follow-up could try again" in nothing.text


async def test_a_form_that_is_sent_twice_starts_one_run(
    browser: Browser, service: Service, world: World, tmp_path: Path
) -> None:
    """At once and after its run has ended, until something in it or the form itself is another."""
    service.settings = service.settings.model_copy(update={"corpus": (tmp_path,)})
    client, visitor = service.connection.client, browser(service=service)
    await let_in(visitor)

    async def sent(path: str, once: str, **typed: str) -> str:
        data = {"once": once, **typed}
        answer = await visitor.post(path, data=data, headers={"origin": ORIGIN})
        assert answer.status_code == 303, answer.text
        return answer.headers["location"].removeprefix("/runs/")

    once = (await visitor.get("/ask")).text.split('name="once" value="')[1].split('"')[0]
    asked = {"topic": "alpha and beta", "depth": "overview"}
    first, second = await asyncio.gather(*[sent("/ask", once, **asked) for _ in range(2)])
    assert first == second
    await done(client, first)
    execution = (await client.get_workflow_handle(first).describe()).run_id
    assert await sent("/ask", once, **asked) == first
    assert (await client.get_workflow_handle(first).describe()).run_id == execution
    assert await sent("/ask", once, **asked | {"depth": "deep"}) != first
    assert await sent("/ask", "another form", **asked) != first

    world.faults = busy_archive
    failed = await begun(client, QUEUE)
    await done(client, failed)
    path = f"/runs/{failed}/follow-up"
    shown = (await visitor.get(f"/runs/{failed}?show=run")).text
    once = shown.split('name="once" value="')[1].split('"')[0]
    one, other = await asyncio.gather(*[sent(path, once) for _ in range(2)])
    assert one == other


def busy_archive(kind: str, key: str) -> None:
    if (kind, key) == ("read", "page 1"):
        raise unavailable("The archive is busy.", resource="page 1")


async def appears(visitor: httpx2.AsyncClient, words: str, path: str, **asked: str) -> None:
    """Wait until a page, which is a moment behind what happens, says something."""
    while words not in (await visitor.get(path, params=asked)).text:  # noqa: ASYNC110  # over HTTP
        await asyncio.sleep(0.2)


async def listed(visitor: httpx2.AsyncClient, words: str, state: str) -> str:
    """The list of the runs of one state whose names begin so."""
    shown: str = (await visitor.get("/runs", params={"q": words, "state": state})).text
    return shown


async def test_a_run_that_goes_on_is_cancelled_at_press(browser: Browser, service: Service) -> None:
    client, visitor = service.connection.client, browser(service=service)
    await let_in(visitor)
    run_id = await begun(client, NOBODY)
    shown = (await visitor.get(f"/runs/{run_id}")).text
    assert re.search(rf'action="/runs/{run_id}/cancel".*Cancel this run', shown)
    assert AGAIN not in shown

    answer = await confirmed(visitor, f"/runs/{run_id}/cancel")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/runs/{run_id}?show=run")
    handle = client.get_workflow_handle(run_id)
    events = {each.event_type async for each in handle.fetch_history_events()}
    assert EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED in events

    assert f"/runs/{run_id}" in await listed(visitor, run_id, "running")
    await handle.terminate("enough")
    await appears(visitor, f"/runs/{run_id}", "/runs", q=run_id, state="terminated")
    assert f"/runs/{run_id}" not in await listed(visitor, run_id, "running")
    assert "terminated 1" in await listed(visitor, run_id, "")
    late = await confirmed(visitor, f"/runs/{run_id}/cancel")
    assert "has ended already" in late.text
    assert "Cancel this run" not in (await visitor.get(f"/runs/{run_id}")).text


async def test_a_run_that_has_ended_is_deleted_at_a_press(
    browser: Browser, service: Service, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, visitor = service.connection.client, browser(service=service)
    await let_in(visitor)
    going = await begun(client, NOBODY)
    assert "Delete this run" not in (await visitor.get(f"/runs/{going}")).text
    refused = await confirmed(visitor, f"/runs/{going}/delete")
    assert "cancel it first" in refused.text
    await client.get_workflow_handle(going).terminate("enough")

    run_id = await begun(client, QUEUE)
    keep(service.settings, (await done(client, run_id)).report)
    await appears(visitor, f"/runs/{run_id}", "/runs", q=run_id, state="completed")
    shown = (await visitor.get(f"/runs/{run_id}?show=run")).text
    assert f'action="/runs/{run_id}/delete"' in shown
    answer = await confirmed(visitor, f"/runs/{run_id}/delete")
    assert answer.status_code == 303
    assert answer.headers["location"] in {"/runs", "/runs?deleted=soon"}  # it ended just now
    assert not (service.settings.reports_folder / run_id).exists()

    async def keeps(*_: object) -> bool:
        return False

    monkeypatch.setattr(Runs, "delete", keeps)  # as a server of one's own, for half a minute
    answer = await confirmed(visitor, f"/runs/{run_id}/delete")
    assert answer.headers["location"] == "/runs?deleted=soon"
    assert "Deleted." in (await visitor.get(answer.headers["location"])).text


def a_line(run_id: str, minute: int, **changes: object) -> RunLine:
    started = dt.datetime(2026, 3, 14, 9, minute, tzinfo=dt.UTC)
    line = RunLine(run_id=run_id, topic=run_id, status=RunStatus.COMPLETED, started=started)
    return line.model_copy(update=changes)


def test_revisions_and_questions_stand_under_the_run_that_they_go_back_to() -> None:
    lines = [
        a_line("r-again", 3, revises="r-late"),
        a_line("other", 4, confidence=0.8, topic="Alpha"),
        a_line("r", 0, confidence=0.9),
        a_line("r-late", 1, revises="r"),
        a_line("r-ask-3fa9c1", 2),
        a_line("lost", 5, revises="of another page"),
    ]

    def names(sort: str = "") -> list[tuple[str, list[str]]]:
        found = group_runs(lines, sort)
        return [(head.run_id, [each.run_id for each in later]) for head, later in found]

    r = ("r", ["r-late", "r-ask-3fa9c1", "r-again"])
    assert names() == [r, ("other", []), ("lost", [])]
    assert names("start") == [("lost", []), ("other", []), r]
    assert names("confidence") == [r, ("other", []), ("lost", [])]
    assert names("topic") == [("other", []), ("lost", []), r]
    round_ = [a_line("a", 0, revises="b"), a_line("b", 1, revises="a")]
    assert {head.run_id for head, _ in group_runs(round_)} == {"a", "b"}
