"""The herald, as Temporal sees it."""

import datetime as dt
from dataclasses import dataclass, field

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from caveat.activities.notify import NoticeActivities
from caveat.contracts.envelope import AgentType, Status
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.notice import Delivery, Notice, NoticeKind
from caveat.contracts.tasks import NotificationTask
from caveat.failures import PortFailure

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


async def test_a_notice_is_delivered_and_returned() -> None:
    pigeon = Pigeon()
    envelope = await ActivityEnvironment().run(NoticeActivities(pigeon).notify, TASK)
    assert (envelope.status, envelope.agent_type) == (Status.SUCCESS, AgentType.HERALD)
    assert envelope.result == Delivery()
    assert pigeon.carried == [NOTICE]


async def test_a_failure_travels_with_its_delay() -> None:
    failure = Failure(
        category=FailureCategory.TRANSIENT,
        failure_type=FailureType.RATE_LIMITED,
        message="The webhook at receiver.example answered 429: it asks for fewer deliveries.",
        retry_recommended=True,
        retry_after_s=7.0,
        provider="webhook",
    )
    with pytest.raises(ApplicationError) as raised:
        await ActivityEnvironment().run(NoticeActivities(Pigeon(failure)).notify, TASK)
    assert raised.value.type == FailureType.RATE_LIMITED
    assert raised.value.next_retry_delay == dt.timedelta(seconds=7)
    assert raised.value.details[0].failure == failure
