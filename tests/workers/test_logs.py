"""Logs as lines of JSON, as something else reads them."""

import asyncio
import json
import logging
import subprocess
import sys
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError

from caveat.workers.telemetry import JsonLines
from caveat.workflows.names import QUEUE
from tests.fakes.home import DEADLINE_S, Home

pytestmark = pytest.mark.system

RUN = "research-logged-3fa9c1"


def written(record: logging.LogRecord) -> dict[str, Any]:
    line = JsonLines().format(record)
    assert "\n" not in line
    return dict(json.loads(line))


def record(message: str, **more: Any) -> logging.LogRecord:
    made = logging.LogRecord("caveat.somewhere", logging.WARNING, "", 0, message, (), None)
    vars(made).update(more)
    return made


def test_a_line_names_the_run_that_it_is_about() -> None:
    told = record(
        "two\nlines",
        temporal_activity={
            "workflow_id": f"{RUN}/contradiction-1",
            "workflow_run_id": "01a2",
            "activity_type": "notify",
            "attempt": 2,
        },
    )
    assert (
        written(told).items()
        >= {
            "message": "two\nlines",
            "level": "warning",
            "logger": "caveat.somewhere",
            "run": RUN,
            "workflow": f"{RUN}/contradiction-1",
            "activity": "notify",
            "attempt": 2,
        }.items()
    )


def test_what_is_about_no_run_names_none_and_what_was_raised_is_one_field() -> None:
    try:
        raise OSError("gone")  # noqa: TRY301  # what a record keeps
    except OSError:
        told = record("It failed.", exc_info=sys.exc_info())
    line = written(told)
    assert set(line) == {"time", "level", "logger", "message", "exception"}
    assert line["exception"].endswith("OSError: gone")


@pytest.fixture
def home(home: Home) -> Home:
    home.environment["CAVEAT_LOG"] = "json"
    return home


def up(home: Home) -> subprocess.Popen[str]:
    return home.begin("up")


def workers(home: Home) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "caveat.workers"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=home.folder,
        env=home.environment,
    )


@pytest.mark.parametrize("start", [up, workers])
async def test_every_line_of_what_serves_is_json_and_a_run_is_found_in_them(
    home: Home, start: Any
) -> None:
    process = start(home)
    first = json.loads(await asyncio.to_thread(process.stderr.readline))
    assert (first["logger"], first["level"]) == ("caveat.process", "info")
    client = await Client.connect(f"127.0.0.1:{home.environment['CAVEAT_PORT']}")
    request = {"topic": "What nobody wrote about"}
    handle = await client.start_workflow("Research", request, id=RUN, task_queue=QUEUE)
    with pytest.raises(WorkflowFailureError):
        await handle.result()
    process.terminate()
    _, rest = await asyncio.to_thread(process.communicate, timeout=DEADLINE_S)
    lines = [first, *map(json.loads, rest.splitlines())]
    assert all({"time", "level", "logger", "message"} <= set(each) for each in lines)
    (notice,) = [each for each in lines if each["logger"] == "caveat.notices"]
    assert (notice["run"], notice["kind"]) == (RUN, "failed")
    assert "?token=" not in rest
