"""Who comes first where several runs want the same workers."""

import getpass

from temporalio.common import Priority

from caveat.contracts.plan import ResearchRequest

_KEY_BYTES = 64
"""The most that a Temporal server takes of a fairness key."""


def precedence(request: ResearchRequest) -> Priority:
    """Say how urgent a run's tasks are, and with whose they share the workers fairly.

    All runs of a requester on a server of one's own take turns with those of the others as one, so
    that twenty runs of somebody do not come before the one of somebody else. A run whose tasks
    wait on queues of their own meets nobody there.
    """
    if request.own_queues:
        return Priority(priority_key=request.priority.rank)
    key = _requester().encode()[:_KEY_BYTES].decode(errors="ignore")
    return Priority(priority_key=request.priority.rank, fairness_key=key or None)


def _requester() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in many containers
        return ""
