"""Envelopes for work that was done."""

from typing import TypeVar

from temporalio import activity

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
) -> SubagentResult[T]:
    """Wrap a whole result; what was looked for and not found goes into `gaps`."""
    return SubagentResult(
        status=Status.SUCCESS,
        task_id=task.task_id,
        agent_type=agent,
        task_description=task.description,
        result=result,
        completeness=1.0,
        gaps=gaps,
        attempts=activity.info().attempt,
        usage=usage or Usage(),
    )
