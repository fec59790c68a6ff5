"""Envelopes for work that was done."""

from typing import TypeVar

from temporalio import activity

from activities.heartbeats import CURRENT
from caveat.contracts.envelope import AgentType, Status, SubagentResult, Usage
from caveat.contracts.tasks import Task

T = TypeVar("T")


def done(
    agent: AgentType,
    task: Task,
    result: T,
    *,
    usage: Usage | None = None,
    gaps: tuple[str, ...] = (),
    reasoner: str = "",
) -> SubagentResult[T]:
    """Wrap a whole result.

    Args:
        agent: who did it.
        task: what was asked.
        result: the whole result.
        usage: what this attempt spent; what attempts that failed before it spent is added.
        gaps: what was looked for and not found.
        reasoner: the name of the reasoner that gave the result.
    """
    pulse = CURRENT.get()
    pulse.spend(usage or Usage())
    return SubagentResult(
        status=Status.SUCCESS,
        task_id=task.task_id,
        agent_type=agent,
        task_description=task.description,
        result=result,
        completeness=1.0,
        gaps=gaps,
        attempts=activity.info().attempt,
        usage=pulse.usage,
        reasoner=reasoner,
    )
