"""The investigation: all angles of a run at once, within its deadline."""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import timedelta

from temporalio import workflow

from caveat.contracts.investigation import Findings, Scanned
from caveat.contracts.outcome import Evidence
from caveat.contracts.plan import Assignment, Plan, ResearchRequest
from caveat.contracts.tasks import ScanTask
from caveat.rules.evidence import every, joined, numbered, unclaimed
from caveat.rules.report import DIRECT, Disputed
from caveat.rules.run.extent import size
from caveat.rules.run.quorum import SeatStanding, Verdict, seat, verdict
from caveat.rules.sources import BAR, RELEVANT, bar
from caveat.workflows.options import SCAN
from caveat.workflows.research.angle import Angle
from caveat.workflows.research.follow_up import FollowUp
from caveat.workflows.research.run import Run
from caveat.workflows.research.sources import Sources
from caveat.workflows.research.state import State
from caveat.workflows.research.tasks import Tasks, cancel
from caveat.workflows.research.turns import Turns


class Investigation:
    """The angles of one run.

    Args:
        request: what was asked.
        corpus: folders to search.
        plan: the assignments.
        run: where everything is booked.
        tasks: where tasks are given out.
    """

    def __init__(
        self, request: ResearchRequest, corpus: tuple[str, ...], plan: Plan, run: Run, tasks: Tasks
    ) -> None:
        self._plan = plan
        self._corpus = corpus
        self._run = run
        self._tasks = tasks
        self._sources = Sources(run, tasks, request.max_sources)
        self._angles = [
            Angle(
                assignment=assignment,
                topic=request.topic,
                corpus=corpus,
                size=size(request.depth, len(plan.assignments), request.max_sources),
                sources=self._sources,
                tasks=tasks,
                run=run,
            )
            for assignment in plan.assignments
        ]
        self._begun: list[asyncio.Task[None]] = []
        self._revised: tuple[Findings, ...] | None = None

    async def carry_out(self, deadline: timedelta | None) -> None:
        """Investigate every assignment at once; read weaker sources where the run found little.

        Args:
            deadline: after this, assignments are left behind if the quorum holds without them.
        """
        tasks = self._begin(deadline)
        self._begun = tasks
        if deadline is not None:
            tasks = await self._in_time(deadline, tasks)
        await asyncio.gather(*tasks)
        await self._lower_the_bar()

    def _begin(self, deadline: timedelta | None) -> list["asyncio.Task[None]"]:
        """Begin with every angle; in turn where they share a bound that the corpus alone fills.

        Not where people wait for the web or for a model, nor where one may be left behind: whoever
        is fast does not wait for whoever is slow there.
        """
        inventory = self._run.state.inventory
        is_bounded = self._sources.places is not None
        is_free = not self._plan.reasoner.uses_language_model and self._tasks.budget.is_free
        is_local = inventory is not None and not inventory.beyond
        if not (is_bounded and is_free and is_local and deadline is None):
            return [asyncio.create_task(each.investigate()) for each in self._angles]
        turns = Turns(len(self._angles))
        return [
            asyncio.create_task(self._in_turn(each, number, turns))
            for number, each in enumerate(self._angles)
        ]

    async def _in_turn(self, angle: Angle, number: int, turns: Turns) -> None:
        if angle.assignment.is_elsewhere:
            turns.leave(number)
        try:
            await angle.investigate(number, turns)
        finally:
            turns.leave(number)

    def restore(self, earlier: Evidence, *, is_revision: bool) -> None:
        """Begin with the evidence of an earlier run.

        Args:
            earlier: what that run left.
            is_revision: whether rulings on its contradictions are all that is new, which name
                claims as that run did.
        """
        self._run.apply(State.restored)
        if is_revision:
            self._revised = earlier.findings
        for each, found in zip(self._angles, earlier.findings, strict=True):
            each.resume(found)

    async def take_up(self, follow_up: FollowUp) -> None:
        """Try again what failed in an earlier run."""
        await follow_up.take_up(self._angles)

    async def retry(self, assignment_ids: Collection[str]) -> None:
        """Try once more what failed in some assignments."""
        self._tasks.start_afresh()
        await asyncio.gather(
            *(
                each.take_up(each.findings().unfinished)
                for each in self._angles
                if each.assignment.id in assignment_ids
            )
        )

    async def heed(self) -> None:
        """Look into what people said that no angle's turn has come for."""
        state = self._run.state
        able = next((each for each in self._angles if each.can_go_on), None)
        if able is not None and state.heeded < len(state.advice):
            await able.heed_at_last()

    async def settle_copies(self) -> None:
        """Have of texts that are one the same one cited, whichever was read first.

        Not where finding it again takes a model's call, nor what an earlier run has cited.
        """
        may_replace = (
            not self._plan.reasoner.uses_language_model
            and self._tasks.budget.is_free
            and self._run.state.earlier is None
            and all(each.can_go_on for each in self._angles)
        )
        replaced = self._sources.settle_copies(may_replace=may_replace)
        await asyncio.gather(*(each.cite_copies(replaced) for each in self._angles))

    async def scan(self, asked: Disputed) -> bool:
        """Look through documents for what they state of a disputed quantity, read or not.

        Returns:
            Whether any of them states what no claim had.
        """
        state = self._run.state
        if not self._corpus or state.earlier is not None:
            return False
        sides = asked.contradiction.concerned
        claims = every(state.findings)
        stated = [claim.relevance for claim in claims if claim.id in sides]
        texts = {
            name: kept.reading.snapshot_sha256
            for name, kept in state.shelf.items()
            if kept.admitted and kept.reading is not None
        }
        task = ScanTask(
            task_id="scan",
            description=f"Look for more values of “{asked.about[:100]}”",
            corpus=self._corpus,
            about=asked.about,
            unit=asked.unit,
            relevance=min(stated, default=RELEVANT),
            # What was to be read and could not be has a failure of its own.
            read=tuple(sorted(name for name, kept in state.shelf.items() if kept.admitted)),
            texts=texts,
        )
        envelope = await self._tasks.do(SCAN, task)
        found = envelope.value or Scanned()
        added = [
            reading.source.id
            for reading in found.readings
            if self._sources.add(reading, f"values of “{asked.about}”")
        ]
        shelf = self._run.state.shelf
        trusted = {name: shelf[name].credibility.score for name in (*texts, *added)}
        self._sources.settle_copies(may_replace=False)
        more = [
            claim.model_copy(update={"credibility": trusted[claim.source_id]})
            for claim in unclaimed(found.claims, claims)
            if claim.source_id in trusted
        ]
        findings = joined(state.findings, self._own().id, more)
        self._run.apply(State.found, findings)
        return bool(more)

    def _own(self) -> Assignment:
        """The assignment that is the question itself, where there is one."""
        planned = self._plan.assignments
        return next((each for each in planned if each.title == DIRECT), planned[0])

    def pass_on(self, advice: str) -> None:
        """Tell agents at work elsewhere what a person says."""
        for each in self._angles:
            each.pass_on(advice)

    async def cut_short(self) -> None:
        """Stop everything that goes on, because the run was cancelled."""
        for begun in self._begun:
            await cancel(begun)
        await self._sources.give_up()
        for each in self._angles:
            each.cut_short()

    def verdict(self) -> Verdict:
        """Hold the assignments, as they stand, against the plan's quorum."""
        return verdict(self._plan.quorum, [seat(each.findings()) for each in self._angles])

    def findings(self) -> tuple[Findings, ...]:
        """What the assignments brought so far, in plan order, every claim with its name."""
        if self._revised is not None:
            return self._revised
        return numbered([each.findings() for each in self._angles])

    async def _lower_the_bar(self) -> None:
        lowered = bar(self._run.state.admitted)
        if lowered < BAR:
            await asyncio.gather(*(each.look_again(lowered) for each in self._angles))

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
        held: dict[int, bool] = {}  # by how many are done: to ask at every event takes longer

        def suffices() -> bool:
            done = sum(task.done() for task in tasks)
            if done not in held:
                held[done] = done == len(tasks) or self._holds_with(tasks)
            return held[done]

        await workflow.wait_condition(suffices)
        late = [number for number, task in enumerate(tasks) if not task.done()]
        for number in late:
            await cancel(tasks[number])
        # Whoever still waits for a reading is left behind, so nobody needs it any more.
        await self._sources.give_up()
        for number in late:
            self._angles[number].leave_behind()
        return [task for number, task in enumerate(tasks) if number not in late]

    def _holds_with(self, tasks: Sequence["asyncio.Task[None]"]) -> bool:
        """Whether those that are done make the quorum, critical ones among them."""
        seats = [
            seat(each.findings()).model_copy(
                update={} if task.done() else {"standing": SeatStanding.MISSING}
            )
            for each, task in zip(self._angles, tasks, strict=True)
        ]
        return verdict(self._plan.quorum, seats).suffices
