"""The debaters: what speaks for a claim and what against it."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.debate import Challenge
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.tasks import DebateTask
from caveat.ports import Reasoner
from caveat.rules.debate import attached


@dataclass(frozen=True)
class Debater:
    """Examines claims with a reasoner."""

    reasoner: Reasoner

    @activity.defn(name="debate")
    @subagent(AgentType.DEBATER)
    async def debate(self, task: DebateTask) -> SubagentResult[tuple[Challenge, ...]]:
        """Return what one participant says of the claims; what names no claim is left out."""
        if task.by_code:
            said = await self.reasoner.debate_by_rules(task)
            return done(AgentType.DEBATER, task, attached(said, task.claims))
        answer = await self.reasoner.debate(task)
        remarks = attached(answer.value, task.claims)
        return done(
            AgentType.DEBATER, task, remarks, usage=answer.usage, reasoner=self.reasoner.card.name
        )
