"""Whom a run tells something: people, agents that live elsewhere, and programs."""

import asyncio
import base64
import datetime as dt
import time
from contextlib import suppress
from dataclasses import dataclass

from temporalio import activity
from temporalio.common import ActivityIDConflictPolicy, RetryPolicy
from temporalio.exceptions import ActivityAlreadyStartedError
from temporalio.service import RPCError

from caveat.activities.polling import is_polled
from caveat.activities.subagent import Attempt, declare_subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.failure import FailureType
from caveat.contracts.notice import Delivery
from caveat.contracts.outside import Brought
from caveat.contracts.tasks import (
    Announced,
    AnnouncementTask,
    NotificationTask,
    OutsideTask,
    PostTask,
)
from caveat.failures import PortFailure, invalid, timed_out, unavailable
from caveat.ports import Agents, Announcer, Notifier


@dataclass(frozen=True)
class NoticeActivities:
    notifier: Notifier
    has_receiver: bool = True  # whether that is more than its own log

    @declare_subagent(AgentType.HERALD)
    async def notify(self, task: NotificationTask, attempt: Attempt) -> SubagentResult[Delivery]:
        """Deliver a notice, and say whether somebody else must deliver it too."""
        await self.notifier.notify(task.notice)
        passed_on = False
        if task.receivers is not None and not self.has_receiver:
            try:
                passed_on = await is_polled(activity.client(), task.receivers)
            except RPCError:
                passed_on = True  # it is tried, and a failure says that it was in vain
        return attempt.wrap_result(Delivery(passed_on=passed_on))


@dataclass(frozen=True)
class OutsideActivities:
    agents: Agents | None = None  # None without a broker

    @declare_subagent(AgentType.OUTSIDE, name="ask_agent")
    async def ask(self, task: OutsideTask, attempt: Attempt) -> SubagentResult[Brought]:
        """Send an assignment; the answer completes this, whenever and wherever it comes."""
        if self.agents is None:
            raise invalid(
                "Messages need a broker: set CAVEAT_MESSAGES to a RabbitMQ.", resource=task.agent
            )
        attempt.send_beat()  # from here on the agent's own signs of life count
        token = base64.b64encode(activity.info().task_token).decode()
        await self.agents.ask(task, token)
        activity.raise_complete_async()

    @declare_subagent(AgentType.MESSENGER, name="post_message")
    async def post(self, task: PostTask, attempt: Attempt) -> SubagentResult[str]:
        """Send a message that nobody answers; return its id."""
        sent = None if self.agents is None else await self.agents.post(task)
        return attempt.wrap_result(sent or "")


ANNOUNCE = "announce_event"  # the name of the activity, of a run and of the server alone

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
    announcer: Announcer | None = None  # delivers them; None where this process knows no webhook
    _paused_until: float = 0.0

    @declare_subagent(AgentType.MESSENGER, name=ANNOUNCE)
    async def announce(self, task: AnnouncementTask, attempt: Attempt) -> SubagentResult[Announced]:
        """Deliver an event, or have the server go on trying to."""
        if self.announcer is not None and task.handed_over:
            await self.announcer.announce(task.event)
            return attempt.wrap_result(Announced(event_id=task.event.id))
        refused = await self._announce_now(task)
        if refused is None:
            return attempt.wrap_result(Announced(event_id=task.event.id))
        if not refused.failure.retry_recommended:
            raise refused
        try:
            # Start the delivery as an activity that no run waits for, once.
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
        except RPCError:  # the server is too old for that, or does not answer: the run tries again
            self._paused_until = 0.0
            raise refused from None
        return attempt.wrap_result(Announced(event_id=task.event.id, handed_over=True))

    async def _announce_now(self, task: AnnouncementTask) -> PortFailure | None:
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
