"""The debate: three participants examine the claims at once, each through its own lens.

It comes before the synthesis, which reads what they say; who is missing costs confidence.
"""

import asyncio
from collections.abc import Iterable

from temporalio import workflow

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.debate import Challenge, Participant
from caveat.contracts.spending import Step
from caveat.contracts.tasks import DebateTask
from caveat.rules.run.quorum import build_debate, has_quorum
from caveat.workflows.options import DEBATE
from caveat.workflows.research.run import Run
from caveat.workflows.research.tasks import Tasks
from caveat.workflows.research.views import build_claims_input

TASK = "debate-"  # begins the ids of the debate's tasks; the participant's name follows

Heard = dict[Participant, tuple[Challenge, ...] | None]
"""What each participant says; None of who did not come."""


async def hold_debate(run: Run, tasks: Tasks) -> None:
    """Hear everybody on the claims of a run; below the quorum, those who are missing once more."""
    # Where the budget leaves no room there is no debate.
    bound = tasks.budget.find_exceeded_bound(Step.DEBATE, len(Participant))
    if bound is not None:
        run.reach_bound(bound)
        name = run.create_id(f"{TASK}left-out")
        run.leave_out(bound, DEBATE.agent, name, "Debate the claims")
        return
    disputed = tuple(run.contradictions.values())  # as the debate begins
    heard = await _hear(Participant, disputed, run, tasks)
    if not has_quorum(heard):
        tasks.try_again()
        missing = [who for who, remarks in heard.items() if remarks is None]
        again = await _hear(missing, disputed, run, tasks)
        run.make_good(*(f"{TASK}{who}" for who, remarks in again.items() if remarks is not None))
        heard |= again
    run.debate = build_debate(heard)
    for remark in run.debate.challenges:
        run.emit_event(
            "debate.message",
            sender=remark.raised_by,
            claim=remark.claim_id,
            stance=remark.stance,
            text=remark.text,
        )


async def _hear(
    participants: Iterable[Participant], disputed: tuple[Contradiction, ...], run: Run, tasks: Tasks
) -> Heard:
    claims = build_claims_input(run)
    wanted = [
        DebateTask(
            task_id=run.create_id(f"{TASK}{participant}"),
            description=f"Examine the claims as {participant}",
            participant=participant,
            topic=run.topic,
            contradictions=disputed,
            today=workflow.now().date(),
            **claims,
        )
        for participant in participants
    ]
    envelopes = await asyncio.gather(*(tasks.do(DEBATE, task) for task in wanted))
    results = [envelope.result for envelope in envelopes]
    return dict(zip((task.participant for task in wanted), results, strict=True))
