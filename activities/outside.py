"""What agents that live elsewhere are asked, and told."""

import base64
from dataclasses import dataclass

from temporalio import activity

from caveat.activities.subagent import Attempt, subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.outside import Brought
from caveat.contracts.tasks import OutsideTask, Posted, PostTask
from caveat.ports import Agents


@dataclass(frozen=True)
class OutsideActivities:
    """Sends messages to agents.

    Attributes:
        agents: carries them, and completes what their answers complete.
    """

    agents: Agents

    @subagent(AgentType.OUTSIDE, name="ask_agent")
    async def ask(self, task: OutsideTask, attempt: Attempt) -> SubagentResult[Brought]:
        """Send an assignment; the answer completes this, whenever and wherever it comes."""
        attempt.beat()  # from here on the agent's own signs of life count
        token = base64.b64encode(activity.info().task_token).decode()
        await self.agents.ask(task, token)
        activity.raise_complete_async()

    @subagent(AgentType.MESSENGER, name="post_message")
    async def post(self, task: PostTask, attempt: Attempt) -> SubagentResult[Posted]:
        """Send a message that nobody answers."""
        return attempt.done(Posted(message_id=await self.agents.post(task)))
