"""The debaters: what speaks for a claim and what against it."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.debate import Challenge
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.tasks import DebateTask
from caveat.ports import Reasoner


@dataclass(frozen=True)
class Debater:
    """Examines claims with a reasoner."""

    reasoner: Reasoner

    @activity.defn(name="debate")
    @subagent(AgentType.DEBATER)
    async def debate(self, task: DebateTask) -> SubagentResult[tuple[Challenge, ...]]:
        """Say what one participant has to say about the claims."""
        answer = await self.reasoner.debate(task)
        return done(AgentType.DEBATER, task, answer.value, usage=answer.usage)
