"""The debate: three participants examine the claims at once, each through its own lens."""

import asyncio
from collections.abc import Iterable

from temporalio import workflow

from caveat.contracts.debate import Challenge, Debate, Participant
from caveat.contracts.report import Method
from caveat.contracts.spending import Step
from caveat.contracts.tasks import DebateTask
from caveat.rules.run.debate import debated, holds
from workflows.options import DEBATE, DEBATE_BY_RULES
from workflows.research.run import Run
from workflows.research.state import State
from workflows.research.tasks import Tasks
from workflows.research.views import claims, sources

TASK = "debate-"
"""Begins the ids of the debate's tasks; the participant's name follows."""


async def debate(topic: str, run: Run, tasks: Tasks) -> Debate | None:
    """Hear everybody on the claims of a run; below the quorum, those who are missing once more.

    Returns:
        What was said, and who is missing; by rules alone, which cost nothing, where the budget
        leaves no room for a debate.
    """
    bound = tasks.budget.leave_out(Step.DEBATE, len(Participant))
    if bound is not None:
        name = run.new_id(f"{TASK}left-out")
        run.apply(State.task_left_out, bound, DEBATE.agent, name, "Debate the claims")
        run.apply(State.carried_out, debate=Method.RULES)
        return debated(await _hear(Participant, topic, run, tasks, by_code=True))
    heard = await _hear(Participant, topic, run, tasks)
    if holds(heard):
        return debated(heard)
    tasks.start_afresh()
    missing = [who for who, said in heard.items() if said is None]
    again = await _hear(missing, topic, run, tasks)
    good = (f"{TASK}{who}" for who, said in again.items() if said is not None)
    run.apply(State.made_good, *good)
    return debated(heard | again)


async def _hear(
    participants: Iterable[Participant],
    topic: str,
    run: Run,
    tasks: Tasks,
    *,
    by_code: bool = False,
) -> dict[Participant, tuple[Challenge, ...] | None]:
    policy = DEBATE_BY_RULES if by_code else DEBATE
    asked = list(participants)
    said = await asyncio.gather(
        *(tasks.do_if_room(policy, _task(who, topic, run, by_code=by_code)) for who in asked)
    )
    heard = (envelope.result if envelope else None for envelope in said)
    return dict(zip(asked, heard, strict=True))


def _task(participant: Participant, topic: str, run: Run, *, by_code: bool) -> DebateTask:
    return DebateTask(
        task_id=run.new_id(f"{TASK}{participant}"),
        description=f"Examine the claims as {participant}",
        participant=participant,
        topic=topic,
        claims=claims(run.state),
        sources=tuple(sources(run.state).values()),
        contradictions=tuple(run.state.contradictions.values()),
        today=workflow.now().date(),
        by_code=by_code,
    )
