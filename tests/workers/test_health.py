"""How a worker says how it is: to process managers, and to the server."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from copy import copy

import pytest
from temporalio import workflow
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.workers.health import serve_health
from caveat.workers.launching import find_temporal_binary
from caveat.workers.settings import Settings, SettingsProblem
from caveat.workers.worker import Registry, run_workflow_worker
from tests.fakes.free_ports import free_port
from tests.fakes.home import DEADLINE_S, Home

pytestmark = pytest.mark.system


@workflow.defn(sandboxed=False)
class Idle:
    @workflow.run
    async def run(self) -> None: ...


SOON_S = 40  # well below the minute after which the SDK's own default lists a worker

NOTHING = Registry(workflows=(Idle,), reasoning=(), fetching=())


async def asked(address: str, path: str) -> tuple[int, str]:
    def ask() -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://{address}{path}", timeout=DEADLINE_S) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()
        except urllib.error.URLError:
            return 0, "nobody is there yet"

    return await asyncio.to_thread(ask)


async def test_a_worker_lives_while_it_runs_and_is_ready_once_the_server_sees_it(
    environment: WorkflowEnvironment,
) -> None:
    address = f"127.0.0.1:{free_port()}"
    # An identity of its own: other tests have polled this queue.
    config = environment.client.config(active_config=True)
    mine = await Client.connect(
        config["service_client"].config.target_host, identity=f"health-{free_port()}"
    )
    async with serve_health(mine, address):
        assert await asked(address, "/livez") == (503, "A worker of this process has ended.\n")
        assert (await asked(address, "/readyz"))[0] == 503
        async with run_workflow_worker(mine, NOTHING):
            await comes_true(address, "/livez")
            await comes_true(address, "/readyz")
        assert (await asked(address, "/livez"))[0] == 503
        assert (await asked(address, "/elsewhere"))[0] == 404


async def comes_true(address: str, path: str) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while (await asked(address, path)) != (200, "ok\n"):  # noqa: ASYNC110  # over HTTP
            await asyncio.sleep(0.05)


async def test_without_its_server_it_is_not_ready() -> None:
    away = await Client.connect(f"127.0.0.1:{free_port()}", lazy=True)
    address = f"127.0.0.1:{free_port()}"
    async with serve_health(away, address):
        status, said = await asked(address, "/readyz")
    assert status == 503
    assert said.startswith("The Temporal server does not answer")


@pytest.mark.parametrize("address", ["nowhere", "127.0.0.1:99999", "192.0.2.1:9465", ":x"])
async def test_where_nothing_can_listen_is_said(
    environment: WorkflowEnvironment, address: str
) -> None:
    with pytest.raises(SettingsProblem, match=f"above CAVEAT_METRICS, at {address}, where nothing"):
        async with serve_health(environment.client, address):
            pass


@pytest.fixture
def home(home: Home) -> Home:
    """A machine that says how its processes are."""
    home = copy(home)
    home.environment = {**home.environment, "CAVEAT_METRICS": f"127.0.0.1:{free_port()}"}
    return home


@pytest.fixture
def watched(home: Home) -> Iterator[Home]:
    """A machine on which `caveat up` runs."""
    with home.serving():
        yield home


async def test_the_server_lists_the_workers_of_a_process_and_each_says_that_it_is_well(
    watched: Home,
) -> None:
    address = Settings(metrics=watched.environment["CAVEAT_METRICS"]).health or ""
    await comes_true(address, "/readyz")
    async with asyncio.timeout(SOON_S):
        while not are_all_there(await listed(watched)):  # noqa: ASYNC110  # of a command
            await asyncio.sleep(0.5)
    assert (await asked(address, "/livez"))[0] == 200


def are_all_there(queues: set[str]) -> bool:
    """Whether what decides and what reasons are listed; who started first is listed ahead."""
    return "caveat" in queues and any(
        each.startswith("caveat-reason.extractive") for each in queues
    )


async def listed(home: Home) -> set[str]:
    """Ask as people do: `temporal worker list`."""
    process = await asyncio.create_subprocess_exec(
        *(str(find_temporal_binary()), "worker", "list", "--output", "json"),
        *("--address", f"127.0.0.1:{home.environment['CAVEAT_PORT']}"),
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    return {each["workerHeartbeat"]["taskQueue"] for each in json.loads(out or b"[]") or ()}
