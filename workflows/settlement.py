"""The docket: every contradiction of a run, from its detection to its last ruling."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from temporalio import workflow
from temporalio.common import SearchAttributePair, TypedSearchAttributes
from temporalio.exceptions import ChildWorkflowError, FailureError

from workflows.arbitration import Arbitration
from workflows.attributes import OPEN_CONTRADICTIONS, TOPIC
from workflows.desk import Desk
from workflows.funds import LeftOut
from workflows.options import COMPARE_BY_RULES, DETECT, RULINGS
from workflows.record import Record

with workflow.unsafe.imports_passed_through():
    from activities.detection import Detector
    from activities.rulings import Clerk
    from caveat.contracts.contradiction import (
        Case,
        Contradiction,
        Disagreement,
        Ruling,
        RulingRecord,
        Side,
    )
    from caveat.contracts.plan import Assignment
    from caveat.contracts.report import Method
    from caveat.contracts.settlement import Settlement
    from caveat.contracts.tasks import DetectionTask, RulingsTask
    from caveat.rules import ladder
    from caveat.rules.claimants import claimant

Arbitrating = workflow.ChildWorkflowHandle[Arbitration, Settlement]


@dataclass
class Docket:
    """The contradictions of one run.

    Attributes:
        record: where they are kept.
        desk: where tasks are given out.
    """

    record: Record
    desk: Desk
    _asked: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _handles: dict[str, Arbitrating] = field(default_factory=dict)

    async def detect(self, topic: str, assignments: Sequence[Assignment]) -> None:
        """Find the claims that disagree: by rules where a model fails or has no room.

        Rules cost nothing, so that no bound and no provider leaves the claims uncompared.
        """
        task = DetectionTask(
            task_id="detect",
            description="Find the claims that disagree",
            topic=topic,
            assignments=tuple(assignments),
            claims=self.record.claims(),
            sources=tuple(self.record.sources().values()),
        )
        found = await self._found(task)
        if found is None:
            by_code = task.model_copy(update={"task_id": "detect-by-rules", "by_code": True})
            self.record.carried_out(comparison=Method.RULES)
            found = (await self.desk.attend(Detector.detect, by_code, COMPARE_BY_RULES)).result
        if found is None:
            self.record.carried_out(comparison=Method.NONE)
        for contradiction in ladder.opened(found or ()):
            self._put(contradiction)

    async def _found(self, task: DetectionTask) -> tuple[Disagreement, ...] | None:
        """What the reasoner finds; None where it failed or has no room."""
        try:
            return (await self.desk.attend(Detector.detect, task, DETECT)).result
        except LeftOut as left:
            agent = DETECT.agent
            self.record.book_left_out(left.bound, agent, task.task_id, task.description)
            return None

    async def settle(self, time_to_rule: timedelta) -> None:
        """Settle what the rules can settle, and ask people about the rest, all at once.

        Returns when everybody can answer: a report names no arbitration that is not there yet.

        Args:
            time_to_rule: how long a person may take.
        """
        for each in self.record.open_contradictions():
            self._put(ladder.by_evidence(each, self._sides(each, ()), workflow.now()))
        rulings = await self._rulings()
        for each in self.record.open_contradictions():
            self._put(ladder.by_track_record(each, self._sides(each, rulings), workflow.now()))
        self._carry_over()
        for each in self.record.open_contradictions():
            case = Case(
                run_id=self.record.run_id,
                topic=self.record.topic,
                contradiction=each.model_copy(
                    update={
                        "arbitration": f"{self.record.run_id}/{each.id}",
                        "deadline": workflow.now() + time_to_rule,
                    }
                ),
                sides=self._sides(each, rulings),
                timeout=time_to_rule,
                route=self.record.route,
            )
            self._asked[each.id] = asyncio.create_task(self._ask(case))
        await workflow.wait_condition(self._all_asked)

    async def all_settled(self) -> None:
        """Wait for the last ruling, or for the last deadline."""
        began = workflow.now()
        await asyncio.gather(*self._asked.values())
        self.record.waited += workflow.now() - began

    async def give_up(self) -> None:
        """Close the arbitrations that are open: nobody needs an answer any more."""
        for asked in self._asked.values():
            asked.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)
        workflow.upsert_search_attributes([OPEN_CONTRADICTIONS.value_set(0)])

    async def forward(self, contradiction: Contradiction, ruling: Ruling) -> bool:
        """Pass a person's answer on to the arbitration that waits for it.

        Returns:
            Whether it still waited; when not, the contradiction is settled by now.
        """
        name = contradiction.id

        def settled() -> bool:
            return not self.record.contradictions[name].is_open

        await workflow.wait_condition(lambda: name in self._handles or settled())
        if settled():
            return False
        try:
            await self._handles[name].signal(Arbitration.resolve, ruling)
        except FailureError:  # it ended while the answer was on its way
            await workflow.wait_condition(settled)
            return False
        return True

    async def _ask(self, case: Case) -> None:
        """Have a person rule, and take what comes of it; without an arbitration nobody rules."""
        asked = case.contradiction
        try:
            handle = await workflow.start_child_workflow(
                Arbitration.run,
                case,
                id=f"{case.run_id}/{asked.id}",
                static_summary=_cut(asked.about),
                search_attributes=TypedSearchAttributes([SearchAttributePair(TOPIC, case.topic)]),
                memo=_memo(case),
            )
            # Now, and not before: whoever reads where to answer may answer at once.
            self._put(asked)
            self._handles[asked.id] = handle
            settled = await handle
        except ChildWorkflowError:
            if workflow.cancellation_reason() is not None:
                raise
            self._put(ladder.provisional(asked, workflow.now()))
            return
        self.record.book(*settled.failures)
        self._put(settled.contradiction)

    def _all_asked(self) -> bool:
        return all(name in self._handles or asked.done() for name, asked in self._asked.items())

    def _carry_over(self) -> None:
        """Let stand what an earlier run settled, so that nobody is asked twice."""
        earlier = self.record.earlier
        if earlier is None:
            return
        for each in ladder.carried_over(
            tuple(self.record.contradictions.values()),
            earlier.contradictions,
            {claim.id: claim for claim in self.record.claims()},
            {claim.id: claim for found in earlier.findings for claim in found.claims},
        ):
            self._put(each)

    def _sides(
        self, contradiction: Contradiction, rulings: Sequence[RulingRecord]
    ) -> tuple[Side, ...]:
        claims = {claim.id: claim for claim in self.record.claims()}
        return ladder.sides(contradiction, claims, self.record.sources(), rulings)

    async def _rulings(self) -> tuple[RulingRecord, ...]:
        """Recall how people ruled on the claimants; a memory that fails knows of nothing."""
        undecided = self.record.open_contradictions()
        if not undecided:
            return ()
        sources = self.record.sources()
        owners = {claim.id: sources[claim.source_id] for claim in self.record.claims()}
        claimants = {claimant(owners[name]).id: None for each in undecided for name in each.claims}
        task = RulingsTask(
            task_id="recall-rulings",
            description="Recall how people ruled on these sources",
            claimants=tuple(claimants),
        )
        envelope = await self.desk.attend(Clerk.recall_rulings, task, RULINGS)
        return envelope.result or ()

    def _put(self, contradiction: Contradiction) -> None:
        self.record.put(contradiction)
        waiting = len(self.record.open_contradictions())
        workflow.upsert_search_attributes([OPEN_CONTRADICTIONS.value_set(waiting)])


def _memo(case: Case) -> dict[str, str]:
    """What a list of arbitrations shows without asking any worker."""
    deadline = case.contradiction.deadline
    return {
        "topic": case.topic,
        "about": case.contradiction.about,
        "deadline": deadline.isoformat() if deadline else "",
    }


def _cut(text: str) -> str:
    """Shorten to what the server takes as a summary: 400 bytes, at most four a character."""
    return text if len(text) <= 100 else f"{text[:99]}…"
