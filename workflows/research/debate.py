"""The debate: three participants examine the claims at once, each through its own lens."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from temporalio import workflow

from caveat.contracts.debate import Challenge, Debate, Participant
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.report import Method
from caveat.contracts.spending import Step
from caveat.contracts.tasks import DebateTask
from caveat.rules.run.debate import debated, holds
from caveat.workflows.options import DEBATE, DEBATE_BY_RULES, bulky
from caveat.workflows.research.answering import Answering
from caveat.workflows.research.run import Run
from caveat.workflows.research.state import State
from caveat.workflows.research.tasks import Tasks
from caveat.workflows.research.views import shown

TASK = "debate-"
"""Begins the ids of the debate's tasks; the participant's name follows."""

ANSWERS = "debate-answers"
"""Marks the histories of runs whose participants answer one another."""

Envelopes = Mapping[Participant, SubagentResult[tuple[Challenge, ...]] | None]
"""How what each participant was asked for ended; None of what the budget left out."""


async def debate(topic: str, run: Run, tasks: Tasks) -> Debate | None:
    """Hear everybody on the claims of a run; below the quorum, those who are missing once more.

    Participants that a language model speaks for may answer one another after that.

    Returns:
        What was said, and who is missing; by rules alone, which cost nothing, where the budget
        leaves no room for a debate.
    """
    bound = tasks.budget.leave_out(Step.DEBATE, len(Participant))
    if bound is not None:
        name = run.new_id(f"{TASK}left-out")
        run.apply(State.task_left_out, bound, DEBATE.agent, name, "Debate the claims")
        run.apply(State.carried_out, debate=Method.RULES)
        return debated(_said(await _hear(Participant, topic, run, tasks, by_code=True)))
    first = await _hear(Participant, topic, run, tasks)
    heard = _said(first)
    calls = _calls(first)
    if not holds(heard):
        tasks.start_afresh()
        missing = [who for who, said in heard.items() if said is None]
        second = await _hear(missing, topic, run, tasks)
        again = _said(second)
        good = (f"{TASK}{who}" for who, said in again.items() if said is not None)
        run.apply(State.made_good, *good)
        heard |= again
        calls = {who: count + _calls(second).get(who, 0) for who, count in calls.items()}
    if not (_speaks(run) and workflow.patched(ANSWERS)):
        return debated(heard)
    return await Answering(topic, run, tasks, calls).carry_on(debated(heard))


def _speaks(run: Run) -> bool:
    """Whether a language model speaks for the participants: who counts has nothing to answer."""
    return run.state.plan is not None and run.state.plan.reasoner.uses_language_model


def _said(envelopes: Envelopes) -> dict[Participant, tuple[Challenge, ...] | None]:
    return {who: each.result if each else None for who, each in envelopes.items()}


def _calls(envelopes: Envelopes) -> dict[Participant, int]:
    return {who: each.usage.model_calls if each else 0 for who, each in envelopes.items()}


async def _hear(
    participants: Iterable[Participant],
    topic: str,
    run: Run,
    tasks: Tasks,
    *,
    by_code: bool = False,
) -> Envelopes:
    policy = DEBATE_BY_RULES if by_code else DEBATE
    policy = bulky(policy, run.state.held)
    asked = list(participants)
    given = shown(run.state)
    ended = await asyncio.gather(
        *(tasks.do_if_room(policy, _task(who, topic, run, given, by_code=by_code)) for who in asked)
    )
    return dict(zip(asked, ended, strict=True))


def _task(
    participant: Participant, topic: str, run: Run, given: Mapping[str, Any], *, by_code: bool
) -> DebateTask:
    return DebateTask(
        task_id=run.new_id(f"{TASK}{participant}"),
        description=f"Examine the claims as {participant}",
        participant=participant,
        topic=topic,
        contradictions=tuple(run.state.contradictions.values()),
        today=workflow.now().date(),
        by_code=by_code,
        **given,
    )
