"""What people are told, and by whom."""

import datetime as dt
from dataclasses import dataclass

from temporalio import activity
from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.service import RPCError

from caveat.activities.subagent import Attempt, subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.notice import Delivery
from caveat.contracts.tasks import NotificationTask
from caveat.ports import Notifier

_ALIVE = dt.timedelta(seconds=90)
"""A worker polls at least once a minute; the server lists it for five."""


@dataclass(frozen=True)
class NoticeActivities:
    """Delivers notices.

    Attributes:
        notifier: tells whoever this process can tell.
        has_receiver: whether that is more than its own log.
    """

    notifier: Notifier
    has_receiver: bool = True

    @subagent(AgentType.HERALD, name="notify")
    async def notify(self, task: NotificationTask, attempt: Attempt) -> SubagentResult[Delivery]:
        """Deliver a notice, and say whether somebody else must deliver it too."""
        await self.notifier.notify(task.notice)
        passed_on = not self.has_receiver and await _is_served(task.receivers)
        delivery = Delivery(notice=task.notice, has_receiver=self.has_receiver, passed_on=passed_on)
        return attempt.done(delivery)


async def _is_served(queue: str | None) -> bool:
    """Say whether a worker that knows a receiver takes notices from a queue."""
    if queue is None:
        return False
    client = activity.client()
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=queue),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    )
    try:
        answer = await client.workflow_service.describe_task_queue(request)
    except RPCError:
        return True  # it is tried, and a failure says that it was in vain
    oldest = dt.datetime.now(dt.UTC) - _ALIVE
    return any(
        poller.last_access_time.ToDatetime(tzinfo=dt.UTC) > oldest for poller in answer.pollers
    )
