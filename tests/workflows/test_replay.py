"""Stored histories: today's code makes the same decisions, and comes to the stored result."""

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from temporalio import workflow
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions
from temporalio.workflow import NondeterminismError

from caveat.adapters.files.blobs import FolderBlobs
from caveat.workers.data import data_converter
from caveat.workflows.arbitration.workflow import Arbitration
from caveat.workflows.research.workflow import Research
from tests.fakes.replays import RUN_IDS, is_stored_end, replay

ROOT = Path(__file__).parents[2]

RELEASES = sorted(path for path in (ROOT / "tests" / "histories").glob("[0-9]*") if path.is_dir())
"""What each version wrote that people have, in a folder of its name (docs/versions.md)."""

HISTORIES = sorted((path for each in RELEASES for path in each.glob("*.json")), reverse=True)
"""A run first: one of the tests changes its order."""


def name_of(path: Path) -> str:
    """Name a history, for whoever reads that it does not replay."""
    return f"{path.parent.name}-{path.stem}"


RELEASED = re.compile(r"^## \[([0-9][^\]]*)\] - ", re.MULTILINE)
"""How the changelog heads what was released."""


@pytest.mark.parametrize("path", HISTORIES, ids=name_of)
async def test_a_stored_history_replays_to_its_stored_end(path: Path, tmp_path: Path) -> None:
    history = json.loads(path.read_text(encoding="utf-8"))
    is_stored_end(await replay(history, RUN_IDS[path.stem], tmp_path), history)


PURE_ROOMS = ("contracts", "failures", "problem", "quantities", "rendering", "rules", "teams")

PURE = (
    "caveat.activities",  # named by workflows and never called in them
    # Pure rules and contracts, checked by the import rules.
    *(f"caveat.{name}" for name in PURE_ROOMS),
    "pydantic",  # slow to import, and a model class must be one and the same on both sides
    "pydantic_core",  # compiled: an extension module cannot be imported twice
    "annotated_types",  # compared by identity in Pydantic's schemas
)
"""Modules that the sandbox does not import anew for each run."""


async def replay_in_sandbox(history: str, run_id: str, tmp_path: Path, *classes: type) -> None:
    restrictions = SandboxRestrictions.default.with_passthrough_modules(*PURE)
    replayer = Replayer(
        workflows=classes,
        data_converter=data_converter(FolderBlobs(tmp_path)),
        workflow_runner=SandboxedWorkflowRunner(restrictions=restrictions),
    )
    await replayer.replay_workflow(WorkflowHistory.from_json(run_id, history))


@pytest.mark.parametrize("path", HISTORIES, ids=name_of)
async def test_workflow_code_asks_no_clock_and_touches_no_file(path: Path, tmp_path: Path) -> None:
    """Workers run it without the sandbox, which would cost half of their time."""
    history = path.read_text(encoding="utf-8")
    await replay_in_sandbox(history, RUN_IDS[path.stem], tmp_path, Research, Arbitration)


@workflow.defn(name="Research")
class Impure:
    @workflow.run
    async def run(self, *given: Any) -> float:
        return time.time()


async def test_the_sandbox_would_notice(tmp_path: Path) -> None:
    history = HISTORIES[0].read_text(encoding="utf-8")
    with pytest.raises(RuntimeError, match=r"time\.time"):
        await replay_in_sandbox(history, RUN_IDS[HISTORIES[0].stem], tmp_path, Impure)


def module_state() -> dict[str, str]:
    """What the modules of the workflows hold, written out."""
    return {
        f"{name}.{variable}": repr(value)
        for name, module in sorted(sys.modules.items())
        if name.startswith("caveat.workflows.")
        for variable, value in vars(module).items()
        if not variable.startswith("__")
    }


async def test_runs_leave_nothing_behind_in_the_modules_that_they_share(tmp_path: Path) -> None:
    before = module_state()
    for path in HISTORIES:
        history = json.loads(path.read_text(encoding="utf-8"))
        await replay(history, RUN_IDS[path.stem], tmp_path)
    assert module_state() == before


async def test_a_changed_order_of_decisions_is_noticed(tmp_path: Path) -> None:
    history = json.loads(HISTORIES[0].read_text(encoding="utf-8"))
    for event in history["events"]:
        attributes = event.get("activityTaskScheduledEventAttributes")
        if attributes and attributes["activityType"]["name"] == "plan":
            attributes["activityType"]["name"] = "search"
    with pytest.raises(NondeterminismError):
        await replay(history, RUN_IDS[HISTORIES[0].stem], tmp_path)


def test_every_released_version_left_its_histories() -> None:
    """This version's are recorded with its release: until then runs of no other people have it."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert {path.name for path in RELEASES} == set(RELEASED.findall(changelog))


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name)
def test_there_are_histories_of_every_sort(release: Path) -> None:
    assert {path.stem for path in release.glob("*.json")} == set(RUN_IDS)
