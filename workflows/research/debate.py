"""The debate: three participants examine the claims at once, each through its own lens.

It comes before the synthesis, which reads what they say; who is missing costs confidence.
"""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from temporalio import workflow

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.debate import Challenge, Participant
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.spending import Step
from caveat.contracts.tasks import DebateTask
from caveat.roles.debater import DEBATE
from caveat.rules.run.debate import build_debate, holds
from caveat.workflows.research.run import Run
from caveat.workflows.research.state import build_claims_input
from caveat.workflows.research.tasks import Tasks

TASK = "debate-"  # begins the ids of the debate's tasks; the participant's name follows

Envelopes = Mapping[Participant, SubagentResult[tuple[Challenge, ...]] | None]
"""How what each participant was asked for ended; None of what the budget left out."""


Disputed = tuple[Contradiction, ...]  # the contradictions between the claims as the debate began


async def hold_debate(run: Run, tasks: Tasks) -> None:
    """Hear everybody on the claims of a run; below the quorum, those who are missing once more."""
    # Where the budget leaves no room there is no debate.
    disputed = tuple(run.state.contradictions.values())
    bound = tasks.budget.find_exceeded_bound(Step.DEBATE, len(Participant))
    if bound is not None:
        run.state.reach_bound(bound, Step.DEBATE)
        name = run.create_id(f"{TASK}left-out")
        run.state.leave_out(bound, DEBATE.agent, name, "Debate the claims")
        return
    first = await _hear(Participant, disputed, run, tasks)
    heard = _collect_challenges(first)
    if not holds(heard):
        tasks.try_again()
        missing = [who for who, said in heard.items() if said is None]
        second = await _hear(missing, disputed, run, tasks)
        again = _collect_challenges(second)
        good = (f"{TASK}{who}" for who, said in again.items() if said is not None)
        run.state.make_good(*good)
        heard |= again
    run.state.debate = build_debate(heard)
    for remark in run.state.debate.challenges:
        run.emit_event(
            "debate.message",
            sender=remark.raised_by,
            claim=remark.claim_id,
            stance=remark.stance,
            text=remark.text,
        )


def _collect_challenges(envelopes: Envelopes) -> dict[Participant, tuple[Challenge, ...] | None]:
    return {who: each.result if each else None for who, each in envelopes.items()}


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
