"""Who tells people, agents and programs something, as Temporal sees it."""

import asyncio
import base64
import datetime as dt
import time
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from temporalio.activity import _CompleteAsyncError
from temporalio.api.taskqueue.v1 import PollerInfo
from temporalio.api.workflowservice.v1 import DescribeTaskQueueResponse
from temporalio.client import Client
from temporalio.common import ActivityIDConflictPolicy
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import ActivityEnvironment

from caveat.activities.notify import AnnouncingActivities, NoticeActivities, OutsideActivities
from caveat.contracts.failure import Failure
from caveat.contracts.message import Message
from caveat.contracts.notice import Delivery, Notice, NoticeKind
from caveat.contracts.tasks import (
    Announced,
    AnnouncementTask,
    NotificationTask,
    OutsideTask,
    PostTask,
)
from caveat.failures import PortFailure, forbidden, unavailable
from tests.fakes.tasks import ANGLE, EVENT

NOTICE = Notice(
    id="research-moons-abc123-1",
    kind=NoticeKind.DEGRADED,
    run_id="research-moons-abc123",
    topic="How many moons?",
    message="The confidence is 0.31.",
    created=dt.datetime(2026, 5, 4, tzinfo=dt.UTC),
)
TASK = NotificationTask(task_id="notice-1", description="Tell people", notice=NOTICE)


@dataclass
class Pigeon:
    failure: Failure | None = None
    carried: list[Notice] = field(default_factory=list)

    async def notify(self, notice: Notice) -> None:
        if self.failure is not None:
            raise PortFailure(self.failure)
        self.carried.append(notice)


@dataclass
class Server:
    """What activities ask of Temporal's server."""

    polled_s_ago: tuple[float, ...] = ()  # when each worker with a receiver last asked for work
    error: Exception | None = None
    started: list[dict[str, Any]] = field(default_factory=list)
    namespace: str = "research"

    @property
    def workflow_service(self) -> "Server":
        return self

    async def describe_task_queue(self, request: Any, **options: Any) -> DescribeTaskQueueResponse:
        assert (request.namespace, request.task_queue.name) == ("research", "tell")
        assert options == {"retry": True, "timeout": None}
        if self.error is not None:
            raise self.error
        answer = DescribeTaskQueueResponse()
        for seconds in self.polled_s_ago:
            poller = PollerInfo()
            poller.last_access_time.FromDatetime(
                dt.datetime.now(dt.UTC) - dt.timedelta(seconds=seconds)
            )
            answer.pollers.append(poller)
        return answer

    async def list_workers(self, _: Any) -> None:
        raise LOST

    async def start_activity(self, name: str, task: AnnouncementTask, **options: Any) -> None:
        if self.error is not None:
            raise self.error
        self.started.append({"name": name, "task": task, **options})

    async def run(self, method: Any, task: Any) -> Any:
        environment = ActivityEnvironment(cast("Client", self))
        return (await environment.run(method, task)).result


LOST = RPCError("no server", RPCStatusCode.UNAVAILABLE, b"")


@pytest.mark.parametrize(
    ("server", "passed_on"),
    [
        (Server(), False),
        (Server((89.5,)), True),
        (Server((90.5,)), False),
        (Server((200, 1)), True),
        (Server(error=LOST), True),
    ],
)
async def test_a_log_passes_notices_on_to_a_receiver_that_polls(
    server: Server, *, passed_on: bool
) -> None:
    task = TASK.model_copy(update={"receivers": "tell"})
    log = NoticeActivities(Pigeon(), has_receiver=False)
    assert await server.run(log.notify, task) == Delivery(passed_on=passed_on)
    assert await server.run(log.notify, TASK) == Delivery()
    assert await server.run(NoticeActivities(Pigeon()).notify, task) == Delivery()


class Broker:
    async def ask(self, task: OutsideTask, token: str) -> None:
        assert (task, base64.b64decode(token)) == (ASKED, b"test")

    async def post(self, task: PostTask) -> str:
        return f"sent-{task.task_id}"


ASKED = OutsideTask(
    task_id="a1-ask", description="Ask", agent="field", run_id="r", topic="x", assignment=ANGLE
)


async def test_messages_go_by_a_broker_or_not_at_all() -> None:
    post = PostTask(task_id="p", description="Post", run_id="r", recipient=None, body=EVENT.data)
    assert await Server().run(OutsideActivities(Broker()).post, post) == "sent-p"
    assert await Server().run(OutsideActivities().post, post) == ""
    with pytest.raises(_CompleteAsyncError):
        await Server().run(OutsideActivities(Broker()).ask, ASKED)
    with pytest.raises(ApplicationError, match="set CAVEAT_MESSAGES to a RabbitMQ"):
        await Server().run(OutsideActivities().ask, ASKED)


@dataclass
class Webhook:
    answers: list[PortFailure | float | None]  # None takes the event, a number does so later
    heard: int = 0

    async def announce(self, event: Message) -> None:
        assert event == EVENT
        self.heard += 1
        answer = self.answers.pop(0)
        if isinstance(answer, PortFailure):
            raise answer
        await asyncio.sleep(answer or 0)


NEWS = AnnouncementTask(task_id="n", description="Tell x", event=EVENT, receivers="announce")
TOLD = Announced(event_id=EVENT.id)
HANDED_OVER = Announced(event_id=EVENT.id, handed_over=True)
DOWN = unavailable("It rests.", resource="webhook")
REFUSED = forbidden("It is locked.", resource="webhook")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that activities read; a test moves them on."""
    now = [1000.0]
    monkeypatch.setattr(
        "caveat.activities.notify.time",
        type("Clock", (), {"monotonic": staticmethod(lambda: now[0])}),
    )
    return now


async def test_a_webhook_that_is_down_is_left_to_the_server_for_half_a_minute(
    clock: list[float],
) -> None:
    server, webhook = Server(), Webhook([DOWN, None, None])
    announce = AnnouncingActivities(webhook).announce
    assert await server.run(announce, NEWS) == HANDED_OVER
    clock[0] += 29
    assert await server.run(announce, NEWS) == HANDED_OVER
    assert webhook.heard == 1, "within the pause only the server tries"
    clock[0] += 1
    assert await server.run(announce, NEWS) == TOLD
    assert len(server.started) == 2
    # What the server tries is tried, whatever runs are kept waiting for.
    assert await server.run(announce, NEWS.model_copy(update={"handed_over": True})) == TOLD
    assert (webhook.heard, len(server.started)) == (3, 2)


async def test_what_is_handed_over_is_tried_until_it_expires() -> None:
    server = Server()
    assert await server.run(AnnouncingActivities().announce, NEWS) == HANDED_OVER
    (started,) = server.started
    retry = started.pop("retry_policy")
    assert started == {
        "name": "announce_event",
        "task": NEWS.model_copy(update={"handed_over": True}),
        "id": f"announce-{EVENT.id}",
        "task_queue": "announce",
        "start_to_close_timeout": dt.timedelta(seconds=30),
        "schedule_to_close_timeout": EVENT.expires - EVENT.time,
        "id_conflict_policy": ActivityIDConflictPolicy.USE_EXISTING,
        "summary": "Tell x",
    }
    assert (retry.initial_interval, retry.backoff_coefficient) == (dt.timedelta(seconds=1), 2.0)
    assert (retry.maximum_interval, retry.maximum_attempts) == (dt.timedelta(minutes=1), 0)
    assert retry.non_retryable_error_types == ["auth_error", "not_found", "permanent"]


async def test_a_webhook_that_refuses_is_not_tried_again() -> None:
    server = Server()
    with pytest.raises(ApplicationError, match="It is locked"):
        await server.run(AnnouncingActivities(Webhook([REFUSED])).announce, NEWS)
    assert not server.started


async def test_a_run_waits_two_seconds_for_a_webhook() -> None:
    began = time.monotonic()
    announce = AnnouncingActivities(Webhook([1.5, 60.0])).announce
    assert await Server().run(announce, NEWS) == TOLD
    assert await Server().run(announce, NEWS) == HANDED_OVER
    assert 3.4 < time.monotonic() - began < 5.4
