"""Who asks a task queue for work, as the server says it."""

import datetime as dt
from collections.abc import Sequence

from temporalio.api.enums.v1 import TaskQueueType, WorkerStatus
from temporalio.api.taskqueue.v1 import PollerInfo, TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest, ListWorkersRequest
from temporalio.client import Client
from temporalio.service import RPCError

_ALIVE = dt.timedelta(seconds=90)
"""A worker polls at least once a minute; the server lists it for five."""

_STOPPING = frozenset(
    {WorkerStatus.WORKER_STATUS_SHUTTING_DOWN, WorkerStatus.WORKER_STATUS_SHUTDOWN}
)

ACTIVITIES = TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY
WORKFLOWS = TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW


async def is_polled(
    client: Client, task_queue: str, kind: "TaskQueueType.ValueType" = ACTIVITIES
) -> bool:
    """Say whether any worker polls a task queue, and has not said that it stops."""
    pollers = await list_pollers(client, task_queue, kind)
    oldest = dt.datetime.now(dt.UTC) - _ALIVE
    # A container that starts again has the identity of the one that stopped.
    stopped = await _list_stopped_workers(client, task_queue) if pollers else {}
    return any(
        max(oldest, stopped.get(poller.identity, oldest))
        < poller.last_access_time.ToDatetime(tzinfo=dt.UTC)
        for poller in pollers
    )


async def list_pollers(
    client: Client,
    task_queue: str,
    kind: "TaskQueueType.ValueType",
    within: dt.timedelta | None = None,
) -> Sequence[PollerInfo]:
    """List who polled a task queue in the last five minutes; within a time, ask once."""
    request = DescribeTaskQueueRequest(
        namespace=client.namespace, task_queue=TaskQueue(name=task_queue), task_queue_type=kind
    )
    # A server that has just begun anew does not know its queues for a moment.
    answer = await client.workflow_service.describe_task_queue(
        request, retry=within is None, timeout=within
    )
    return answer.pollers


async def _list_stopped_workers(client: Client, task_queue: str) -> dict[str, dt.datetime]:
    """Say by their identities when workers stopped: pollers are listed for minutes after that."""
    request = ListWorkersRequest(
        namespace=client.namespace, query=f"TaskQueue = '{task_queue}'", page_size=500
    )
    try:
        answer = await client.workflow_service.list_workers(request)
    except RPCError:  # older servers keep no list
        return {}
    stopped: dict[str, dt.datetime] = {}
    for worker in answer.workers_info:
        beat = worker.worker_heartbeat
        if beat.status in _STOPPING:
            told = beat.heartbeat_time.ToDatetime(tzinfo=dt.UTC)
            stopped[beat.worker_identity] = max(told, stopped.get(beat.worker_identity, told))
    return stopped
