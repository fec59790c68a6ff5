"""Which workers there are: what polls a task queue, of which versions, and for which reasoners."""

import asyncio
import datetime as dt
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from temporalio.api.enums.v1 import TaskQueueType, WorkerStatus, WorkerVersioningMode
from temporalio.api.taskqueue.v1 import PollerInfo, TaskQueue
from temporalio.api.worker.v1 import WorkerHeartbeat
from temporalio.api.workflowservice.v1 import (
    DescribeTaskQueueRequest,
    DescribeTaskQueueResponse,
    ListWorkersRequest,
    SetWorkerDeploymentCurrentVersionRequest,
)
from temporalio.client import Client, WorkflowExecution, WorkflowExecutionStatus
from temporalio.common import SearchAttributeKey, WorkerDeploymentVersion
from temporalio.service import RPCError, RPCStatusCode

from caveat.clients.problems import OutOfReach
from caveat.clients.translation import sentence, translated
from caveat.contracts.backend import Backend, Route
from caveat.contracts.base import Contract
from caveat.rendering.backends import in_words, waiting_words
from caveat.workers.own_queues import route_in
from caveat.workers.succession import backend_of
from caveat.workflows.names import GOES_ON, IS_RUN, QUEUE, Lane, queue_of

_ALIVE = dt.timedelta(seconds=90)
"""A worker polls at least once a minute; the server lists it for five."""

ANY = "__unversioned__"
"""How the server calls the version of workers that are in no deployment."""

_WORKERS = 500
"""On a page of the server's list: a process has about ten, one for each queue."""

_STOPPING = frozenset(
    {WorkerStatus.WORKER_STATUS_SHUTTING_DOWN, WorkerStatus.WORKER_STATUS_SHUTDOWN}
)

_BEHAVIOUR = SearchAttributeKey.for_keyword("TemporalWorkflowVersioningBehavior")
_VERSION = SearchAttributeKey.for_keyword("TemporalWorkerDeploymentVersion")
"""Set by the server itself on what workers of a deployment have decided."""


@dataclass(frozen=True)
class Serving:
    """Whose workers take up what waits in a queue for a decision.

    Attributes:
        versions: of the workers that are there, `deployment:build`, or `ANY`.
        current: which of them takes up what is pinned to none.
    """

    versions: frozenset[str]
    current: str

    @property
    def takes_new(self) -> bool:
        """Whether anybody takes up a run that begins."""
        return self.current in self.versions


async def serving(client: Client, queue: str) -> Serving:
    """Look who decides what waits in a queue."""
    answer = await _described(client, queue, TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW)
    current = answer.versioning_info.current_deployment_version
    named = f"{current.deployment_name}:{current.build_id}" if current.build_id else ANY
    return Serving(frozenset(map(_version, _alive(answer))), named)


async def is_polled(client: Client, queue: str) -> bool:
    """Say whether any worker polls a queue of activities."""
    there, _ = await _polling(client, queue, await _told(client))
    return bool(there)


async def _polling(
    client: Client, queue: str, told: Mapping[tuple[str, str], bool]
) -> tuple[list[str], int]:
    """Say who polls a queue of activities, by identity, and how many of them wait in it."""
    answer = await _described(client, queue, TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY)
    there = {each.identity for each in _alive(answer) if told.get((each.identity, queue), True)}
    return sorted(there), answer.stats.approximate_backlog_count


async def _told(client: Client) -> dict[tuple[str, str], bool]:
    """Say of workers, by identity and queue, whether they go on; of those that told the server.

    A poller is listed for minutes after its end, and says itself that it stops.
    """
    newest: dict[tuple[str, str], WorkerHeartbeat] = {}
    page = b""
    while True:
        request = ListWorkersRequest(
            namespace=client.namespace, page_size=_WORKERS, next_page_token=page
        )
        try:
            answer = await client.workflow_service.list_workers(request)
        except RPCError:  # older servers keep no list
            return {}
        for each in answer.workers_info:
            beat = each.worker_heartbeat
            known = newest.get((beat.worker_identity, beat.task_queue))
            if known is None or known.start_time.ToNanoseconds() < beat.start_time.ToNanoseconds():
                newest[beat.worker_identity, beat.task_queue] = beat
        page = answer.next_page_token
        if not page:
            return {named: beat.status not in _STOPPING for named, beat in newest.items()}


def pinned_to(execution: WorkflowExecution) -> str | None:
    """Say to which version something open is pinned, `deployment:build`; None to none."""
    attributes = execution.typed_search_attributes
    if execution.status is not WorkflowExecutionStatus.RUNNING:
        return None
    return attributes.get(_VERSION) if attributes.get(_BEHAVIOUR) == "Pinned" else None


async def gone(client: Client, execution: WorkflowExecution) -> str | None:
    """Say to which version something is pinned that no worker is of any more; None to none."""
    version = pinned_to(execution)
    if version is None or version in (await serving(client, execution.task_queue)).versions:
        return None
    return version


async def _described(
    client: Client, queue: str, kind: "TaskQueueType.ValueType"
) -> DescribeTaskQueueResponse:
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=queue),
        task_queue_type=kind,
        report_stats=True,
    )
    with translated():
        return await client.workflow_service.describe_task_queue(request, retry=True)


def _alive(answer: DescribeTaskQueueResponse) -> list[PollerInfo]:
    oldest = dt.datetime.now(dt.UTC) - _ALIVE
    return [
        poller
        for poller in answer.pollers
        if poller.last_access_time.ToDatetime(tzinfo=dt.UTC) > oldest
    ]


def _version(poller: PollerInfo) -> str:
    options = poller.deployment_options
    if options.worker_versioning_mode != WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED:
        return ANY
    return f"{options.deployment_name}:{options.build_id}"


_REGISTERED_S = 30.0
"""Seconds until the server knows all queues of a version that has just begun: it takes one."""

_PAUSE_S = 0.2

_NOT_YET = frozenset({RPCStatusCode.NOT_FOUND, RPCStatusCode.FAILED_PRECONDITION})
"""How the server answers that knows nothing of a version yet, or not all of its queues."""


async def make_current(client: Client, version: WorkerDeploymentVersion) -> None:
    """Have new runs begin with a version whose workers are there.

    Raises:
        OutOfReach: the server refuses, or does not hear of the workers.
    """
    deadline = time.monotonic() + _REGISTERED_S
    while (refused := await _refusal(client, version)) is not None:
        if time.monotonic() > deadline:
            raise OutOfReach(
                f"New runs cannot begin with version {_named(version)}: {sentence(refused)}"
            )
        await asyncio.sleep(_PAUSE_S)


async def _refusal(client: Client, version: WorkerDeploymentVersion) -> str | None:
    with translated():
        try:
            await client.workflow_service.set_worker_deployment_current_version(
                SetWorkerDeploymentCurrentVersionRequest(
                    namespace=client.namespace,
                    deployment_name=version.deployment_name,
                    build_id=version.build_id,
                )
            )
        except RPCError as error:
            if error.status not in _NOT_YET:
                raise
            return error.message
    return None


async def standing_of(client: Client, version: WorkerDeploymentVersion) -> str:
    """Say whose runs a worker of a version takes up, and how it takes up new ones."""
    current = (await serving(client, QUEUE)).current
    if current == _named(version):
        return f"Version {current}, with which new runs begin."
    others = "workers in no deployment" if current == ANY else f"version {current}"
    return (
        f"Version {_named(version)}; new runs begin with {others}: `caveat worker --current` lets "
        "them begin with this one."
    )


def _named(version: WorkerDeploymentVersion) -> str:
    """Name a version as the server does."""
    return f"{version.deployment_name}:{version.build_id}"


_UNDECIDED = queue_of(QUEUE, Lane.FETCH, Route())
"""Where runs begin that have not decided who works on them: polled by the workers of everybody."""


class Pool(Contract):
    """The workers of one backend.

    Attributes:
        id: of the backend; its queues are named by it.
        reasoner: the backend in words.
        workers: identities of processes, `number@machine`.
        runs: those that go on and are this backend's.
        waiting: tasks for the reasoner that nobody has begun.
        needs: what is to be done where runs have no worker; None where nothing is.
    """

    id: str
    reasoner: str
    workers: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    waiting: int = 0
    needs: str | None = None


@dataclass
class _Found:
    words: str
    backend: Backend | None = None
    queues: set[str] = field(default_factory=set)
    runs: list[str] = field(default_factory=list)


async def pools(client: Client) -> list[Pool]:
    """List the pools of a server, those without any worker first."""
    says = await _told(client)
    found: dict[str, _Found] = {}
    there, _ = await _polling(client, _UNDECIDED, says)
    for name, words in filter(None, map(backend_of, there)):
        found[name] = _Found(words, queues={f"{QUEUE}{Lane.REASON}.{name}"})
    with translated():
        query = f"{IS_RUN} AND {GOES_ON} AND TaskQueue = '{QUEUE}'"
        async for execution in client.list_workflows(query):
            route = await route_in(execution)
            if route is not None and route.backend is not None:
                one = found.setdefault(route.backend.id, _Found(in_words(route.backend)))
                one.backend = route.backend
                one.runs.append(execution.id)
                for each in (route, Route(backend=route.backend)):
                    one.queues.add(queue_of(QUEUE, Lane.REASON, each))
    made = [await _pool(client, name, one, says) for name, one in found.items()]
    return sorted(made, key=lambda each: (bool(each.workers), each.reasoner))


async def _pool(
    client: Client, name: str, found: _Found, says: dict[tuple[str, str], bool]
) -> Pool:
    identities: set[str] = set()
    waiting = 0
    for queue in found.queues:
        there, backlog = await _polling(client, queue, says)
        identities.update(there)
        waiting += backlog
    is_left = found.runs and not identities
    return Pool(
        id=name,
        reasoner=found.words,
        workers=tuple(sorted({each.partition(" ")[0] for each in identities})),
        runs=tuple(sorted(found.runs)),
        waiting=waiting,
        needs=waiting_words(found.backend, is_there=False) if is_left else None,
    )
