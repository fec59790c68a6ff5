"""The workers of one process: one for each task queue that it serves."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

import nexusrpc
from nexusrpc.handler import service_handler
from temporalio import nexus, workflow
from temporalio import worker as temporal
from temporalio.api.sdk.v1 import WorkflowMetadata
from temporalio.client import Client
from temporalio.worker import Interceptor, Worker, WorkerDeploymentConfig

from caveat.contracts.backend import Backend, Route
from caveat.contracts.outcome import Outcome
from caveat.workers.codec import require_key
from caveat.workers.version import accept_any_build, begin_deployment
from caveat.workflows.arbitration import Arbitration
from caveat.workflows.names import QUEUE, QueueKind, name_queue
from caveat.workflows.research.workflow import Research

WORKFLOWS = (Research, Arbitration)  # Every workflow of this version, to run or replay

FEW = 8
"""Tasks of a reasoner at once that uses this machine, or one server on it: more than a run's 4 to 6
angles, so that none waits for another, and more would only share its processors."""

MANY = 64
"""Calls of a provider at once: a run gives out as many as the provider bears, and each call costs a
worker the text of one source and nothing else."""


@dataclass(frozen=True)
class Registry:
    """Workflows and activities, sorted by the task queue that serves them."""

    workflows: tuple[type, ...] = WORKFLOWS  # they order and wait, and never do I/O
    reasoning: tuple[Callable[..., Any], ...] = ()  # that call a reasoner, with a rate limit
    fetching: tuple[Callable[..., Any], ...] = ()
    keeping: tuple[Callable[..., Any], ...] = ()  # that every worker does alike
    backend: Backend | None = None  # what `reasoning` and `fetching` are wired to
    reasoned_at_once: int = FEW  # tasks of `reasoning` that are done at once
    # how many of them are given out a second, to all workers of one queue together: the worker that
    # asked last sets it, so that all must be set alike
    reasoned_per_second: float | None = None
    # hears agents that live elsewhere while inside, where some may answer
    attending: Callable[[Client], AbstractAsyncContextManager[object]] = nullcontext
    interceptors: tuple[Interceptor, ...] = ()  # what every activity passes before it is begun
    begins: bool = True  # whether runs begin here that have not decided who works on them
    # which runs its workers take up, and the build that histories name for it
    deployment: WorkerDeploymentConfig = field(default_factory=accept_any_build)


_WORKFLOW_TASKS = 8
"""Workflow tasks at once: 20 replays of long histories at once trip the 2 s deadlock detector, so
well below that, and above the number of runs that one person follows."""

_CACHED = 64
"""Runs, their parts and arbitrations that are held in memory, 0.9 MB a run of twelve sources that
waits for people, so that of two hundred each costs 0.4 MB. It must stay
above the parts of a large run that are under way at once (50). Those beyond wait for people most
likely, and are replayed in some 0.1 s when one rules."""

_BEGUN = 2  # runs that are taken up at once: the first look at a corpus keeps a processor busy

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


@asynccontextmanager
async def serve_runs(client: Client, registry: Registry, queue: str = QUEUE) -> AsyncIterator[None]:
    """Serve all runs of the registry's backend while inside; leaving lets activities finish."""
    # Who decides stops first: an activity that ends asks for a decision at that moment, and who is
    # given one while it stops loses it; the server gives it out again after 10 s.
    await require_key(client, queue)
    async with (
        run_activity_workers(client, registry, queue),
        _run_workers([_create_workflow_worker(client, registry, queue)]),
    ):
        deploying = asyncio.create_task(begin_deployment(client, registry.deployment))
        try:
            yield
        finally:
            deploying.cancel()


@asynccontextmanager
async def run_activity_workers(
    client: Client, registry: Registry, queue: str
) -> AsyncIterator[None]:
    """Do the activities of all runs, as `serve_runs` does; another one has workflow tasks."""
    serving = [
        Worker(
            client,
            task_queue=attended.queue,
            activities=attended.activities,
            interceptors=registry.interceptors,
            deployment_config=registry.deployment,
            max_concurrent_activities=attended.at_once,
            max_task_queue_activities_per_second=attended.per_second,
            max_heartbeat_throttle_interval=_HEARTBEAT,
            default_heartbeat_throttle_interval=_HEARTBEAT,
            graceful_shutdown_timeout=GRACE,
        )
        for attended in _list_queues(registry, queue)
    ]
    async with registry.attending(client), _run_workers(serving):
        yield


@asynccontextmanager
async def run_workflow_worker(
    client: Client, registry: Registry, queue: str = QUEUE
) -> AsyncIterator[None]:
    """Serve the workflow tasks of every run while inside, and no activity of any."""
    # A workflow decides and calls nobody, so that it matters to no run who does this.
    await require_key(client, queue)
    async with _run_workers([_create_workflow_worker(client, registry, queue)]):
        yield


@nexusrpc.service(name="research")
class ResearchService:
    """What Caveat does for others; `research` takes a request as the Temporal CLI does."""

    # Raw, because a run whose request is wrong ends by name and says why.
    research: nexusrpc.Operation[dict[str, Any], Outcome]


@service_handler(service=ResearchService)
class ResearchHandler:
    """Starts a run for each call; a call that is sent twice finds its first run."""

    @nexus.workflow_run_operation
    async def research(
        self, ctx: nexus.WorkflowRunOperationContext, request: dict[str, Any]
    ) -> nexus.WorkflowHandle[Outcome]:
        return await ctx.start_workflow(Research.run, request, id=f"research-{ctx.request_id}")


@asynccontextmanager
async def _run_workers(serving: Sequence[Worker]) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for worker in serving:
            await stack.enter_async_context(worker)
        try:
            yield
        finally:
            # Together, so that stopping takes one period of grace and not one for each.
            await asyncio.gather(*(worker.shutdown() for worker in serving))


def _create_workflow_worker(client: Client, registry: Registry, queue: str) -> Worker:
    return Worker(
        client,
        task_queue=queue,
        workflows=registry.workflows,
        nexus_service_handlers=[ResearchHandler()],
        # Lint and replays in the sandbox keep workflow code pure (docs/decisions/0003-sandbox.md).
        workflow_runner=temporal.UnsandboxedWorkflowRunner(),
        interceptors=[DetailsOnDemand()],
        deployment_config=registry.deployment,
        # An activity that is started eagerly passes its queue by, and the queue's limit.
        disable_eager_activity_execution=True,
        max_concurrent_workflow_tasks=_WORKFLOW_TASKS,
        max_cached_workflows=_CACHED,
        sticky_queue_schedule_to_start_timeout=_STICKY,
        graceful_shutdown_timeout=GRACE,
    )


class _Attended(NamedTuple):
    queue: str
    activities: tuple[Callable[..., Any], ...]
    at_once: int = _FETCHING
    per_second: float | None = None


def _list_queues(registry: Registry, queue: str) -> Iterator[_Attended]:
    route = Route(backend=registry.backend)
    if registry.keeping:
        yield _Attended(name_queue(queue, QueueKind.KEEP, route), registry.keeping)
    if registry.backend is not None:
        yield _Attended(name_queue(queue, QueueKind.FETCH, route), registry.fetching)
        reasoning = name_queue(queue, QueueKind.REASON, route)
        bounds = registry.reasoned_at_once, registry.reasoned_per_second
        yield _Attended(reasoning, registry.reasoning, *bounds)
        # What runs begin with that have not decided yet, or not all, who works on them.
        undecided = (Route(), Route(reasoner=registry.backend.reasoner))
        for route in undecided if registry.begins else ():
            yield _Attended(name_queue(queue, QueueKind.FETCH, route), registry.fetching, _BEGUN)


class DetailsOnDemand(Interceptor):
    # Setting them at every change takes more time than all else that a run decides.

    def workflow_interceptor_class(
        self,
        input: temporal.WorkflowInterceptorClassInput,  # noqa: A002  # the SDK's name
    ) -> type[temporal.WorkflowInboundInterceptor]:
        return _Drawing


class _Drawing(temporal.WorkflowInboundInterceptor):
    async def handle_query(self, input: temporal.HandleQueryInput) -> Any:  # noqa: A002  # the SDK's name
        answer = await super().handle_query(input)
        draw = getattr(workflow.instance(), "details", None)  # a workflow of somebody else has none
        if isinstance(answer, WorkflowMetadata) and draw is not None:
            answer.current_details = draw()
        return answer
