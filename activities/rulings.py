"""The clerk: keeps people's rulings, and looks them up."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.contradiction import RulingRecord
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.tasks import RulingsTask, RulingTask
from caveat.ports import Memory, Signatures


@dataclass(frozen=True)
class Clerk:
    """Keeps rulings in memory, and says which are this user's own."""

    memory: Memory
    signatures: Signatures

    @activity.defn(name="record_ruling")
    @subagent(AgentType.CLERK)
    async def record_ruling(self, task: RulingTask) -> SubagentResult[RulingRecord]:
        """Keep a person's ruling and return what was kept."""
        signed = task.signature is not None and self.signatures.holds(task.record, task.signature)
        record = task.record.model_copy(update={"signed": signed})
        await self.memory.record_ruling(record)
        return done(AgentType.CLERK, task, record)

    @activity.defn(name="recall_rulings")
    @subagent(AgentType.CLERK)
    async def recall_rulings(self, task: RulingsTask) -> SubagentResult[tuple[RulingRecord, ...]]:
        """Return the rulings on claims of some claimants, oldest first; none is a success too."""
        return done(AgentType.CLERK, task, await self.memory.rulings_about(task.claimants))
