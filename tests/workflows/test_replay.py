"""Histories: today's code makes the same decisions, and a change goes behind a marker."""

import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from temporalio import workflow
from temporalio.client import WorkflowHistory
from temporalio.exceptions import ApplicationError
from temporalio.worker import (
    ExecuteWorkflowInput,
    Interceptor,
    Replayer,
    UnsandboxedWorkflowRunner,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions
from temporalio.workflow import NondeterminismError

from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.outcome import Outcome, Settlement
from caveat.workers.data import build_data_converter
from caveat.workflows.arbitration import Arbitration
from caveat.workflows.names import RESEARCH
from caveat.workflows.research.workflow import Research
from tests.fakes.impure import Impure
from tests.histories.record import name_run, read_history, record

End = Outcome | Settlement | ApplicationError
ENDS: list[End] = []
"""What the replayed runs came to: replaying itself compares decisions, not results."""


class Witness(WorkflowInboundInterceptor):
    async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:  # noqa: A002  # the SDK's name
        try:
            outcome = await super().execute_workflow(input)
        except ApplicationError as end:
            ENDS.append(end)
            raise
        ENDS.append(outcome)
        return outcome


class Witnessing(Interceptor):
    def workflow_interceptor_class(
        self,
        input: WorkflowInterceptorClassInput,  # noqa: A002  # the SDK's name
    ) -> type[WorkflowInboundInterceptor]:
        return Witness


async def replay(
    history: dict[str, Any], run_id: str, tmp_path: Path, research: type = Research
) -> End:
    ENDS.clear()
    replayer = Replayer(
        workflows=[research, Arbitration],
        data_converter=build_data_converter(FolderBlobs(tmp_path)),
        interceptors=[Witnessing()],
        workflow_runner=UnsandboxedWorkflowRunner(),  # so that the witness can be heard outside
    )
    await replayer.replay_workflow(WorkflowHistory.from_json(run_id, history))
    (end,) = ENDS
    return end


def is_stored_end(end: End, history: dict[str, Any]) -> None:
    last = history["events"][-1]
    if isinstance(end, ApplicationError):
        failure = last["workflowExecutionFailedEventAttributes"]["failure"]
        assert failure["applicationFailureInfo"]["type"] == end.type
        assert failure["message"] == end.message
    else:
        payloads = last["workflowExecutionCompletedEventAttributes"]["result"]["payloads"]
        assert end == type(end).model_validate_json(base64.b64decode(payloads[0]["data"]))


pytestmark = pytest.mark.xdist_group("replay")  # one process records the histories
ROOT = Path(__file__).parents[2]
Histories = dict[Path, dict[str, Any]]


@pytest.fixture(scope="module")
async def histories(tmp_path_factory: pytest.TempPathFactory) -> Histories:
    """What runs of this version write, and of each released one (docs/versions.md)."""
    target = tmp_path_factory.mktemp("histories")
    await record(target)
    stored = (ROOT / "tests" / "histories").glob("[0-9]*/*.json.gz")
    return {path: read_history(path) for path in sorted((*target.glob("*.json.gz"), *stored))}


def first_run(histories: Histories) -> tuple[str, dict[str, Any]]:
    return next(
        (name_run(file), each) for file, each in histories.items() if file.name == "whole.json.gz"
    )


def module_state() -> dict[str, str]:
    """What the modules of the workflows hold, written out."""
    return {
        f"{name}.{variable}": repr(value)
        for name, module in sorted(sys.modules.items())
        if name.startswith("caveat.workflows.")
        for variable, value in vars(module).items()
        if not variable.startswith("__")
    }


async def test_a_stored_history_replays_to_its_end(histories: Histories, tmp_path: Path) -> None:
    """`is_stored_end` fails where the end is another; a replay that differs raises."""
    before = module_state()
    for file, history in histories.items():
        is_stored_end(await replay(history, name_run(file), tmp_path), history)
    assert module_state() == before


PURE_ROOMS = ("contracts", "failures", "problem", "quantities", "rendering", "rules", "teams")
PURE = (
    "caveat.activities",  # named by workflows and never called in them
    "caveat.roles",  # as those
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
        data_converter=build_data_converter(FolderBlobs(tmp_path)),
        workflow_runner=SandboxedWorkflowRunner(restrictions=restrictions),
    )
    await replayer.replay_workflow(WorkflowHistory.from_json(run_id, history))


async def test_workflows_ask_no_clock_and_no_file(histories: Histories, tmp_path: Path) -> None:
    """The sandbox raises; workers do without it, since it would cost half of their time.

    Runs of today take each branch behind a marker, and those of the oldest version none of them.
    """
    oldest = min(path.parent for path in histories if path.is_relative_to(ROOT))
    for file, history in histories.items():
        if file.parent == oldest or not file.is_relative_to(ROOT):
            run_id = name_run(file)
            await replay_in_sandbox(json.dumps(history), run_id, tmp_path, Research, Arbitration)


async def test_the_sandbox_would_notice(histories: Histories, tmp_path: Path) -> None:
    run_id, history = first_run(histories)
    with pytest.raises(RuntimeError, match=r"time\.time"):
        await replay_in_sandbox(json.dumps(history), run_id, tmp_path, Impure)


async def test_changed_order_of_decisions_is_noticed(histories: Histories, tmp_path: Path) -> None:
    run_id, history = first_run(histories)
    changed = json.loads(json.dumps(history).replace('"name": "plan"', '"name": "search"'))
    assert changed != history
    with pytest.raises(NondeterminismError):
        await replay(changed, run_id, tmp_path)


async def test_a_change_without_its_marker_is_noticed(
    histories: Histories, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs that began before documents of a folder were read together read each alone."""
    before = [path for path in histories if path.parts[-2:] == ("0.1.0a1", "foldered.json.gz")]
    monkeypatch.setattr(workflow, "patched", lambda _: True)
    for file in before:
        with pytest.raises(NondeterminismError):
            await replay(histories[file], name_run(file), tmp_path)
    assert before


@workflow.defn(name=RESEARCH)
class Later(Research):
    """A later version, which begins a run with a timer, behind a marker."""

    @workflow.run
    async def run(self, *given: Any) -> Outcome:
        if workflow.patched("a-later-change"):
            await workflow.sleep(0.01)
        return await super().run(*given)


async def test_open_runs_go_on_behind_a_marker(histories: Histories, tmp_path: Path) -> None:
    """`is_stored_end` fails where the end is another; a replay that differs raises."""
    run_id, history = first_run(histories)
    is_stored_end(await replay(history, run_id, tmp_path, Later), history)
