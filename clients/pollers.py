"""Which workers there are: what polls a task queue, and which versions of Caveat they are."""

import datetime as dt
from dataclasses import dataclass

from temporalio.api.enums.v1 import TaskQueueType, WorkerVersioningMode
from temporalio.api.taskqueue.v1 import PollerInfo, TaskQueue
from temporalio.api.workflowservice.v1 import (
    DescribeTaskQueueRequest,
    DescribeTaskQueueResponse,
)
from temporalio.client import Client, WorkflowExecution, WorkflowExecutionStatus
from temporalio.common import SearchAttributeKey

from caveat.clients.translation import translated

_ALIVE = dt.timedelta(seconds=90)
"""A worker polls at least once a minute; the server lists it for five."""

ANY = "__unversioned__"
"""How the server calls the version of workers that are in no deployment."""

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
    return bool(_alive(await _described(client, queue, kind)))


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
        namespace=client.namespace, task_queue=TaskQueue(name=queue), task_queue_type=kind
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
