"""A worker that dies between its commit and its answer leaves one record, not two."""

import subprocess
import sys
from pathlib import Path

import pytest

from caveat.contracts.outcome import RunRecord
from tests.fakes.commands import ran
from tests.fakes.databases import count

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[4]

WORKER = """
import asyncio, os, signal, sys
from dataclasses import replace
from temporalio.testing import ActivityEnvironment
from caveat.activities.keeping import MemoryActivities
from caveat.adapters.sql.memory import SqlMemory
from caveat.contracts.outcome import RunRecord
from caveat.contracts.tasks import MemoryTask

url, record, attempt = sys.argv[1], RunRecord.model_validate_json(sys.argv[2]), int(sys.argv[3])

class Mortal(SqlMemory):
    async def remember(self, record):
        await super().remember(record)
        if attempt == 1:
            os.kill(os.getpid(), signal.SIGKILL)

environment = ActivityEnvironment()
environment.info = replace(
    environment.info, workflow_id=record.run_id, activity_id="7", attempt=attempt
)
task = MemoryTask(task_id="remember", description="Remember the run", record=record)
result = asyncio.run(environment.run(MemoryActivities(Mortal(url), None).remember, task))
print(result.status)
"""


def attempt(url: str, record: RunRecord, number: int) -> subprocess.CompletedProcess[str]:
    """Run the activity in a process of its own, as Temporal would start its attempts."""
    written = record.model_dump_json()
    return ran(sys.executable, "-c", WORKER, url, written, str(number), cwd=ROOT)


@pytest.fixture
def left_by_the_dead(url: str, record: RunRecord) -> str:
    killed = attempt(url, record, 1)
    assert (killed.returncode, killed.stdout) == (-9, "")
    return url


def test_a_repeated_attempt_leaves_one_record(left_by_the_dead: str, record: RunRecord) -> None:
    url = left_by_the_dead
    assert count(url, "runs") == 1
    again = attempt(url, record, 2)
    assert (again.returncode, again.stdout) == (0, "success\n"), again.stderr
    assert count(url, "runs") == 1
