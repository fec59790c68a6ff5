"""Whatever a client sends to an arbitration: counted or refused, never dropped, never a wedge."""

import asyncio
import base64
import json
import shlex
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio
from temporalio.api.sdk.v1 import WorkflowMetadata
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.contradiction import Hearing
from tests.fakes.arbitrations import Arbitrated, a_case, arbitrate
from tests.fakes.commands import temporal
from tests.fakes.runs import serving
from tests.fakes.worlds import a_world

pytestmark = pytest.mark.xdist_group("arbitration-input")  # one process makes its fixtures


@dataclass(frozen=True)
class Court:
    """A worker that serves arbitrations, and the CLI that speaks to them."""

    environment: WorkflowEnvironment
    queue: str

    async def open(self) -> Arbitrated:
        case = a_case(run_id=f"run-{uuid.uuid4().hex[:8]}")
        with self.environment.with_time_skipping_disabled():
            return await arbitrate(self.environment.client, self.queue, case, case.run_id)

    async def temporal(self, *words: str) -> tuple[int, str]:
        return await temporal(self.environment.client.service_client.config.target_host, *words)

    async def signal(self, handle: Arbitrated, *words: str) -> int:
        where = ("--workflow-id", handle.id, "--name", "resolve")
        return (await self.temporal("workflow", "signal", *where, *words))[0]

    async def update(self, handle: Arbitrated, *words: str) -> tuple[int, str]:
        where = ("--workflow-id", handle.id, "--name", "rule")
        return await self.temporal("workflow", "update", "execute", *where, *words)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def court(environment: WorkflowEnvironment) -> AsyncIterator[Court]:
    """One worker for all tests here; when they are done, nothing is wedged."""
    queue = f"test-{uuid.uuid4().hex[:12]}"
    async with serving(environment.client, a_world(), queue):
        yield Court(environment, queue)
        await asyncio.sleep(1)  # lists of workflows are a second behind
        assert await wedged(environment.client, queue) == []


async def wedged(client: Client, queue: str) -> list[str]:
    filter_ = f"TemporalReportedProblems is not null and TaskQueue = '{queue}'"
    return [found.id async for found in client.list_workflows(filter_)]


async def hearing(handle: Arbitrated) -> Hearing:
    now: Hearing = await handle.query("hearing", result_type=Hearing)
    return now


async def settle(handle: Arbitrated) -> None:
    """Show that it still takes an answer."""
    await handle.execute_update("rule", {"ruling": "neither", "reason": "Both are outdated."})
    assert (await handle.result()).contradiction.ruling == "neither"


def inputs(*values: object) -> tuple[str, ...]:
    return tuple(word for value in values for word in ("--input", json.dumps(value)))


BYTES = base64.b64encode(b"... --- ...").decode()
BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "no argument": ((), "Nothing was sent"),
    "an unknown choice": (inputs({"ruling": "maybe", "reason": "why"}), "`ruling` must be"),
    "an unknown encoding": (
        ("--input", BYTES, "--input-base64", "--input-meta", "encoding=morse/code"),
        "cannot be read as JSON",
    ),
}


@pytest.mark.parametrize(("words", "says"), BAD.values(), ids=BAD.keys())
async def test_bad_signals_are_recorded(words: tuple[str, ...], says: str, court: Court) -> None:
    handle = await court.open()
    signalled, (code, said) = await asyncio.gather(
        court.signal(handle, *words), court.update(handle, *words)
    )
    assert signalled == 0
    assert code == 1
    assert says in said
    assert "Traceback" not in said
    now = await hearing(handle)
    assert (now.rejected, now.contradiction.is_open) == (1, True)
    assert says in now.rejections[0].reason
    await settle(handle)


async def test_the_command_on_the_board_answers(court: Court) -> None:
    handle = await court.open()
    metadata = await handle.query("__temporal_workflow_metadata", result_type=WorkflowMetadata)
    lines = [line.strip() for line in metadata.current_details.splitlines()]
    (command,) = [shlex.split(line) for line in lines if line.startswith("temporal ")]
    code, _ = await court.temporal(*command[1:])
    assert code == 0
    assert (await handle.result()).contradiction.decided_by == "your name"
