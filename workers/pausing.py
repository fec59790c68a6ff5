"""What somebody paused (`temporal workflow pause`): it goes on, and answers nobody until then.

The SDK has no name for that status and fails at the sight of it, in lists too, so that one paused
run would hide all others.
"""

from temporalio.api.enums.v1 import WorkflowExecutionStatus as Number
from temporalio.client import WorkflowExecutionStatus


def _paused() -> WorkflowExecutionStatus:
    """Give the status a name, in the SDK's own type, as members of it are made."""
    member = int.__new__(WorkflowExecutionStatus, Number.WORKFLOW_EXECUTION_STATUS_PAUSED)
    member._name_, member._value_ = "PAUSED", int(member)
    return member


def _missing(_: type[WorkflowExecutionStatus], value: object) -> WorkflowExecutionStatus | None:
    return PAUSED if value == PAUSED else None


PAUSED = getattr(WorkflowExecutionStatus, "PAUSED", None) or _paused()
"""The status of what is paused; once the SDK has a name for it, that one."""

# Asked only for numbers that the type does not have.
WorkflowExecutionStatus._missing_ = classmethod(_missing)  # type: ignore[assignment]  # Python's own hook, which this type leaves unused

STILL_OPEN = frozenset({WorkflowExecutionStatus.RUNNING, PAUSED})
"""Statuses of what has not ended."""
