"""How a worker says how it is: to process managers, and to the server."""

import asyncio
import urllib.error
import urllib.request

import pytest
from temporalio import workflow
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.workers.health import serve_health
from caveat.workers.worker import Registry, run_workflow_worker
from tests.fakes.free_ports import free_port
from tests.fakes.home import DEADLINE_S

pytestmark = pytest.mark.system


@workflow.defn(sandboxed=False)
class Idle:
    @workflow.run
    async def run(self) -> None: ...


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


async def test_a_worker_is_alive_and_ready_once_seen(environment: WorkflowEnvironment) -> None:
    address = f"127.0.0.1:{free_port()}"
    # An identity of its own: other tests have polled this queue.
    config = environment.client.config(active_config=True)
    mine = await Client.connect(
        config["service_client"].config.target_host, identity=f"health-{free_port()}"
    )
    async with serve_health(mine, address):
        assert await asked(address, "/livez") == (200, "ok\n")
        assert (await asked(address, "/readyz"))[0] == 503
        async with run_workflow_worker(mine, NOTHING):
            await comes_true(address, "/readyz")
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
