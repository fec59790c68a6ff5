"""Routing: which task queue a task of a run waits on."""

from temporalio import workflow

from workflows.options import Lane

with workflow.unsafe.imports_passed_through():
    from caveat.contracts.backend import Route
    from caveat.contracts.plan import ResearchRequest

MEMO = "route"
"""What the memo of a run calls its route, for whoever must know it while no worker answers."""

EVIDENCE = "evidence"
"""What the memo of a cancelled run calls the file of what it found."""


def route_of(request: ResearchRequest, run_id: str) -> Route:
    """Say who takes up the tasks of a run, as far as its request decides it."""
    return Route(
        reasoner=request.reasoner,
        backend=request.backend,
        run_id=run_id if request.own_queues else None,
    )


def queue_of(queue: str, lane: Lane, route: Route) -> str:
    """Name the queue of a lane: by the run's own queue, its backend, and the run where it must be.

    Args:
        queue: where the run's workflow tasks wait.
        lane: what is to be done.
        route: whose task it is.
    """
    parts = [queue + lane]
    if lane not in (Lane.KEEP, Lane.TELL):
        decided = route.backend.id if route.backend else route.reasoner
        parts += [decided] if decided else []
    if route.run_id is not None:
        parts.append(route.run_id)
    return ".".join(parts)
