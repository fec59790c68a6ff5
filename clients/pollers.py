"""Which workers there are: what polls a task queue, and which versions of Caveat they are."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from temporalio.api.enums.v1 import TaskQueueType, WorkerStatus, WorkerVersioningMode
from temporalio.api.taskqueue.v1 import PollerInfo, TaskQueue
from temporalio.api.worker.v1 import WorkerHeartbeat
from temporalio.api.workflowservice.v1 import (
    DescribeTaskQueueRequest,
    DescribeTaskQueueResponse,
    ListWorkersRequest,
)
from temporalio.client import Client, WorkflowExecution, WorkflowExecutionStatus
from temporalio.common import SearchAttributeKey
from temporalio.service import RPCError

from caveat.clients.translation import translated

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


async def is_polled(client: Client, queue: str, kind: "TaskQueueType.ValueType") -> bool:
    """Say whether any worker polls a queue."""
    there, _ = await polling(client, queue, kind, await told(client))
    return bool(there)


async def polling(
    client: Client,
    queue: str,
    kind: "TaskQueueType.ValueType",
    told: Mapping[tuple[str, str], bool],
) -> tuple[list[str], int]:
    """Say who polls a queue, by identity, and how many tasks wait in it.

    Args:
        client: of the server.
        queue: its name.
        kind: of its tasks.
        told: what workers told of themselves; see `told`.
    """
    answer = await _described(client, queue, kind)
    there = {each.identity for each in _alive(answer) if told.get((each.identity, queue), True)}
    return sorted(there), answer.stats.approximate_backlog_count


async def told(client: Client) -> dict[tuple[str, str], bool]:
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
