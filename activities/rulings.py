"""The clerk: keeps people's rulings, and looks them up."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.contradiction import RulingRecord
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.tasks import RulingsTask, RulingTask
from caveat.ports import Memory


@dataclass(frozen=True)
class Clerk:
    """Keeps rulings in memory."""

    memory: Memory

    @activity.defn(name="record_ruling")
    @subagent(AgentType.CLERK)
    async def record_ruling(self, task: RulingTask) -> SubagentResult[RulingRecord]:
        """Keep a person's ruling and return what was given to keep."""
        await self.memory.record_ruling(task.record)
        return done(AgentType.CLERK, task, task.record)

    @activity.defn(name="recall_rulings")
    @subagent(AgentType.CLERK)
    async def recall_rulings(self, task: RulingsTask) -> SubagentResult[tuple[RulingRecord, ...]]:
        """Return the rulings on claims of some claimants, oldest first; none is a success too."""
        return done(AgentType.CLERK, task, await self.memory.rulings_about(task.claimants))
