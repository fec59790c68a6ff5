"""Whom a run tells something: people, and agents that live elsewhere."""

import base64
from dataclasses import dataclass

from temporalio import activity

from caveat.activities.subagent import Attempt, declare_subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.message import Brought
from caveat.contracts.tasks import Delivery, NotificationTask, OutsideTask, PostTask
from caveat.failures import invalid
from caveat.ports import Agents, Notifier


@dataclass(frozen=True)
class NoticeActivities:
    notifier: Notifier

    @declare_subagent(AgentType.HERALD)
    async def notify(self, task: NotificationTask, attempt: Attempt) -> SubagentResult[Delivery]:
        """Deliver a notice."""
        await self.notifier.notify(task.notice)
        return attempt.wrap_result(Delivery())


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
