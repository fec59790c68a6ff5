"""Batches: a large run gives its studies out in workflows of their own: its history stays small."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ChildWorkflowError, is_cancelled_exception

from caveat.contracts.batch import Batch, Batched
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.investigation import Study
from caveat.contracts.tasks import StudyTask
from caveat.workflows.batch.workflow import Studies, part_of
from caveat.workflows.delegation import delegate
from caveat.workflows.options import STUDY
from caveat.workflows.research.run import Run

BATCH = 20
"""Studies of a workflow of its own: 5,000 sources are 250 of them, a fortieth of what a history may
hold, and no study waits for more than 19 others."""

AT_ONCE = 50
"""Batches at once, of 32 KB each: what one workflow task gives out may not pass 4 MB, and a
thousand studies keep any worker busy."""

Waiting = tuple[StudyTask, "asyncio.Future[SubagentResult[Study]]"]


@dataclass
class Batches:
    """The studies of a run on their way.

    Attributes:
        run: whose they are.
        is_large: whether it has so many that they are given out in batches.
    """

    run: Run
    is_large: bool = False
    _waiting: list[Waiting] = field(default_factory=list)
    _going_on: set["asyncio.Task[None]"] = field(default_factory=set)
    _begun: int = 0
    _places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def study(self, task: StudyTask) -> SubagentResult[Study]:
        """Have a source analysed, and read before where its text is not named."""
        if not self.is_large:
            return await delegate(STUDY, task, self.run.state.route)
        ended: asyncio.Future[SubagentResult[Study]] = asyncio.get_running_loop().create_future()
        self._waiting.append((task, ended))
        if len(self._waiting) == 1:
            self._go_on(asyncio.create_task(self._give_out()))
        return await ended

    async def _give_out(self) -> None:
        # Until nothing else goes on in this workflow task: what a search found comes all at once.
        await workflow.wait_condition(lambda: True)
        waiting, self._waiting = self._waiting, []
        for begin in range(0, len(waiting), BATCH):
            some = waiting[begin : begin + BATCH]
            self._go_on(asyncio.create_task(self._do(some)))

    def _go_on(self, task: "asyncio.Task[None]") -> None:
        self._going_on.add(task)
        task.add_done_callback(self._going_on.discard)

    async def _do(self, some: Sequence[Waiting]) -> None:
        """Have a batch done, until nobody waits for any of it."""
        async with self._places:
            await self._done_for(some)

    async def _done_for(self, some: Sequence[Waiting]) -> None:
        batch = Batch(route=self.run.state.route, tasks=tuple(task for task, _ in some))
        doing = asyncio.create_task(self._done(batch))
        nobody = asyncio.gather(*(ended for _, ended in some), return_exceptions=True)
        either: list[asyncio.Future[Any]] = [doing, nobody]
        await workflow.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            doing.cancel()
            with suppress(asyncio.CancelledError, ChildWorkflowError):
                await doing
            return
        for (_, ended), study in zip(some, doing.result(), strict=True):
            if not ended.done():
                ended.set_result(study)

    async def _done(self, batch: Batch) -> tuple[SubagentResult[Study], ...]:
        self._begun += 1
        try:
            done: Batched = await workflow.execute_child_workflow(
                Studies.run,
                batch,
                id=part_of(self.run.state.run_id, self._begun),
                static_summary=f"{len(batch.tasks)} sources, from “"
                f"{batch.tasks[0].analysis.source.title[:100]}” on",
            )
        except ChildWorkflowError as error:
            if is_cancelled_exception(error):
                raise
            problem = f"its part of the run ended ({type(error.cause).__name__})."
            return _lost(batch, problem)
        return done.studies if done.problem is None else _lost(batch, done.problem)


def _lost(batch: Batch, problem: str) -> tuple[SubagentResult[Study], ...]:
    return tuple(SubagentResult[Study].when_lost(problem) for _ in batch.tasks)
