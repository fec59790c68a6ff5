"""The fieldwork: all assignments of a run, investigated at once."""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import timedelta

from temporalio import workflow

from workflows.cancelling import cancelled
from workflows.desk import AGAIN, Desk
from workflows.following_up import FollowUp
from workflows.investigation import Investigation
from workflows.reading_room import ReadingRoom
from workflows.record import Record

with workflow.unsafe.imports_passed_through():
    from caveat.contracts.investigation import Findings
    from caveat.contracts.outcome import Evidence
    from caveat.contracts.plan import Plan, ResearchRequest
    from caveat.rules.admission import BAR, bar
    from caveat.rules.following_up import FIELDWORKERS
    from caveat.rules.numbering import numbered
    from caveat.rules.quorum import Standing, Verdict, seat, verdict
    from caveat.rules.sizes import SIZES


class Fieldwork:
    """The investigations of one run.

    Args:
        request: what was asked.
        corpus: folders to search.
        plan: the assignments.
        record: where everything is booked.
        desk: where tasks are given out.
    """

    def __init__(
        self,
        request: ResearchRequest,
        corpus: tuple[str, ...],
        plan: Plan,
        record: Record,
        desk: Desk,
    ) -> None:
        self._plan = plan
        self._record = record
        self._desk = desk
        self._room = ReadingRoom(record, desk, request.max_sources)
        self._investigations = [
            Investigation(
                assignment=assignment,
                topic=request.topic,
                corpus=corpus,
                size=SIZES[request.depth],
                room=self._room,
                desk=desk,
                record=record,
            )
            for assignment in plan.assignments
        ]
        self._begun: list[asyncio.Task[None]] = []

    async def carry_out(self, deadline: timedelta | None) -> None:
        """Investigate every assignment at once; read weaker sources where the run found little.

        Args:
            deadline: after this, assignments are left behind if the quorum holds without them.
        """
        tasks = [asyncio.create_task(each.investigate()) for each in self._investigations]
        self._begun = tasks
        if deadline is not None:
            tasks = await self._in_time(deadline, tasks)
        await asyncio.gather(*tasks)
        await self._lower_the_bar()

    def restore(self, earlier: Evidence) -> None:
        """Begin with the evidence of an earlier run."""
        self._record.shelf.update({kept.source.id: kept for kept in earlier.shelf})
        taken_over = [failed for failed in earlier.failures if failed.agent_type in FIELDWORKERS]
        self._record.failures += taken_over
        for failed in taken_over:  # a task of this run must not go by the name of one of that
            self._record.ids[failed.task_id.removesuffix(AGAIN)] += 1
        for each, found in zip(self._investigations, earlier.findings, strict=True):
            each.resume(found)

    async def take_up(self, follow_up: FollowUp) -> None:
        """Try again what failed in an earlier run."""
        await follow_up.take_up(self._investigations)

    async def retry(self, assignment_ids: Collection[str]) -> None:
        """Try once more what failed in some assignments."""
        self._desk.start_afresh()
        await asyncio.gather(
            *(
                each.take_up(each.findings().unfinished)
                for each in self._investigations
                if each.assignment.id in assignment_ids
            )
        )

    async def cut_short(self) -> None:
        """Stop everything that goes on, because the run was cancelled."""
        for begun in self._begun:
            await cancelled(begun)
        await self._room.give_up()
        for each in self._investigations:
            each.cut_short()

    def verdict(self) -> Verdict:
        """Hold the assignments, as they stand, against the plan's quorum."""
        return verdict(self._plan.quorum, [seat(found) for found in self.findings()])

    def findings(self) -> tuple[Findings, ...]:
        """What the assignments brought so far, in plan order, every claim with its name."""
        return numbered([each.findings() for each in self._investigations])

    async def _lower_the_bar(self) -> None:
        admitted = sum(kept.admitted for kept in self._record.shelf.values())
        lowered = bar(admitted)
        if lowered < BAR:
            await asyncio.gather(*(each.look_again(lowered) for each in self._investigations))

    async def _in_time(
        self, deadline: timedelta, tasks: Sequence["asyncio.Task[None]"]
    ) -> list["asyncio.Task[None]"]:
        """Wait for all until the deadline, then only for as many as make the quorum.

        Returns:
            Those that were done; the others were cancelled.
        """
        with suppress(TimeoutError):
            await workflow.wait_condition(
                lambda: all(task.done() for task in tasks),
                timeout=deadline,
                timeout_summary="Deadline of the investigation",
            )
        await workflow.wait_condition(
            lambda: all(task.done() for task in tasks) or self._holds_with(tasks)
        )
        late = [number for number, task in enumerate(tasks) if not task.done()]
        for number in late:
            await cancelled(tasks[number])
        # Whoever still waits for a reading is left behind, so nobody needs it any more.
        await self._room.give_up()
        for number in late:
            self._investigations[number].leave_behind()
        return [task for number, task in enumerate(tasks) if number not in late]

    def _holds_with(self, tasks: Sequence["asyncio.Task[None]"]) -> bool:
        """Whether those that are done make the quorum, critical ones among them."""
        seats = [
            seat(each.findings()).model_copy(
                update={} if task.done() else {"standing": Standing.MISSING}
            )
            for each, task in zip(self._investigations, tasks, strict=True)
        ]
        return verdict(self._plan.quorum, seats).suffices
