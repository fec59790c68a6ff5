"""Who comes first where several runs want the same workers."""

from temporalio.common import Priority

from caveat.clients.people import user
from caveat.contracts.plan import ResearchRequest
from caveat.workers.keys import Keyring

_KEY_BYTES = 64
"""The most that a Temporal server takes of a fairness key."""


def precedence(request: ResearchRequest, keys: Keyring) -> Priority:
    """Say how urgent a run's tasks are, and with whose they share the workers fairly.

    All runs of a requester on a server of one's own take turns with those of the others as one, so
    that twenty runs of somebody do not come before the one of somebody else. A run whose tasks
    wait on queues of their own meets nobody there.

    Args:
        request: of the run.
        keys: what the requester is hidden with; the server has to tell them apart alone.
    """
    if request.own_queues:
        return Priority(priority_key=request.priority.rank)
    requester = user() or ""
    if requester and keys.encrypts:
        requester = keys.hidden(requester)
    key = requester.encode()[:_KEY_BYTES].decode(errors="ignore")
    return Priority(priority_key=request.priority.rank, fairness_key=key or None)
