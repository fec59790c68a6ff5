"""What programs elsewhere are told of a run, without its waiting for them."""

import asyncio
import datetime as dt
import time
from contextlib import suppress
from dataclasses import dataclass

from temporalio import activity
from temporalio.common import ActivityIDConflictPolicy, RetryPolicy
from temporalio.exceptions import ActivityAlreadyStartedError
from temporalio.service import RPCError

from caveat.activities.subagent import Attempt, subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.failure import FailureType
from caveat.contracts.tasks import Announced, AnnouncementTask
from caveat.failures import PortFailure, timed_out, unavailable
from caveat.ports import Announcer

ANNOUNCE = "announce_event"
"""The name of the activity, of a run and of the server alone."""

_AT_ONCE_S = 2.0
"""Seconds that a run gives a webhook: one that works answers within one, and a run that ends waits
for them."""

_PAUSE_S = 30.0
"""Seconds for which a webhook that did not answer is left to the server alone: a run of many events
would wait 2 s for each of them, and so would what shares its queue."""

_HANDED_OVER = RetryPolicy(
    initial_interval=dt.timedelta(seconds=1),
    backoff_coefficient=2.0,
    maximum_interval=dt.timedelta(minutes=1),
    maximum_attempts=0,
    non_retryable_error_types=[
        FailureType.AUTH_ERROR,
        FailureType.NOT_FOUND,
        FailureType.PERMANENT,
    ],
)
"""1, 2, 4 s and so on to a minute, for as long as the event is of use: a receiver that is installed
anew is away for minutes, and no run waits for it."""


@dataclass
class AnnouncingActivities:
    """Delivers events.

    Attributes:
        announcer: delivers them; None where this process knows no webhook.
    """

    announcer: Announcer | None = None
    _paused_until: float = 0.0

    @subagent(AgentType.MESSENGER, name=ANNOUNCE)
    async def announce(self, task: AnnouncementTask, attempt: Attempt) -> SubagentResult[Announced]:
        """Deliver an event, or have the server go on trying to."""
        if self.announcer is not None and task.handed_over:
            await self.announcer.announce(task.event)
            return attempt.done(Announced(event_id=task.event.id))
        refused = await self._at_once(task)
        if refused is None:
            return attempt.done(Announced(event_id=task.event.id))
        if not refused.failure.retry_recommended:
            raise refused
        try:
            await _hand_over(task)
        except RPCError:  # the server is too old for that, or does not answer: the run tries again
            self._paused_until = 0.0
            raise refused from None
        return attempt.done(Announced(event_id=task.event.id, handed_over=True))

    async def _at_once(self, task: AnnouncementTask) -> PortFailure | None:
        if self.announcer is None:
            return unavailable("This worker knows no webhook.", resource="webhook")
        refused: PortFailure
        if time.monotonic() < self._paused_until:
            return unavailable("The webhook did not answer a moment ago.", resource="webhook")
        try:
            async with asyncio.timeout(_AT_ONCE_S):
                await self.announcer.announce(task.event)
        except TimeoutError:
            refused = timed_out("The webhook did not answer at once.", resource="webhook")
        except PortFailure as failed:
            refused = failed
        else:
            return None
        self._paused_until = time.monotonic() + _PAUSE_S
        return refused


async def _hand_over(task: AnnouncementTask) -> None:
    """Start the delivery as an activity that no run waits for, once.

    Raises:
        RPCError: the server does not take it.
    """
    with suppress(ActivityAlreadyStartedError):
        await activity.client().start_activity(
            ANNOUNCE,
            task.model_copy(update={"handed_over": True}),
            id=f"announce-{task.event.id}",
            task_queue=task.receivers,
            start_to_close_timeout=dt.timedelta(seconds=30),  # a delivery is cut at 10 s
            schedule_to_close_timeout=task.event.expires - task.event.time,
            retry_policy=_HANDED_OVER,
            id_conflict_policy=ActivityIDConflictPolicy.USE_EXISTING,
            summary=task.description,
        )
