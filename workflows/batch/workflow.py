"""A part of a large run: some of its sources, in a history of their own."""

import asyncio

from temporalio import workflow

from caveat.contracts.batch import Batch, Batched
from caveat.contracts.tasks import StudyTask
from caveat.workflows.delegation import delegate
from caveat.workflows.options import STUDY


@workflow.defn
class Studies:
    """Have so many sources read and analysed at once; what follows of them the run decides."""

    @workflow.run
    async def run(self, batch: Batch) -> Batched:
        """Give out a batch, and hand back how each of it ended."""
        tasks = batch.tasks if _is_part() else map(_without_grant, batch.tasks)
        done = await asyncio.gather(*(delegate(STUDY, task, batch.route) for task in tasks))
        return Batched(studies=tuple(done))


def part_of(run_id: str, number: int | str) -> str:
    """Return the id of a part of a run."""
    return f"{run_id}/studies-{number}"


def _is_part() -> bool:
    """Tell whether the run of its id has started this; whoever starts it alone opens no folder."""
    info = workflow.info()
    number = info.workflow_id.rpartition("-")[2]
    return info.parent is not None and info.workflow_id == part_of(info.parent.workflow_id, number)


def _without_grant(task: StudyTask) -> StudyTask:
    return task.model_copy(update={"grant": None})
