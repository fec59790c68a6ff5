"""Logs as lines of JSON, as something else reads them."""

import asyncio
import json
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError

from caveat.workflows.names import QUEUE
from tests.fakes.free_ports import free_port
from tests.fakes.home import DEADLINE_S, Home

pytestmark = pytest.mark.system
RUN = "research-logged-3fa9c1"


@pytest.fixture
def home(home: Home) -> Home:
    home.environment["CAVEAT_METRICS"] = f"127.0.0.1:{free_port()}"
    return home


async def test_every_line_of_what_serves_is_json_and_a_run_is_found_in_them(home: Home) -> None:
    process: Any = home.begin("up")
    lines = [json.loads(await asyncio.to_thread(process.stderr.readline))]
    while lines[-1]["message"].startswith("Reaching"):  # said where the machine is busy
        lines.append(json.loads(await asyncio.to_thread(process.stderr.readline)))
    first = lines[-1]
    assert (first["logger"], first["level"]) == ("caveat.process", "info")
    client = await Client.connect(f"127.0.0.1:{home.environment['CAVEAT_PORT']}")
    request = {"topic": "What nobody wrote about"}
    handle = await client.start_workflow("Research", request, id=RUN, task_queue=QUEUE)
    with pytest.raises(WorkflowFailureError):
        await handle.result()
    process.terminate()
    _, rest = await asyncio.to_thread(process.communicate, timeout=DEADLINE_S)
    lines += map(json.loads, rest.splitlines())
    assert all({"time", "level", "logger", "message"} <= set(each) for each in lines)
    notices = [each for each in lines if each["logger"] == "caveat.notices"]
    assert {(each["run"], each["kind"]) for each in notices} == {(RUN, "failed")}
    assert "?token=" not in rest
