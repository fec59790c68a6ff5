"""Replays of stored histories, and what they come to."""

import base64
from pathlib import Path
from typing import Any

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

from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.outcome import Outcome, Settlement
from caveat.workers.data import build_data_converter
from caveat.workflows.arbitration import Arbitration
from caveat.workflows.research.workflow import Research

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
