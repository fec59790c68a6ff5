"""What a server has of runs, arbitrations and schedules beside what they are given.

A status, a summary that people read, a priority that workers obey, and a memo that lists show.
"""

from typing import Any

from temporalio.api.enums.v1 import WorkflowExecutionStatus as Number
from temporalio.client import ScheduleListDescription, WorkflowExecution, WorkflowExecutionStatus
from temporalio.common import Priority

from caveat.clients.parsing import find_user
from caveat.contracts.plan import ResearchRequest
from caveat.workers.codec import MissingKey
from caveat.workflows.names import SHOWN

_SUMMARY_LIMIT = 200
"""Characters of the topic in the run's summary: the server takes 400 bytes, and signs of other
alphabets need two to four each, so it is cut again by bytes."""

_SUMMARY_BYTES = 400

_KEY_BYTES = 64  # the most that a Temporal server takes of a fairness key


def build_summary(topic: str) -> str:
    if len(topic) <= _SUMMARY_LIMIT and len(topic.encode()) <= _SUMMARY_BYTES:
        return topic
    # Three bytes for the ellipsis; a sign that the cut splits goes with the rest.
    cut = topic[: _SUMMARY_LIMIT - 1].encode()[: _SUMMARY_BYTES - 3]
    return cut.decode(errors="ignore") + "…"


def compute_priority(request: ResearchRequest) -> Priority:
    """Say how urgent a run's tasks are, and with whose they share the workers fairly."""
    # All runs of a requester on a server of one's own take turns with those of the others as one,
    # so that twenty runs of somebody do not come before the one of somebody else. On the embedded
    # server, where a run's backend is decided from its start, each run takes turns with the others.
    if request.backend is not None:
        return Priority(priority_key=request.priority.rank)
    key = (find_user() or "").encode()[:_KEY_BYTES].decode(errors="ignore")
    return Priority(priority_key=request.priority.rank, fairness_key=key or None)


async def read_memo(listed: WorkflowExecution | ScheduleListDescription) -> dict[str, Any]:
    """Read a memo; where its key is not here, a topic that names the key stands for all of it."""
    # A list must not end at the first that it cannot read.
    try:
        return dict(await listed.memo())
    except MissingKey as missing:
        return {SHOWN: f"(encrypted with {missing.key})"}


def _create_paused_status() -> WorkflowExecutionStatus:
    """Give the status a name, in the SDK's own type, as members of it are made."""
    # The SDK has none and fails at the sight of it, in lists too, so that one run that somebody
    # paused (`temporal workflow pause`) would hide all others.
    member = int.__new__(WorkflowExecutionStatus, Number.WORKFLOW_EXECUTION_STATUS_PAUSED)
    member._name_, member._value_ = "PAUSED", int(member)
    return member


def _find_status(_: type[WorkflowExecutionStatus], value: object) -> WorkflowExecutionStatus | None:
    return PAUSED if value == PAUSED else None


PAUSED = getattr(WorkflowExecutionStatus, "PAUSED", None) or _create_paused_status()
"""The status of what goes on and answers nobody until then; once the SDK has a name for it, that
one."""

# Asked only for numbers that the type does not have.
WorkflowExecutionStatus._missing_ = classmethod(_find_status)  # type: ignore[assignment]  # Python's own hook, which this type leaves unused

STILL_OPEN = frozenset({WorkflowExecutionStatus.RUNNING, PAUSED})  # statuses of what has not ended
