"""The workers of one process: one for each task queue."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Any

from temporalio.client import Client
from temporalio.worker import Interceptor, Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from workers.connection import Connection
from workers.crew import Crew
from workflows.options import QUEUE, Lane

_WORKFLOW_TASKS = 8
"""Workflow tasks at once: 20 replays of long histories at once trip the 2 s deadlock detector, so
well below that, and above the number of runs that one person follows."""

_REASONING = 8
"""Answers asked for at once: more than a run's 4 to 6 angles, so that none waits for another; more
would only open more requests at a provider that limits them."""

_FETCHING = 16
"""Reads and searches at once: they wait for disk and network; each holds one document of at most
20 MB, so all of them at most 320 MB."""

_STICKY = timedelta(seconds=1)
"""How long a workflow task waits for the worker that knows the run: after a crash every open run
loses this time once (the default is 10 s); a healthy worker takes its task within 10 ms."""

_HEARTBEAT = timedelta(seconds=0.5)
"""Between two heartbeats that are sent: what a crash may lose of a partial result. It must stay
well below the shortest heartbeat timeout (5 s)."""

GRACE = timedelta(seconds=10)
"""How long a stopping worker lets its activities finish, so that stopping burns no attempt; it must
stay below the 30 s after which process managers kill."""

_PASSED_THROUGH = ("activities", "annotated_types", "caveat", "pydantic", "pydantic_core")
"""Modules that the sandbox does not import anew for each run (docs/decisions/0003-sandbox.md)."""


@asynccontextmanager
async def workers(
    client: Client,
    crew: Crew,
    queue: str = QUEUE,
    requests_per_second: float | None = None,
) -> AsyncIterator[None]:
    """Serve all three task queues while inside; leaving lets activities finish for a while.

    Args:
        client: of the server.
        crew: what to serve.
        queue: the workflow queue; the names of the activity queues begin with it.
        requests_per_second: tasks for models that the server gives out, to all workers of the
            queue together; a task is one model call, or two where an answer has to be mended. The
            worker that asked last sets it, so that all must be set alike. None for any number.

    Raises:
        Exception: what made a worker fail fatally, such as a workflow that the sandbox refuses.
    """
    serving = [
        Worker(
            client,
            task_queue=queue,
            workflows=crew.workflows,
            workflow_runner=_sandbox(),
            # An activity that is started eagerly passes its queue by, and the queue's limit.
            disable_eager_activity_execution=True,
            max_concurrent_workflow_tasks=_WORKFLOW_TASKS,
            sticky_queue_schedule_to_start_timeout=_STICKY,
            graceful_shutdown_timeout=GRACE,
        ),
        _activity_worker(
            client,
            queue + Lane.REASON,
            crew.reasoning,
            interceptors=crew.interceptors,
            at_once=_REASONING,
            per_second=requests_per_second,
        ),
        _activity_worker(
            client,
            queue + Lane.FETCH,
            crew.fetching,
            interceptors=crew.interceptors,
            at_once=_FETCHING,
        ),
    ]
    async with AsyncExitStack() as stack:
        for worker in serving:
            await stack.enter_async_context(worker)
        try:
            yield
        finally:
            # Together, so that stopping takes one period of grace and not three.
            await asyncio.gather(*(worker.shutdown() for worker in serving))


async def run_workers(
    connection: Connection,
    crew: Crew,
    until: asyncio.Event,
    requests_per_second: float | None = None,
) -> None:
    """Serve all three task queues until an event is set, then stop gracefully.

    Args:
        connection: to the server.
        crew: what to serve.
        until: when to stop.
        requests_per_second: as of `workers`.

    Raises:
        ServerProblem: the embedded server has ended.
        Exception: as of `workers`.
    """
    async with workers(connection.client, crew, requests_per_second=requests_per_second):
        told = asyncio.create_task(until.wait())
        lost = asyncio.create_task(connection.lost())
        try:
            await asyncio.wait({told, lost}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            told.cancel()
            lost.cancel()
        if not told.done():
            await lost


def _activity_worker(
    client: Client,
    task_queue: str,
    activities: tuple[Callable[..., Any], ...],
    *,
    interceptors: tuple[Interceptor, ...],
    at_once: int,
    per_second: float | None = None,
) -> Worker:
    return Worker(
        client,
        task_queue=task_queue,
        activities=activities,
        interceptors=interceptors,
        max_concurrent_activities=at_once,
        max_task_queue_activities_per_second=per_second,
        max_heartbeat_throttle_interval=_HEARTBEAT,
        default_heartbeat_throttle_interval=_HEARTBEAT,
        graceful_shutdown_timeout=GRACE,
    )


def _sandbox() -> SandboxedWorkflowRunner:
    return SandboxedWorkflowRunner(
        restrictions=SandboxRestrictions.default.with_passthrough_modules(*_PASSED_THROUGH)
    )
