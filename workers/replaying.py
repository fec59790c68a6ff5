"""How far this version of the workflow code agrees with what a run has done so far."""

from temporalio.api.enums.v1 import EventType
from temporalio.client import WorkflowHistory
from temporalio.converter import DataConverter
from temporalio.worker import Replayer, UnsandboxedWorkflowRunner

from caveat.workers.worker import WORKFLOWS


async def find_last_good_task(history: WorkflowHistory, converter: DataConverter) -> int | None:
    """Find the workflow task from which this version can go on.

    A longer piece of a history does not replay where a shorter one does not, so that halving finds
    the place in a few replays.

    Returns:
        The id of the event that ended the task, to which the run is reset; None where all of the
        history replays.
    """
    replayer = Replayer(
        workflows=WORKFLOWS,
        data_converter=converter,
        workflow_runner=UnsandboxedWorkflowRunner(),  # as workers run it, see decision 0003
    )

    async def replays(events: int) -> bool:
        piece = WorkflowHistory(history.workflow_id, history.events[:events])
        result = await replayer.replay_workflow(piece, raise_on_replay_failure=False)
        return result.replay_failure is None

    if await replays(len(history.events)):
        return None
    completed = EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
    ends = [place for place, each in enumerate(history.events) if each.event_type == completed]
    good, bad = 0, len(ends)  # before its first task nothing was decided that could differ
    while bad - good > 1:
        middle = (good + bad) // 2
        if await replays(ends[middle]):
            good = middle
        else:
            bad = middle
    return history.events[ends[good]].event_id
