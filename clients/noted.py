"""What the memos of runs, arbitrations and schedules say, as far as it can be read here."""

from typing import Any

from temporalio.client import ScheduleListDescription, WorkflowExecution

from caveat.workers.keys import MissingKey
from caveat.workflows.names import SHOWN


async def noted(listed: WorkflowExecution | ScheduleListDescription) -> dict[str, Any]:
    """Read a memo; where its key is not here, a topic that names the key stands for all of it.

    A list must not end at the first that it cannot read.
    """
    try:
        return dict(await listed.memo())
    except MissingKey as missing:
        return {SHOWN: f"(encrypted with {missing.key})"}
