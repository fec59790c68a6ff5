"""Studies: a source of this machine is read and analysed in one step, each half recovered apart.

Two steps stay two where the reading takes time of its own (a page on the web would hold a place of
a model call for it, and each host has its breaker), and where a budget must know how long a text is
before it allows a call for it.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ChildWorkflowError, is_cancelled_exception

from caveat.contracts.batch import Batch, Batched
from caveat.contracts.claim import Analysis
from caveat.contracts.envelope import AgentType, Status, SubagentResult
from caveat.contracts.investigation import Study
from caveat.contracts.source import Reading
from caveat.contracts.tasks import AnalysisTask, ReadingTask, StudyTask
from caveat.workflows.delegation import delegate
from caveat.workflows.options import STUDY
from caveat.workflows.research.run import Run


def study_task(sought: AnalysisTask) -> StudyTask:
    """What is asked for when a source is to be read and analysed at once."""
    angle, title = sought.assignment.title[:100], sought.source.title[:100]
    return StudyTask(
        task_id=sought.task_id,
        description=f"Read “{title}” and find “{angle}” in it",
        analysis=sought,
    )


def reading_of(study: SubagentResult[Study], task: ReadingTask) -> SubagentResult[Reading]:
    """How the reading ended: what came to no reading failed in it."""
    facts = {
        "task_id": task.task_id,
        "agent_type": AgentType.READER,
        "task_description": task.description,
    }
    reading = study.value.reading if study.value else None
    if reading is not None:
        return SubagentResult[Reading](
            **facts, status=Status.SUCCESS, result=reading, completeness=1.0
        )
    return SubagentResult[Reading](
        **facts,
        status=Status.FAILED,
        completeness=0.0,
        failure=study.failure,
        attempts=study.attempts,
        usage=study.usage,
    )


def analysis_of(
    study: SubagentResult[Study], task: AnalysisTask
) -> SubagentResult[Analysis] | None:
    """How the analysis ended; None where it was not begun."""
    if study.value is None:
        return None
    found = study.value.analysis
    facts = {
        "task_id": task.task_id,
        "agent_type": AgentType.ANALYST,
        "task_description": task.description,
        "attempts": study.attempts,
        "usage": study.usage,
        "gaps": study.gaps,
        "reasoner": study.reasoner,
    }
    if study.failure is None:
        if found is None:
            return None
        return SubagentResult[Analysis](
            **facts, status=Status.SUCCESS, result=found, completeness=1.0
        )
    return SubagentResult[Analysis](
        **facts,
        status=Status.FAILED if found is None else Status.PARTIAL,
        partial_result=found,
        completeness=0.0 if found is None else study.completeness,
        failure=study.failure,
    )


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
