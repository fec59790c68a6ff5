"""Who tells people, agents and programs something, as Temporal sees it."""

import base64

import pytest
from temporalio.activity import _CompleteAsyncError
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from caveat.activities.notify import OutsideActivities
from caveat.contracts.tasks import OutsideTask, PostTask
from tests.fakes.tasks import ANGLE, EVENT


class Broker:
    async def ask(self, task: OutsideTask, token: str) -> None:
        assert (task, base64.b64decode(token)) == (ASKED, b"test")

    async def post(self, task: PostTask) -> str:
        return f"sent-{task.task_id}"


ASKED = OutsideTask(
    task_id="a1-ask", description="Ask", agent="field", run_id="r", topic="x", assignment=ANGLE
)


async def test_messages_go_by_a_broker_or_not_at_all() -> None:
    run = ActivityEnvironment().run
    post = PostTask(task_id="p", description="Post", run_id="r", recipient=None, body=EVENT.data)
    assert (await run(OutsideActivities(Broker()).post, post)).result == "sent-p"
    assert (await run(OutsideActivities().post, post)).result == ""
    with pytest.raises(_CompleteAsyncError):
        await run(OutsideActivities(Broker()).ask, ASKED)
    with pytest.raises(ApplicationError, match="set CAVEAT_MESSAGES to a RabbitMQ"):
        await run(OutsideActivities().ask, ASKED)
