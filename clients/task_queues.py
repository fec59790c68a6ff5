"""Whether a worker polls a task queue, as the server says it."""

import datetime as dt

from temporalio.api.enums.v1 import TaskQueueType, WorkerStatus
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.worker.v1 import WorkerHeartbeat
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest, ListWorkersRequest
from temporalio.client import Client
from temporalio.service import RPCError

from caveat.clients.translation import translate_errors

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
    request = DescribeTaskQueueRequest(
        namespace=client.namespace, task_queue=TaskQueue(name=task_queue), task_queue_type=kind
    )
    with translate_errors():
        answer = await client.workflow_service.describe_task_queue(request, retry=True)
    oldest = dt.datetime.now(dt.UTC) - _ALIVE
    polling = {
        each.identity
        for each in answer.pollers
        if each.last_access_time.ToDatetime(tzinfo=dt.UTC) > oldest
    }
    return bool(polling - await _list_stopping_workers(client, task_queue)) if polling else False


async def _list_stopping_workers(client: Client, task_queue: str) -> set[str]:
    """Name the workers that stop: pollers are listed for minutes after their end."""
    request = ListWorkersRequest(
        namespace=client.namespace, query=f"TaskQueue = '{task_queue}'", page_size=500
    )
    try:
        answer = await client.workflow_service.list_workers(request)
    except RPCError:  # older servers keep no list
        return set()
    newest: dict[str, WorkerHeartbeat] = {}
    for each in answer.workers_info:
        beat = each.worker_heartbeat
        known = newest.get(beat.worker_identity)
        if known is None or known.start_time.ToNanoseconds() < beat.start_time.ToNanoseconds():
            newest[beat.worker_identity] = beat
    return {identity for identity, beat in newest.items() if beat.status in _STOPPING}
