"""A part of a large run: some of its sources, in a history of their own."""

import asyncio

from temporalio import workflow

from caveat.contracts.batch import Batch, Batched
from caveat.workflows.delegation import delegate
from caveat.workflows.options import STUDY


@workflow.defn
class Studies:
    """Have so many sources read and analysed at once; what follows of them the run decides."""

    @workflow.run
    async def run(self, batch: Batch) -> Batched:
        """Give out a batch, and hand back how each of it ended."""
        done = await asyncio.gather(*(delegate(STUDY, task, batch.route) for task in batch.tasks))
        return Batched(studies=tuple(done))
