"""A workflow id that is used twice: each run keeps its report and its evidence."""

import asyncio
from pathlib import Path

import pytest
from temporalio.client import WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from caveat.workers.settings import Settings
from caveat.workers.wiring import wire_registry
from caveat.workers.worker import serve_runs
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import start_run

pytestmark = pytest.mark.system

CORPUS = Path(__file__).parents[2] / "examples" / "hubble-constant"


async def test_the_files_of_the_first_run_stay_beside_those_of_the_second(
    environment: WorkflowEnvironment, settings: Settings, task_queue: str
) -> None:
    served = wire_registry(settings.model_copy(update={"corpus": (CORPUS,)}))
    run_id, client = f"research-twice-{task_queue}", environment.client
    topics = ("How large is the Hubble constant?", "What do distance ladders measure?")
    began: list[str] = []
    with environment.with_time_skipping_disabled():
        async with serve_runs(client, served, task_queue):
            for topic in topics:
                handle: WorkflowHandle[object, Outcome] = await start_run(
                    client, task_queue, run_id, topic=topic, arbitration_timeout=1, depth="overview"
                )
                await asyncio.wait_for(handle.result(), PATIENCE_S)
                began.append(handle.first_execution_run_id or "")
    folder = settings.reports_folder / run_id
    found = [
        Report.model_validate_json((place / "report.json").read_bytes()).topic
        for place in (folder / began[0], folder)
    ]
    assert tuple(found) == topics
    assert (folder / began[0] / "evidence.json").exists()
