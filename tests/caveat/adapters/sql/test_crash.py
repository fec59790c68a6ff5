"""A worker that dies between its commit and its answer leaves one record, not two."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from caveat.activities.report import MemoryActivities
from caveat.adapters.sql.memory import SqlMemory
from caveat.contracts.envelope import Status
from caveat.contracts.outcome import RunRecord
from caveat.contracts.tasks import MemoryTask
from caveat.workers.signing import Signer
from tests.fakes.commands import ran
from tests.fakes.databases import count

pytestmark = pytest.mark.system
ROOT = Path(__file__).parents[4]
WORKER = """
import asyncio, os, signal, sys
from caveat.adapters.sql.memory import SqlMemory
from caveat.contracts.outcome import RunRecord
from tests.caveat.adapters.sql.test_crash import remembering

class Mortal(SqlMemory):
    async def remember(self, record):
        await super().remember(record)
        os.kill(os.getpid(), signal.SIGKILL)

record = RunRecord.model_validate_json(sys.argv[2])
asyncio.run(remembering(Mortal(sys.argv[1]), record, 1))
"""


async def remembering(memory: SqlMemory, record: RunRecord, attempt: int) -> Status:
    """Run the activity as Temporal would start its attempts."""
    environment = ActivityEnvironment()
    environment.info = replace(
        environment.info, workflow_id=record.run_id, activity_id="7", attempt=attempt
    )
    task = MemoryTask(task_id="remember", description="Remember the run", record=record)
    activities = MemoryActivities(memory, Signer(b"k" * 32))
    return (await environment.run(activities.remember, task)).status


async def test_a_repeated_attempt_leaves_one_record(url: str, record: RunRecord) -> None:
    killed = ran(sys.executable, "-c", WORKER, url, record.model_dump_json(), cwd=ROOT)
    assert (killed.returncode, killed.stdout) == (-9, ""), killed.stderr
    assert count(url, "runs") == 1
    assert await remembering(SqlMemory(url), record, 2) is Status.SUCCESS
    assert count(url, "runs") == 1
