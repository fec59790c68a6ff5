"""A run that names no folder searches the default of its worker, whoever does the rest of it."""

import asyncio
import io
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.clients.cli.conclusion import tell_conclusion
from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from caveat.workers.settings import Settings
from caveat.workers.wiring import wire_registry
from caveat.workers.worker import run_activity_workers, run_workflow_worker, serve_runs
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import Handle, start_run

pytestmark = pytest.mark.system


ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "examples" / "hubble-constant"
TOPIC = "What is the value of the Hubble constant, and why do measurements disagree?"


@asynccontextmanager
async def command(shared: Client, settings: Settings, queue: str) -> AsyncIterator[None]:
    """The worker of a command in a shell without any corpus, with a connection of its own."""
    client = await Client.connect(
        shared.service_client.config.target_host, data_converter=shared.data_converter
    )
    served = replace(wire_registry(settings), begins=False)
    async with (
        run_workflow_worker(client, served, queue),
        run_activity_workers(client, served, queue),
    ):
        yield


async def started(client: Client, run_id: str, queue: str, *, waits_s: int) -> Handle:
    request = {"topic": TOPIC, "arbitration_timeout": waits_s}
    return await start_run(client, queue, run_id, **request)


async def report_of(handle: Handle) -> Report:
    return (await asyncio.wait_for(handle.result(), PATIENCE_S)).report


async def test_any_worker_of_the_user_reads_what_the_first_could_open(
    environment: WorkflowEnvironment, settings: Settings, task_queue: str
) -> None:
    client = environment.client
    with_corpus = settings.model_copy(update={"corpus": (CORPUS,)})
    async with AsyncExitStack() as stack:
        stack.enter_context(environment.with_time_skipping_disabled())
        for _ in range(4):  # so that most tasks are not taken by the first
            await stack.enter_async_context(command(client, settings, task_queue))
        await stack.enter_async_context(serve_runs(client, wire_registry(with_corpus), task_queue))
        handle = await started(client, f"research-default-{task_queue}", task_queue, waits_s=1)
        report = await report_of(handle)
    assert report.failures == ()
    assert report.claims
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"```text\n(.*?)\n+\d+ sources read", readme, re.DOTALL)
    assert shown is not None
    said = io.StringIO()
    console = Console(file=said, width=100)
    tell_conclusion(console, console, Outcome(report=report), (), "http://127.0.0.1:1")
    # The second of this run is over: what a reader is asked needs review here.
    told = shown[1].replace("Sources disagree:", "Sources disagree (needs review):")
    for line in told.splitlines():  # sources are numbered as they are first cited
        assert re.sub(r"\[\d+\].*|…$", "", line).strip() in said.getvalue()
