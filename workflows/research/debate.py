"""The debate: three participants examine the claims at once, each through its own lens.

It comes before the synthesis, which reads what they say; who is missing costs confidence.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from temporalio import workflow

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.debate import ROUNDS, Challenge, Closing, Debate, DebateMessage, Participant
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.spending import Step
from caveat.contracts.tasks import DebateTask, ReplyTask
from caveat.roles.debater import DEBATE, REPLY
from caveat.rules.run.debate import add_round, build_debate, holds, select_participants
from caveat.workflows.research.run import Run
from caveat.workflows.research.tasks import Tasks
from caveat.workflows.research.views import build_claims_input

TASK = "debate-"  # begins the ids of the debate's tasks; the participant's name follows

Envelopes = Mapping[Participant, SubagentResult[tuple[Challenge, ...]] | None]
"""How what each participant was asked for ended; None of what the budget left out."""


Disputed = tuple[Contradiction, ...]  # the contradictions between the claims as the debate began


async def hold_debate(run: Run, tasks: Tasks) -> None:
    """Hear everybody on the claims of a run; below the quorum, those who are missing once more."""
    # After that the participants may answer one another. Where the budget leaves no room there is
    # no debate.
    disputed = tuple(run.state.contradictions.values())
    bound = tasks.budget.leave_out(Step.DEBATE, len(Participant))
    if bound is not None:
        name = run.create_id(f"{TASK}left-out")
        run.state.leave_out(bound, DEBATE.agent, name, "Debate the claims")
        return
    first = await _hear(Participant, disputed, run, tasks)
    heard = _collect_challenges(first)
    calls = _count_calls(first)
    if not holds(heard):
        tasks.try_again()
        missing = [who for who, said in heard.items() if said is None]
        second = await _hear(missing, disputed, run, tasks)
        again = _collect_challenges(second)
        good = (f"{TASK}{who}" for who, said in again.items() if said is not None)
        run.state.make_good(*good)
        heard |= again
        calls = {who: count + _count_calls(second).get(who, 0) for who, count in calls.items()}
    debate = await Answering(disputed, run, tasks, calls).carry_on(build_debate(heard))
    run.state.debate = debate


def _collect_challenges(envelopes: Envelopes) -> dict[Participant, tuple[Challenge, ...] | None]:
    return {who: each.result if each else None for who, each in envelopes.items()}


def _count_calls(envelopes: Envelopes) -> dict[Participant, int]:
    return {who: each.usage.model_calls if each else 0 for who, each in envelopes.items()}


async def _hear(
    participants: Iterable[Participant],
    disputed: Disputed,
    run: Run,
    tasks: Tasks,
) -> Envelopes:
    asked = list(participants)
    given = build_claims_input(run.state)
    ended = await asyncio.gather(
        *(tasks.do_if_room(DEBATE, _build_debate_task(who, disputed, run, given)) for who in asked)
    )
    return dict(zip(asked, ended, strict=True))


def _build_debate_task(
    participant: Participant, disputed: Disputed, run: Run, given: Mapping[str, Any]
) -> DebateTask:
    return DebateTask(
        task_id=run.create_id(f"{TASK}{participant}"),
        description=f"Examine the claims as {participant}",
        participant=participant,
        topic=run.state.topic,
        contradictions=disputed,
        today=workflow.now().date(),
        **given,
    )


@dataclass
class Answering:
    """The participants of a run's debate, who answer one another."""

    disputed: Disputed
    run: Run  # where everything is booked
    tasks: Tasks  # where tasks are given out
    calls: Mapping[Participant, int]  # model calls that each participant has had for its remarks
    _lost: set[Participant] = field(default_factory=set)

    async def carry_on(self, debate: Debate) -> Debate:
        """Hold rounds of answers while there is something to answer, and turns and budget for it.

        Whoever cannot answer keeps what it has said, and is asked no more.
        """
        self._broadcast(debate.challenges)
        for number in range(1, ROUNDS + 1):
            asked = [
                who for who in select_participants(debate, number) if self._has_turn(who, number)
            ]
            closing = self._find_closing(debate, asked, number)
            if closing is not None:
                return debate.model_copy(update={"closing": closing})
            messages = await self._hold(debate, asked, number)
            self._broadcast(messages)
            debate = add_round(debate, messages)
        return debate.model_copy(update={"closing": Closing.ROUNDS})

    def _has_turn(self, who: Participant, number: int) -> bool:
        """Whether a participant could answer before, and its bound on turns leaves it an answer."""
        # Its remarks and its answers are one task of its own, in turns.
        request = self.run.state.request
        turns = request.budget.turns if request else None
        return who not in self._lost and (
            turns is None or max(1, self.calls[who]) + number <= turns
        )

    def _find_closing(
        self, debate: Debate, asked: Sequence[Participant], number: int
    ) -> Closing | None:
        """Say why a round cannot be held; None where it can."""
        if not asked:
            willing = [who for who in select_participants(debate, number) if who not in self._lost]
            silence = Closing.FAILED if self._lost else Closing.SILENCE
            return Closing.TURNS if willing else silence
        lacks = self.tasks.budget.find_exceeded_bound(Step.DEBATE, len(asked)) is not None
        return Closing.BUDGET if lacks else None

    async def _hold(
        self, debate: Debate, asked: Sequence[Participant], number: int
    ) -> list[DebateMessage]:
        """Ask everybody at once; what one of them cannot say costs nothing that was said."""
        policy = REPLY
        tasks = [self._build_reply_task(who, debate, number) for who in asked]
        ended = await asyncio.gather(*(self.tasks.do_if_room(policy, task) for task in tasks))
        results = [envelope.result if envelope else None for envelope in ended]
        self._lost.update(who for who, said in zip(asked, results, strict=True) if said is None)
        return [message for said in results for message in said or ()]

    def _build_reply_task(self, who: Participant, debate: Debate, number: int) -> ReplyTask:
        return ReplyTask(
            task_id=self.run.create_id(f"debate-{who}-answers"),
            description=f"Answer the others as {who}, round {number}",
            participant=who,
            topic=self.run.state.topic,
            contradictions=self.disputed,
            today=workflow.now().date(),
            debate=debate,
            round=number,
            **build_claims_input(self.run.state),
        )

    def _broadcast(self, said: Sequence[Challenge]) -> None:
        """Let whoever listens to events hear it as well."""
        for each in said:
            answers = each.answers if isinstance(each, DebateMessage) else None
            self.run.emit_event(
                "debate.message",
                sender=each.raised_by,
                answers=answers,
                claim=each.claim_id,
                stance=each.stance,
                text=each.text,
            )
