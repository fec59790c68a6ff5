"""The debate: three participants examine the claims at once, each through its own lens."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from temporalio import workflow

from workflows.desk import Desk
from workflows.funds import LeftOut
from workflows.options import DEBATE, DEBATE_BY_RULES
from workflows.record import Record

with workflow.unsafe.imports_passed_through():
    from activities.debating import Debater
    from caveat.contracts.debate import Challenge, Debate, Participant
    from caveat.contracts.report import Method
    from caveat.contracts.spending import Step
    from caveat.contracts.tasks import DebateTask
    from caveat.rules.debate import debated, holds


TASK = "debate-"
"""Begins the ids of the debate's tasks; the participant's name follows."""


@dataclass(frozen=True)
class Debating:
    """The debate of one run.

    Attributes:
        record: what is debated, and where it is booked.
        desk: where tasks are given out.
    """

    record: Record
    desk: Desk

    async def debate(self, topic: str) -> Debate | None:
        """Hear everybody; below the quorum, those who are missing once more.

        Returns:
            What was said, and who is missing; by rules alone, which cost nothing, where the budget
            leaves no room for a debate.
        """
        bound = self.desk.funds.no_room(Step.DEBATE, len(Participant))
        if bound is not None:
            name = self.record.new_id(f"{TASK}left-out")
            self.record.book_left_out(bound, DEBATE.agent, name, "Debate the claims")
            self.record.carried_out(debate=Method.RULES)
            return debated(await self._hear(Participant, topic, by_code=True))
        heard = await self._hear(Participant, topic)
        if holds(heard):
            return debated(heard)
        self.desk.start_afresh()
        again = await self._hear([who for who, said in heard.items() if said is None], topic)
        for who, said in again.items():
            if said is not None:
                self.record.make_good(f"{TASK}{who}")
        return debated(heard | again)

    async def _hear(
        self, participants: Iterable[Participant], topic: str, *, by_code: bool = False
    ) -> dict[Participant, tuple[Challenge, ...] | None]:
        asked = list(participants)
        tasks = [self._task(who, topic, by_code=by_code) for who in asked]
        said = await asyncio.gather(*(self._ask(task) for task in tasks))
        return dict(zip(asked, said, strict=True))

    def _task(self, participant: Participant, topic: str, *, by_code: bool) -> DebateTask:
        return DebateTask(
            task_id=self.record.new_id(f"{TASK}{participant}"),
            description=f"Examine the claims as {participant}",
            participant=participant,
            topic=topic,
            claims=self.record.claims(),
            sources=tuple(self.record.sources().values()),
            contradictions=tuple(self.record.contradictions.values()),
            today=workflow.now().date(),
            by_code=by_code,
        )

    async def _ask(self, task: DebateTask) -> tuple[Challenge, ...] | None:
        policy = DEBATE_BY_RULES if task.by_code else DEBATE
        try:
            return (await self.desk.attend(Debater.debate, task, policy)).result
        except LeftOut as left:
            agent = DEBATE.agent
            self.record.book_left_out(left.bound, agent, task.task_id, task.description)
            return None
