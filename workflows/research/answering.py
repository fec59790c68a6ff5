"""Answers in the debate: what one says goes to all, through the coordinator, for two rounds."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from temporalio import workflow

from caveat.contracts.debate import ROUNDS, Challenge, Closing, Debate, DebateMessage, Participant
from caveat.contracts.spending import Step
from caveat.contracts.tasks import ReplyTask
from caveat.rules.run.debate import continued, invited
from caveat.workflows.options import REPLY, bulky
from caveat.workflows.research.run import Run
from caveat.workflows.research.tasks import Tasks
from caveat.workflows.research.views import shown


@dataclass
class Answering:
    """The participants of a run's debate, who answer one another.

    Attributes:
        topic: what was asked.
        run: where everything is booked.
        tasks: where tasks are given out.
        calls: model calls that each participant has had for its remarks.
    """

    topic: str
    run: Run
    tasks: Tasks
    calls: Mapping[Participant, int]
    _lost: set[Participant] = field(default_factory=set)

    async def carry_on(self, debate: Debate) -> Debate:
        """Hold rounds of answers while there is something to answer, and turns and budget for it.

        Whoever cannot answer keeps what it has said, and is asked no more.
        """
        self._broadcast(debate.challenges)
        for number in range(1, ROUNDS + 1):
            asked = [who for who in invited(debate, number) if self._has_turn(who, number)]
            closing = self._hindered(debate, asked, number)
            if closing is not None:
                return debate.model_copy(update={"closing": closing})
            messages = await self._hold(debate, asked, number)
            self._broadcast(messages)
            debate = continued(debate, messages)
        return debate.model_copy(update={"closing": Closing.ROUNDS})

    def _has_turn(self, who: Participant, number: int) -> bool:
        """Whether a participant could answer before, and its bound on turns leaves it an answer.

        Its remarks and its answers are one task of its own, in turns.
        """
        request = self.run.state.request
        turns = request.budget.turns if request else None
        return who not in self._lost and (
            turns is None or max(1, self.calls[who]) + number <= turns
        )

    def _hindered(
        self, debate: Debate, asked: Sequence[Participant], number: int
    ) -> Closing | None:
        """Say why a round cannot be held; None where it can."""
        if not asked:
            willing = [who for who in invited(debate, number) if who not in self._lost]
            silence = Closing.FAILED if self._lost else Closing.SILENCE
            return Closing.TURNS if willing else silence
        lacks = self.tasks.budget.lacking(Step.DEBATE, len(asked)) is not None
        return Closing.BUDGET if lacks else None

    async def _hold(
        self, debate: Debate, asked: Sequence[Participant], number: int
    ) -> list[DebateMessage]:
        """Ask everybody at once; what one of them cannot say costs nothing that was said."""
        policy = bulky(REPLY, self.run.state.held)
        tasks = [self._task(who, debate, number) for who in asked]
        ended = await asyncio.gather(*(self.tasks.do_if_room(policy, task) for task in tasks))
        results = [envelope.result if envelope else None for envelope in ended]
        self._lost.update(who for who, said in zip(asked, results, strict=True) if said is None)
        return [message for said in results for message in said or ()]

    def _task(self, who: Participant, debate: Debate, number: int) -> ReplyTask:
        return ReplyTask(
            task_id=self.run.new_id(f"debate-{who}-answers"),
            description=f"Answer the others as {who}, round {number}",
            participant=who,
            topic=self.topic,
            contradictions=tuple(self.run.state.contradictions.values()),
            today=workflow.now().date(),
            debate=debate,
            round=number,
            **shown(self.run.state),
        )

    def _broadcast(self, said: Sequence[Challenge]) -> None:
        """Let whoever listens to events hear it as well."""
        for each in said:
            answers = each.answers if isinstance(each, DebateMessage) else None
            self.run.happened(
                "debate.message",
                sender=each.raised_by,
                answers=answers,
                claim=each.claim_id,
                stance=each.stance,
                text=each.text,
            )
