"""The herald: tells people what a run wants them to know."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.notice import Notice
from caveat.contracts.tasks import NotificationTask
from caveat.ports import Notifier


@dataclass(frozen=True)
class Herald:
    """Delivers notices."""

    notifier: Notifier

    @activity.defn(name="notify")
    @subagent(AgentType.HERALD)
    async def notify(self, task: NotificationTask) -> SubagentResult[Notice]:
        """Deliver a notice and return what was delivered."""
        await self.notifier.notify(task.notice)
        return done(AgentType.HERALD, task, task.notice)
